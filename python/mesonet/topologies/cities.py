"""Coordinates of the routers of the built-in topologies: for drawing only, delays are in the simulator.

City and its latitude and longitude in degrees, by name of the backbone router. Abilene: Topology Zoo (Internet2 map of
February 2005). ISP: the cities of the constructed map; GeoNames, to 0.01 degrees.
"""

from __future__ import annotations

CITIES: dict[str, dict[str, tuple[str, float, float]]] = {
    "abilene": {
        "A": ("Seattle", 47.60621, -122.33207),
        "B": ("Sunnyvale", 37.36883, -122.03635),
        "C": ("Los Angeles", 34.05223, -118.24368),
        "D": ("Denver", 39.73915, -104.9847),
        "E": ("Kansas City", 39.11417, -94.62746),
        "F": ("Houston", 29.76328, -95.36327),
        "G": ("Indianapolis", 39.76838, -86.15804),
        "H": ("Chicago", 41.85003, -87.65005),
        "I": ("Atlanta", 33.749, -84.38798),
        "J": ("Washington DC", 38.89511, -77.03637),
        "K": ("New York", 40.71427, -74.00597),
    },
    "isp": {
        "A": ("Seattle", 47.61, -122.33),
        "B": ("San Jose", 37.34, -121.89),
        "C": ("Los Angeles", 34.05, -118.24),
        "D": ("Phoenix", 33.45, -112.07),
        "E": ("Denver", 39.74, -104.98),
        "F": ("Dallas", 32.78, -96.81),
        "G": ("Houston", 29.76, -95.36),
        "H": ("Kansas City", 39.10, -94.58),
        "I": ("St. Louis", 38.63, -90.20),
        "J": ("Chicago", 41.85, -87.65),
        "K": ("Atlanta", 33.75, -84.39),
        "L": ("Orlando", 28.54, -81.38),
        "M": ("Cleveland", 41.50, -81.70),
        "N": ("Washington DC", 38.90, -77.04),
        "O": ("New York", 40.71, -74.01),
        "P": ("Boston", 42.36, -71.06),
    },
}
"""By topology; the others have no places."""
