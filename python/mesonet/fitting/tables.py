"""Tables of runs of mesonet: the events of single segments, as `trace.packets` records them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mesonet.campaign import documents
from mesonet.errors import InputError
from mesonet.files.reading import MOST_TABLE_BYTES, is_file, read_bytes
from mesonet.fitting.recording import FEWEST, Recording, behind_handshake

if TYPE_CHECKING:
    import polars as pl

PACKETS = "packets.parquet"
"""The table in the folder of a run."""
_ALLOWED = "packets.parquet in a folder of mesonet run --out, of a scenario with trace.packets"
_COLUMNS = {"time_s": float, "flow": str, "transfer": int, "event": str, "transmission": int, "marked": int}


def is_run(path: Path) -> bool:
    """Return True for the folder of a run whose packets were traced."""
    return is_file(path / PACKETS)


def read_packets(path: Path, number: int | None) -> Recording:
    """Return the packets of a traced flow. `number`: its place in the table, from 1; None: the only one."""
    frame = _frame(path)
    if not is_file(path.with_name("run.json")):
        raise InputError("its folder has no run.json", file=str(path), allowed=_ALLOWED)
    sender = documents.done(path.with_name("run.json"))["scenario"]["transport"]
    parts = frame.partition_by("flow", "transfer", maintain_order=True)
    if number is None and len(parts) != 1:
        raise InputError(f"{len(parts)} flows", file=str(path), path="flow", allowed=f"--flow 1 to {len(parts)}")
    if number is not None and not 1 <= number <= len(parts):
        raise InputError("no such flow", file=str(path), path="flow", value=number, allowed=f"1 to {len(parts)}")
    return of_packets(parts[(number or 1) - 1], sender, str(path))


def of_packets(frame: pl.DataFrame, sender: dict[str, Any], file: str) -> Recording:
    """Return the packets of a flow. `frame`: its rows of the table ``packets``. `sender`: ``transport`` of the run."""
    import polars as pl

    def first(*events: str) -> pl.DataFrame:
        found = frame.filter(pl.col("event").is_in(events)).group_by("transmission").agg(pl.col("time_s").min())
        return found.rename({"time_s": events[0]})

    rows = first("sent", "retransmitted").join(first("acknowledged"), "transmission", "left")
    rows = rows.join(first("lost"), "transmission", "left").sort("sent", "transmission")
    acked_s = rows["acknowledged"].to_numpy().astype(float)
    if np.isfinite(acked_s).sum() < FEWEST:
        problem = f"{len(rows)} packets, {int(np.isfinite(acked_s).sum())} of them acknowledged"
        raise InputError(problem, file=file, allowed=f"at least {FEWEST} acknowledged packets")
    sent_s, acked_s = behind_handshake(rows["sent"].to_numpy(), acked_s)
    size = round(sender["segment_bytes"])
    return Recording(
        file=file,
        sent_s=sent_s,
        acked_s=acked_s,
        lost=(rows["lost"].is_not_null() & rows["acknowledged"].is_null()).to_numpy(),
        size=np.full(len(rows), size),
        payload=np.where(np.isfinite(acked_s), size, 0),
        handshake_s=float("nan"),
        segment_bytes=size,
        bursts=sender["burst"] > 0,
        marked=bool(frame["marked"].sum()),
        protocol="TCP",
        read=len(rows) + int(np.isfinite(acked_s).sum()),
        total=len(frame),
        notes=("a run of mesonet: the handshake is assumed to take the shortest round trip",),
    )


def _frame(path: Path) -> pl.DataFrame:
    import polars as pl

    try:
        return pl.read_parquet(read_bytes(path, MOST_TABLE_BYTES, _ALLOWED)).select(
            pl.col(name).cast(kind) for name, kind in _COLUMNS.items()
        )
    except FileNotFoundError:
        raise InputError("no such file", file=str(path), allowed=_ALLOWED) from None
    except (pl.exceptions.PolarsError, OSError, ValueError) as error:
        raise InputError(f"not a table: {str(error).partition(chr(10))[0]}", file=str(path), allowed=_ALLOWED) from None
