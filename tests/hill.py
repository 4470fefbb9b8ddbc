"""A model for tests of points between the levels. It is imported by worker processes: few imports."""

from __future__ import annotations

import numpy as np

FACTORS = {"x": (0.0, 1.0), "y": (0.0, 10.0), "z": (1, 3)}


def hill(parameters: dict, seed: int) -> dict:
    """Rises with x in a curve, falls with y, has nothing to do with z; noise that the seed names."""
    noise = 1e-3 * np.random.default_rng(seed).standard_normal()
    higher = 2.0 if parameters.get("algorithm") == "double" else 1.0
    bent = parameters["x"] * (1 - parameters["x"]) + noise
    return {"steep": higher * np.exp(3 * parameters["x"]) - parameters["y"] + noise, "bent": bent, "same": 1.0}


def decades(parameters: dict, seed: int) -> dict:
    """Grows over decades, with a noise in proportion."""
    level = 10 ** (3 * parameters["x"] - parameters["y"])
    return {"level": level * np.exp(0.1 * np.random.default_rng(seed).standard_normal()), "below": -level}


def together(parameters: dict, seed: int) -> dict:
    """Rises with a, more so where b is high."""
    a, b = parameters["a"], parameters["b"]
    return {"cost": 10 + 3 * a + 3 * a * b + seed % 97 / 500}


def plant(parameters: dict, seed: int) -> dict:
    """A yield with a maximum at heat 175 and time 86, and a cost that rises with both; noise that the seed names."""
    heat, time = parameters["heat"] - 175, parameters["time"] - 86
    noise = np.random.default_rng(seed).standard_normal()
    best = 80 - heat**2 / 50 - time**2 / 40 + parameters.get("stir", 2) / 4
    return {"yield": best + 0.2 * noise, "cost": 2 + heat / 100 + time / 50 + 0.01 * noise, "same": 1.0}
