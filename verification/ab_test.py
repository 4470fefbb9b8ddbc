"""Make the example of a real A/B test that the package ships: a table of users whose truth is known.

One fifth of 500 users have a new control for two days. Users of cable share their lines, where a user of the new
control gets 1.3 times the goodput of another: mu_T(p) = 1.3 c / (1 + .3 p) and mu_C(p) = c / (1 + .3 p). They gain 30 %
in a test of any size, and nothing if all have the control. Users of fibre share nothing and gain nothing. Round-trip
times rise by 2 ms. Goodputs vary by 25 % between users and by 10 % between the days of a user.
`python -m verification.ab_test` writes the table.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

FILE = Path(__file__).parents[1] / "python" / "mesonet" / "analysis" / "deployments" / "ab_test.csv"
USERS, DAYS, SHARE, GAIN = 500, 2, 0.2, 1.3
BASE = {"cable": 40.0, "fibre": 80.0}
"""Goodput of users without the new control at share 0, Mbit/s."""
RTT_MS, SLOWER_MS = 30.0, 2.0


def goodput(access: str, treated: bool, share: float) -> float:
    """Return the mean goodput of users at a share, Mbit/s."""
    if access == "fibre":
        return BASE[access]
    return BASE[access] * (GAIN if treated else 1.0) / (1 + (GAIN - 1) * share)


def total(access: str) -> float:
    """Return the effect of the control for all, a relative change: what the test cannot show."""
    return goodput(access, True, 1.0) / goodput(access, False, 0.0) - 1


def table() -> pl.DataFrame:
    """Return the table: a row per user and day."""
    rng = np.random.default_rng(60)
    treated = rng.permutation(USERS) < SHARE * USERS
    own = np.exp(0.25 * rng.normal(size=USERS))
    rows = []
    for user in range(USERS):
        access = "cable" if user % 2 else "fibre"
        for day in range(1, DAYS + 1):
            mean = goodput(access, bool(treated[user]), SHARE) * own[user]
            rtt = RTT_MS / own[user] ** 0.5 + SLOWER_MS * treated[user]
            rows.append(
                {
                    "user": f"u{user:03}", "arm": "new" if treated[user] else "old", "day": day, "access": access,
                    "flows": int(rng.integers(1, 30)), "goodput_mbps": round(mean * np.exp(0.1 * rng.normal()), 2),
                    "rtt_ms": round(rtt * np.exp(0.05 * rng.normal()), 1),
                }
            )  # fmt: skip
    return pl.DataFrame(rows)


if __name__ == "__main__":
    table().write_csv(FILE)
