"""The process that makes the stages of candidates: ``python -m mesonet.scoring.worker``.

Standard input is a job, a JSON object with ``candidates``, ``stages``, ``secret``, ``cpu_s`` and ``memory``. Each line
of standard output is the result of a candidate: the numbers of its stages, ``cpu_s``, and ``refused`` if it is refused.

Each stage has a process of its own, a fork of this one: libraries are loaded anew, and what their code does ends there.
"""

from __future__ import annotations

import json
import os
import secrets
import select
import signal
import sys
import warnings
from contextlib import suppress
from typing import Any, NoReturn

from mesonet.campaign.process import memory_text
from mesonet.errors import InputError
from mesonet.scoring import sandbox, stages
from mesonet.scoring.admission import admit

_WALL = 3.0
"""Most wall-clock time of a stage, in units of its processor time (chosen)."""
_MOST_BYTES = 65_536
"""Most bytes of a result (chosen)."""
_RESULTS = frozenset(("refused", "mean", "worst", "kept", "harmless", "parts", "evidence"))
"""Names of the results of stages."""
_DESCRIPTORS = 1024
"""End of the numbers of files that the process can have open."""


def main() -> None:
    """Run the job of standard input."""
    job = json.load(sys.stdin)
    channel = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # a candidate may print
    sys.dont_write_bytecode = True
    # Other threads are those of allocators and of BLAS, which prepare forks; Python 3.12 and later warn of any thread.
    warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
    if any(".py" in candidate for candidate in job["candidates"]):
        with suppress(ImportError):
            import numba  # noqa: F401 - a second of each process else
    stages.warm_up(job["stages"], job["secret"])
    for candidate in job["candidates"]:
        channel.write(json.dumps(_evaluated(candidate, job)) + "\n")
        channel.flush()


def _evaluated(candidate: str, job: dict[str, Any]) -> dict[str, Any]:
    """Return the result of a candidate: its stages up to the first that refuses it."""
    found: dict[str, Any] = {"cpu_s": 0.0}
    try:
        admit(candidate)
    except InputError as error:
        return found | {"refused": str(error)}
    for stage in job["stages"]:
        reply, cpu_s = _forked(candidate, stage, job)
        found |= reply
        found["cpu_s"] += cpu_s
        if "refused" in reply:
            return found | {"refused": f"{stage}: {reply['refused']}"}
    return found


def _forked(candidate: str, stage: str, job: dict[str, Any]) -> tuple[dict[str, Any], float]:
    """Return the result of a stage that a fork of this process makes, and its processor time in s."""
    ours, theirs = os.pipe()
    proof = secrets.token_hex()
    child = os.fork()
    if child == 0:
        os.close(ours)
        _make(candidate, stage, job, theirs, proof)
    os.close(theirs)
    with os.fdopen(ours, "rb", buffering=0) as pipe:
        is_late = not select.select([pipe], [], [], _WALL * job["cpu_s"])[0]
        if is_late:
            os.kill(child, signal.SIGKILL)
        text = pipe.read(_MOST_BYTES)
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)  # a candidate may keep it alive after the reply
    _, status, used = os.wait4(child, 0)
    cpu_s = used.ru_utime + used.ru_stime
    if text.endswith(b"\n"):
        return _reply(text, proof), cpu_s
    code = os.waitstatus_to_exitcode(status)
    if is_late or code == -signal.SIGXCPU or cpu_s >= job["cpu_s"]:
        return {"refused": f"needs more than {job['cpu_s']:g} s of processor time"}, cpu_s
    if code == -signal.SIGSYS:
        return {"refused": "makes a system call"}, cpu_s
    if code == -signal.SIGSEGV:
        return {"refused": "reads or writes memory that it does not have"}, cpu_s
    ended = f"exit code {code}" if code >= 0 else signal.Signals(-code).name
    return {"refused": f"ends its process with {ended}; its memory is limited to {memory_text(job['memory'])}"}, cpu_s


def _reply(text: bytes, proof: str) -> dict[str, Any]:
    """Return the result that a process wrote; a refusal if a candidate wrote something else.

    `proof`: text that the process knows and its candidate does not.
    """
    with suppress(ValueError):
        reply = json.loads(text)
        if isinstance(reply, dict) and reply.pop("proof", "") == proof and reply.keys() <= _RESULTS:
            return reply
    return {"refused": "writes to the channel of its result"}


def _make(candidate: str, stage: str, job: dict[str, Any], channel: int, proof: str) -> NoReturn:
    """Make a stage in this process, write its result, and end."""
    silent = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        os.dup2(silent, standard)
    os.dup2(channel, 3)
    os.closerange(4, _DESCRIPTORS)  # the results of others are among them
    try:
        sandbox.limit(job["cpu_s"], job["memory"])
        sandbox.close_to_load()
        reply = stages.STAGES[stage](candidate, job["secret"])
    except Exception as error:
        reply = {"refused": str(error) or type(error).__name__}
    os.write(3, json.dumps({**reply, "proof": proof}).encode() + b"\n")
    os._exit(0)


if __name__ == "__main__":
    main()
