"""The simulator and the readers of captures, compiled from crates/py. JSON or files in, NumPy columns out.

All errors of the simulator are ValueError ("path: message"), but for faults of plug-ins. A ValueError of a reader has
the problem, the place in the file, a number and a text of which one is the value there, and what is allowed.
"""

from collections.abc import Sequence
from typing import BinaryIO, Literal, TypedDict

import numpy as np
import numpy.typing as npt

Column = npt.NDArray[np.float64] | npt.NDArray[np.uint64] | list[str]
Columns = dict[str, Column]

class PluginFault(RuntimeError):
    """A plug-in left a window that is not allowed; the message names plug-in, event, flow and simulated time."""

class Performance(TypedDict):
    """Counts of a simulation so far."""

    data_segments_delivered: int
    data_segments_sent: int
    segments_dropped: int
    router_hops: int
    simulated_s: float

class SentPackets(TypedDict):
    """Packets of a sender, in the order in which they left."""

    sent_s: npt.NDArray[np.float64]
    acked_s: npt.NDArray[np.float64]
    lost: npt.NDArray[np.bool_]
    bytes: npt.NDArray[np.uint32]
    handshake_s: float
    total: int

class Transfer(SentPackets):
    """Packets of the sender of a flow of TCP, each of one segment at most."""

    segment: int
    header: int
    bursts: bool
    marked: bool
    unseen: int
    read: int
    is_cut_off: bool

class QuicLog(SentPackets):
    """Packets of a sender of QUIC."""

    has_handshake: bool
    of_mesonet: bool

class Simulation:
    """A simulation of one scenario, at its first instant or where it was when `snapshot` was taken."""

    def __init__(
        self,
        scenario_json: str,
        seed: int,
        threads: int = 1,
        engine: Literal["domains", "reference"] = "domains",
        snapshot: bytes | None = None,
    ) -> None: ...
    def advance(self, until_s: float) -> None:
        """Run until `until_s` seconds of simulated time, or the end. Raise `PluginFault` for a fault of a plug-in."""

    def snapshot(self) -> bytes:
        """Return the state, from which another `Simulation` can resume; ValueError if a plug-in has pointers."""

    def finish(self, names: Sequence[str]) -> dict[str, Columns]:
        """End the run and return its tables of these names, each as columns of equal length."""

    def performance(self) -> Performance:
        """Return what was simulated so far."""

    def finished(self) -> bool:
        """Return True at the end of the scenario."""

def algorithms() -> str:
    """Return every congestion control with its constants, as a JSON array."""

def load_production() -> str:
    """Load the controls of production software and the stacks that this build has; return a JSON array."""

def loading(file: str | None) -> None:
    """Name the file of a plug-in before it is loaded, and None after it, for the case that its code calls exit."""

def load_plugin(address: int, digest: str) -> str:
    """Check and keep the table of functions of a plug-in; return what it declares, as a JSON object."""

def bounds() -> str:
    """Return the allowed ranges of the numbers of a scenario, as a JSON array."""

def check(scenario_json: str) -> None:
    """Hold the values of a scenario against their ranges and against each other."""

def describe(scenario_json: str) -> str:
    """Return numbers that follow from a scenario before anything is simulated, as a JSON object."""

def ways(scenario_json: str) -> str:
    """Return the queues that pairs of regions cross, and what is offered to each queue, as a JSON object."""

def topologies() -> list[str]:
    """Return the names of the built-in topologies."""

def code_version() -> str:
    """Return the hash of the sources that can change a result, and of the lock file."""

def build() -> list[tuple[str, str]]:
    """Return the profile of this build, the target that it is for, and the default engine, each with its name."""

def capture_flows(file: BinaryIO) -> list[tuple[float, float, int, int, bool]]:
    """Return start and duration in s, packets, bytes of data and whether the handshake is there, of each flow."""

def capture_transfer(file: BinaryIO, number: int | None, fewest: int) -> Transfer:
    """Return the packets of a flow with their fates. `number`: from 1; None: the only flow with data."""

def quic_log(file: BinaryIO, number: int | None, fewest: int) -> QuicLog:
    """Return the packets of a trace with their fates. `number`: from 1; None: the only trace."""
