"""The search as a whole: worst path, simplest path, confirmation with fresh copies, and neighbourhood."""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

from mesonet.adversarial import files
from mesonet.adversarial.answer import CONFIRMING, Adversary, Confirmed, Worst
from mesonet.adversarial.judge import CONFIRMED, Judge
from mesonet.adversarial.minimise import minimised
from mesonet.adversarial.neighbourhood import neighbourhood
from mesonet.adversarial.objective import LEAST
from mesonet.adversarial.question import Asked, Question, question
from mesonet.adversarial.search import search
from mesonet.adversarial.trials import Ledger, Trials
from mesonet.files import places
from mesonet.processes import processors
from mesonet.progress import Progress
from mesonet.simulation.simulate import MOST_THREADS
from mesonet.units import integer

_SEARCH_SHARE = 0.4
"""Part of the work that the search is, for the progress bar (measured: .3 to .6)."""


def answered(
    asked: Question,
    folder: Path | None = None,
    *,
    neighbours: bool = True,
    threads: int | None = None,
    progress: bool = True,
) -> Adversary:
    """Search for the worst path of a question, and write the answer if there is a folder.

    `neighbours`: vary each number of the path, too, a third of the work.
    """
    number = integer(threads if threads is not None else processors(), "threads", 1, MOST_THREADS)
    if folder is not None:
        with places.folder(folder):
            pass
    trials = Trials(asked, Ledger(asked, folder), number)
    judge = Judge(trials)
    with Progress(f"adversary {asked.algorithm}", enabled=progress) as bar:
        way = search(judge, lambda done: bar.update(_SEARCH_SHARE * done / asked.evaluations, 1.0))
        worst = None
        if way.path is not None and way.score >= LEAST:
            simplest = minimised(judge, way.path)
            bar.update(0.8, 1.0)
            copies = tuple(judge.judged(judge.copies(simplest, CONFIRMING, (CONFIRMED,))))
            confirmed = Confirmed(copies, judge.still([simplest])[0])
            around = neighbourhood(judge, simplest) if neighbours and confirmed.holds else ()
            worst = Worst(way.path, simplest, confirmed, tuple(around))
    answer = Adversary(asked, way, trials.paths, worst, trials)
    if folder is not None:
        files.write(answer, folder)
    return answer


def adversary(
    algorithm: str,
    *,
    out: str | Path | None = None,
    threads: int | None = None,
    progress: bool = True,
    **asked: Unpack[Asked],
) -> Adversary:
    """Search for the path that changes in time on which an algorithm does worst. See ``docs/how-to/worst-path.md``.

    Parameters
    ----------
    algorithm
        The algorithm, a variant, or the file of a plug-in.
    out
        Folder for the answer; an interrupted search continues from it. None: nothing is written.
    threads
        Runs at a time, 1 to 256; by default the number of processors. The answer does not depend on it.
    progress
        Show the progress on a terminal.
    **asked
        Any of these parts of the question:

        * ``against``: references; with the objectives ``starves`` and ``starved`` incumbents. By default
          ``["cubic", "bbr"]``.
        * ``objective``: ``utilisation`` (the default), ``delay``, ``starves``, ``starved`` or ``frames``.
        * ``space``: parts of the path that vary, ``rate``, ``delay``, ``buffer``, ``loss``, ``outage``, ``cross``,
          ``join``. By default all that matter for the objective.
        * ``evaluations``: paths that the search looks at, copies not included, at least 1. By default 500.
        * ``seed``: names the random numbers of the search, at least 0. By default 1.
        * ``duration``: simulated time of a run, ``"1 s"`` to ``"600 s"``. By default ``"10 s"``.
        * ``rate_limit``: fastest rate of the link, 0.1 to 1000 Mbit/s. By default ``"20 Mbit/s"``.

    Returns
    -------
    The answer: ``worst`` has the path as ``found`` and at its ``simplest``, ``confirmed`` on fresh copies, and its
    ``neighbours``; None if no path has harm. ``sentences()`` and ``document()`` are the answer as text and as data.

    Raises
    ------
    InputError
        If a value is not allowed, or the folder has another search.
    """
    return answered(
        question(algorithm, **asked), None if out is None else Path(out), threads=threads, progress=progress
    )
