"""mesonet: predicts what happens to a large network when a new congestion control is deployed in it.

``scenario`` describes one network, and ``simulate`` runs it. ``experiment`` runs many networks by a factorial design
into a campaign folder, and ``load`` reads the folder. ``analysis`` and ``report`` show which conditions cause which
behaviour.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from mesonet._version import __version__
from mesonet.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from mesonet import analysis, designs
    from mesonet.adversarial.adversary import adversary
    from mesonet.analysis import ExperimentAnalysis
    from mesonet.campaign.data import Campaign
    from mesonet.emulation import Emulator
    from mesonet.experiments.base import Designed
    from mesonet.experiments.deployed import deploy
    from mesonet.experiments.gridded import grid
    from mesonet.experiments.network import experiment
    from mesonet.fitting.fit import Fit
    from mesonet.fitting.fits import Fits
    from mesonet.maps.matrix import traffic_matrix
    from mesonet.scenarios.scenario import scenario
    from mesonet.scoring.score import score
    from mesonet.simulation.batch import batch
    from mesonet.simulation.checkpoint import Checkpoint
    from mesonet.simulation.result import Result
    from mesonet.simulation.simulate import simulate

__all__ = [
    "Checkpoint",
    "InputError",
    "__version__",
    "add_conditions",
    "adversary",
    "analysis",
    "batch",
    "compare_scales",
    "deploy",
    "designs",
    "emulate",
    "experiment",
    "fit",
    "fit_folder",
    "grid",
    "load",
    "plot",
    "report",
    "run_until_decided",
    "scenario",
    "score",
    "simulate",
    "traffic_matrix",
    "verdict",
]


def load(path: str | Path) -> Campaign:
    """Return the campaign in a folder, whatever part of it is done.

    Parameters
    ----------
    path
        The campaign folder.

    Returns
    -------
    The campaign with its tables; see `mesonet.campaign.Campaign`.

    Raises
    ------
    InputError
        If the folder holds no campaign, or a file in it is damaged.
    """
    from mesonet.campaign.data import load as load_campaign

    return load_campaign(path)


def fit(
    capture: str | Path,
    *,
    flow: int | None = None,
    control: str | None = None,
    what_if: Sequence[str] = (),
    progress: Callable[[float, float], None] | None = None,
) -> Fit:
    """Return the path of one flow in a capture, with the replay that judges it.

    See ``docs/how-to/fit-a-capture.md``.

    Parameters
    ----------
    capture
        A file of packets that was captured at the sender (pcap, pcapng), its log of QUIC (qlog), or samples of its
        TCP_INFO (CSV, or the text of ``ss -ti``); also as .gz. Or the folder of a run with the table ``packets``.
    flow
        Number of the flow in the file, from 1; by default the only one with data.
    control
        Algorithm of the sender; by default the one of ``cubic``, ``bbr`` and ``tcp`` whose replay comes closest.
    what_if
        Other algorithms, whose outcomes on all paths that reproduce the capture are wanted.
    progress
        Called with the number of finished replays, and their total.

    Returns
    -------
    Estimates with intervals, the verdict of the replay, and the answers.

    Raises
    ------
    InputError
        If the file does not show the path, or if `what_if` is given and the replay does not reproduce the capture.
    """
    from mesonet.fitting.fit import fit as fit_capture

    return fit_capture(capture, flow=flow, control=control, what_if=what_if, progress=progress)


def emulate(
    campaign: Campaign | Any,
    response: str | Sequence[str],
    *,
    factors: Sequence[str] | None = None,
    algorithm: str | None = None,
    period: str | None = None,
    scale: str = "auto",
    log: Sequence[str] | None = None,
    unit: str = "",
) -> Emulator:
    """Return an emulator of a campaign or a table: one response at settings that were not run, with a band.

    A Gaussian process goes through the means of the finished runs. Replicates give it the noise of runs, which may
    change over the region. See ``docs/how-to/emulate.md``.

    Parameters
    ----------
    campaign
        The campaign, of networks or of a model, best a Latin hypercube or a Sobol sequence. Or a table with a row for
        each run: a frame of polars, pandas or Arrow, or columns by name.
    response
        Name of the response. Of a table, a column; several columns are replicates of their row.
    factors
        Of a table, the columns of the factors. None: all other columns whose values differ.
    algorithm
        Of a campaign, the algorithm of the runs; by default the only one.
    period
        Of a campaign, as for `mesonet.campaign.Campaign.response`; None: the measured time.
    scale
        Scale of the response: ``linear``, ``log``, or ``auto`` for the scale that predicts conditions left out better.
    log
        Factors whose range is logarithmic. None: factors whose values spread evenly over a decade or more, or whose two
        values lie a decade apart.
    unit
        Of a table, the unit of the response.

    Returns
    -------
    The emulator, with ``predict``, ``check`` and ``next_points``.

    Raises
    ------
    InputError
        If a response, a factor or an algorithm is not there, if an argument goes with a table only or with a campaign
        only, if the runs are fewer than 10 conditions or 5 for each factor, if all have one number or none, or if a
        factor or a response has no logarithm.
    ImportError
        If scikit-learn is not installed.
    """
    from mesonet.campaign.data import Campaign as Runs
    from mesonet.emulation import emulate as of_campaign
    from mesonet.emulation import emulate_table

    is_table = not isinstance(campaign, Runs)
    others = {"algorithm": algorithm, "period": period} if is_table else {"factors": factors, "unit": unit or None}
    for name, value in others.items():
        if value is not None:
            problem = f"goes with a {'campaign' if is_table else 'table'}"
            raise InputError(problem, path=name, value=value)
    if is_table:
        return emulate_table(campaign, response, factors=factors, scale=scale, log=log, unit=unit)
    if not isinstance(response, str):
        raise InputError("not a name", path="response", value=response, allowed="one response of the campaign")
    return of_campaign(campaign, response, algorithm=algorithm, period=period or "measured", scale=scale, log=log)


def add_conditions(
    path: str | Path,
    number: int,
    *,
    response: str,
    workers: int | None = None,
    progress: bool = True,
    **how: Any,
) -> Campaign:
    """Add conditions to a sampled campaign where the emulator of a response is least sure, and run them.

    The missing runs of the campaign come first. If runs of an equal addition are missing, it is continued, and nothing
    is added. See ``docs/how-to/emulate.md``.

    Parameters
    ----------
    path
        The campaign folder, of a Latin hypercube or a Sobol sequence.
    number
        Number of conditions, 1 to 256.
    response
        Name of the response.
    workers, progress, **how
        As for `Experiment.run`. ``trusted=True``: run the code of a folder that another user began.

    Returns
    -------
    The campaign with its new conditions, which follow the conditions of the experiment.

    Raises
    ------
    InputError
        If the campaign is not sampled, or as `emulate`.
    """
    from mesonet.campaign.backlog import RunOptions
    from mesonet.campaign.data import load as load_campaign
    from mesonet.campaign.ledger import Ledger
    from mesonet.campaign.trust import is_trusted, named_code, program, trust
    from mesonet.emulation.additions import run_added

    ledger = Ledger(path)
    code = named_code(ledger.document())
    if not how.get("trusted") and not is_trusted(ledger.path, code):
        problem = f"the folder names a program that you have not run before: {program(code or {})}"
        raise InputError(problem, value=str(path), allowed="trusted=True, if you trust who made the folder")
    trust(ledger.path, code)
    run_added(ledger, RunOptions(workers=workers, **how), number, response, progress=progress)
    return load_campaign(path)


def fit_folder(
    folder: str | Path,
    *,
    control: str | None = None,
    progress: Callable[[float, float], None] | None = None,
) -> Fits:
    """Return the fits of all captures in a folder, whose paths can be the conditions of an experiment.

    See ``docs/how-to/fit-a-capture.md``.

    Parameters
    ----------
    folder
        The folder; each of its files is read as `fit` reads it.
    control
        Algorithm of all senders; by default guessed for each.
    progress
        Called with the number of finished files, and their total.

    Returns
    -------
    The fit of each file, or the reason of its refusal.

    Raises
    ------
    InputError
        If there is no file, or no such algorithm.
    """
    from mesonet.fitting.fits import fit_folder as fit_all

    return fit_all(folder, control=control, progress=progress)


def run_until_decided(
    chosen: Designed,
    out: str | Path,
    *,
    margin: float | None = None,
    at_most: int | None = None,
    against: str | None = None,
    workers: int | None = None,
    progress: bool = True,
    force: bool = False,
    **how: Any,
) -> Campaign:
    """Run an experiment until its comparisons are decided, and return the campaign.

    The comparisons are looked at after 3, 4, 5, 6, 8 and 12 replicates; runs go to the conditions that keep them open.
    Then four conditions run four times as long, to check the duration, and four new conditions check the verdicts. See
    ``docs/how-to/until-decided.md``.

    Parameters
    ----------
    chosen
        The experiment.
    out
        The campaign folder: new, empty, or begun with this experiment. Its finished runs count.
    margin
        Relative change that counts; by default 0.1.
    at_most
        Replicates at the last look, at least 3; by default 12.
    against
        The incumbent; by default as for `report`: an algorithm, or the comparisons of the experiment.
    workers, progress, force, **how
        As for `Experiment.run`.

    Returns
    -------
    The campaign, with the responses of all finished runs. Its conditions may have unequal numbers of replicates.

    Raises
    ------
    InputError
        As `Experiment.run`; also if there is nothing to compare, or if the folder was begun with another margin, number
        of replicates or incumbent.
    """
    from mesonet.campaign.data import load as load_campaign
    from mesonet.looks.run import run_until_decided as run

    how |= {"workers": workers, "force": force}
    return load_campaign(run(chosen, out, margin=margin, at_most=at_most, against=against, progress=progress, **how))


def compare_scales(chosen: Designed, scales: Sequence[float], *, seconds: float = 60.0) -> dict[str, Any]:
    """Return the answers that smaller versions of a network keep, from a short pilot.

    One condition, in the middle of the offered loads, runs at each scale with equal seeds. See
    ``docs/explanation/scale.md``.

    Parameters
    ----------
    chosen
        The experiment.
    scales
        Two scales or more, each above 0 and at most 1000. The largest is the reference.
    seconds
        Wall-clock time of the pilot, about, s.

    Returns
    -------
    ``condition``, ``algorithm``, ``duration_s`` of the runs, ``sentences``, and ``scales``: by scale ``cpu_s`` of the
    whole campaign and ``answers`` with value, difference, its ``half_width`` at 95 %, relative ``change`` and
    ``verdict`` (``kept``, ``changed`` or ``open``).

    Raises
    ------
    InputError
        If a scale is not allowed, the time is too short, or the experiment has no network.
    """
    from mesonet.looks.scales import compare_scales as compare

    return compare(chosen, scales, seconds).as_dict()


def report(
    data: Campaign | ExperimentAnalysis | Any,
    path: str | Path | None = None,
    *,
    against: str | None = None,
    compare: Sequence[str] = (),
    responses: Sequence[str] = (),
    better: Mapping[str, str | float] | None = None,
    response: str | Sequence[str] | None = None,
    title: str = "",
    **about: Any,
) -> Path:
    """Write the report of a campaign, or of a table of an experiment: one HTML file that works offline.

    Parameters
    ----------
    data
        The campaign; or a table, as `mesonet.analysis.experiment` takes it; or the result of that function.
    path
        The file, which is replaced; by default ``report.html`` in the folder of the campaign, or here.
    against
        Compare all others with an algorithm, with a level such as ``share=0``, or with the folder of another campaign
        of the same conditions. By default the comparisons of the experiment, else the algorithm that all are mixed
        with, else ``cubic``, else ``tcp``; of a model its first alternative.
    compare
        Comparisons of two scenarios, such as ``bbr3 : cubic`` or ``share=0.3 : share=0``.
    responses
        Of a campaign: names of the responses that come first, in place of the chosen ones.
    better
        What is better by response of a model: ``"lower"``, ``"higher"`` or the best value, in its unit. Other
        responses have the direction of the experiment.
    response
        Of a table: its measured column, or several.
    title
        Title of the report of a table; empty: by the response.
    **about
        Of a table: ``factors``, ``block`` and ``unit``, as for `mesonet.analysis.experiment`.

    Returns
    -------
    The file.

    Raises
    ------
    InputError
        If the campaign has no such scenario or response, no two conditions differ in the levels alone, the file cannot
        be written to, an argument does not go with the data, or as `mesonet.analysis.experiment`.
    """
    from mesonet.analysis import ExperimentAnalysis, experiment
    from mesonet.campaign.data import Campaign
    from mesonet.errors import unknown

    of_table = {"response": response, "title": title or None, **about}
    of_campaign = {
        "against": against, "compare": compare or None, "responses": responses or None, "better": better or None,
    }  # fmt: skip
    foreign = of_table if isinstance(data, Campaign) else of_campaign
    foreign |= {} if not isinstance(data, ExperimentAnalysis) else {"response": response, **about}
    for name in about:
        if name not in ("factors", "block", "unit"):
            raise unknown("argument", name, ("factors", "block", "unit"), path=name)
    for name, value in foreign.items():
        if value is not None:
            raise InputError("has no meaning for this data", path=name, value=value, allowed="None")
    if isinstance(data, Campaign):
        from mesonet.reporting import write_report
        from mesonet.reporting.campaign_view.vocabulary import with_better

        place = data.path / "report.html" if path is None else path
        campaign = with_better(data, better or {})
        return write_report(campaign, place, against=against, compare=compare, responses=responses)
    from mesonet.reporting import write_experiment_report

    if not isinstance(data, ExperimentAnalysis):
        if response is None:
            raise InputError("missing", path="response", allowed="the name of the measured column, or several")
        data = experiment(data, response, **about)
    return write_experiment_report(data, "report.html" if path is None else path, title=title)


def plot(result: Result, *, title: str = "") -> Any:
    """Return the figure of a run: throughput, congestion windows and queueing delay over time.

    Parameters
    ----------
    result
        The run.
    title
        Title of the figure; empty: none.

    Returns
    -------
    An Altair chart. ``mesonet.plots.save`` writes it as .svg, .png, .pdf or .html. Up to six explicit flows have a line
    each; otherwise the lines are the throughput of the network, and means over its flows.
    """
    from mesonet.charts.run_course import run_course
    from mesonet.simulation.courses import courses

    warmup = float(result.provenance["scenario"]["time"]["warmup"])
    subtitle = ["dashed: the end of the warm-up"] if warmup else []
    return run_course(courses(result), warmup=warmup, title=title, subtitle=subtitle)


def verdict(
    campaign: Campaign,
    *,
    against: str | None = None,
    compare: Sequence[str] = (),
    better: Mapping[str, str | float] | None = None,
) -> list[dict[str, Any]]:
    """Return the verdict on each comparison of a campaign, as its report shows them.

    Parameters
    ----------
    campaign
        The campaign.
    against, compare, better
        As for `report`.

    Returns
    -------
    One entry per comparison: ``question`` (``replacement`` of the incumbent, ``level`` of a factor, ``campaign``, or
    ``competition`` with flows that keep the incumbent), ``algorithm`` and ``against`` (both scenarios), ``verdict``,
    ``recommendation`` and ``why`` in words, every judged response with its change in %, interval and largest harm that
    is not excluded, and the users who ``gain`` and who ``pay``. Empty where there is nothing to compare.

    Raises
    ------
    InputError
        If the campaign has no such scenario, or no two conditions differ in the levels alone.
    """
    from mesonet.reporting.campaign_view.view import view_of
    from mesonet.reporting.campaign_view.vocabulary import with_better
    from mesonet.reporting.text.verdict_text import verdict_rows
    from mesonet.units import with_bits

    view = view_of(with_better(campaign, better or {}), against, compare=compare)
    rows = verdict_rows(view) if view.has_results else []
    shown = ("why", "recommendation")
    return [{**row, **{name: with_bits(row[name], view.data_bytes) for name in shown}} for row in rows]


#: Module by name: imported on first use, because NumPy, SciPy and Polars take longer to import than all else.
_LATE = {
    "Checkpoint": "mesonet.simulation.checkpoint",
    "adversary": "mesonet.adversarial.adversary",
    "batch": "mesonet.simulation.batch",
    "deploy": "mesonet.experiments.deployed",
    "experiment": "mesonet.experiments.network",
    "grid": "mesonet.experiments.gridded",
    "scenario": "mesonet.scenarios.scenario",
    "score": "mesonet.scoring.score",
    "simulate": "mesonet.simulation.simulate",
    "traffic_matrix": "mesonet.maps.matrix",
}


def __getattr__(name: str) -> Any:
    if name in ("analysis", "designs"):
        return import_module(f"mesonet.{name}")
    if name in _LATE:
        found = globals()[name] = getattr(import_module(_LATE[name]), name)
        return found
    raise AttributeError(f"module 'mesonet' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *__all__]
