"""Access of a backbone (path ``tiers.access``): the tiers of the study, hosts at its routers, or homes by profile."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mesonet.errors import InputError, unknown
from mesonet.scenarios.kinds.buffer import Buffer
from mesonet.scenarios.kinds.capacity import CAPACITY
from mesonet.scenarios.kinds.choice import Choice
from mesonet.scenarios.kinds.count import COUNT
from mesonet.scenarios.kinds.key import Key
from mesonet.scenarios.kinds.kind import Place
from mesonet.scenarios.kinds.names import NAMES
from mesonet.scenarios.kinds.number import NUMBER
from mesonet.scenarios.kinds.probability import PROBABILITY
from mesonet.scenarios.kinds.rate import RATE, Rate
from mesonet.scenarios.kinds.segments import SEGMENTS
from mesonet.scenarios.kinds.tables import Tables
from mesonet.scenarios.kinds.text import Text
from mesonet.scenarios.kinds.time import TIME
from mesonet.scenarios.profiles import PROFILES
from mesonet.words import counted

STUDY, NONE = "study", "none"
ALL = "all"
"""Stands for all backbone routers."""
_ALLOWED = f"{STUDY}, {NONE}, a profile ({', '.join(PROFILES)}), or a list of [[tiers.access]] in a TOML file"


class _OwnBuffer(Buffer):
    """Kind of buffers of one link: bytes, segments or time, but no multiple of rate and delay."""

    def parse(self, value: Any, place: Place) -> Any:
        """Return the rule, `segments` or `time`, and the factor."""
        found = super().parse(value, place)
        if found["rule"] not in ("segments", "time"):
            raise InputError("not a buffer of a home", value=value, allowed='"4 MB", "680 segments", "100 ms"')
        return found


_BUFFER = _OwnBuffer()
_RATE = Rate("50 Mbit/s")
_OF_PROFILE = "the profile"

KEYS = {
    "profile": Key(
        "tiers.access[].profile", Choice(*PROFILES, name="profile"), "",
        "Access profile, for the keys that the entry does not have.", "none",
    ),
    "name": Key(
        "tiers.access[].name", Text("name", "not a name", 'a name in quotes, such as "cable"'), "",
        "Name of these homes, for names of routers: `Paris.NAME.1` is the first home below Paris.", "the profile",
    ),
    "at": Key(
        "tiers.access[].at", NAMES, ["all"], "Backbone routers that have these homes, by name, or `all`.", "chosen: all"
    ),
    "share": Key(
        "users.traffic[].share", NUMBER, "1",
        "Share of `tiers.homes_per_pop`, relative to the sum of the entries at a router. Largest remainders decide.",
        "chosen: equal shares",
    ),
    "homes": Key("tiers.homes_per_pop", COUNT, "", "Number of homes below each router, in place of `share`.", "none"),
    "down": Key("links[].capacity", _RATE, "", "Capacity towards the home.", _OF_PROFILE),
    "up": Key("links[].capacity", _RATE, "", "Capacity from the home.", _OF_PROFILE),
    "down_trace": Key(
        "impairments.capacity", CAPACITY, "", "Rates towards the home by time, in place of `down`.", _OF_PROFILE
    ),
    "up_trace": Key("impairments.capacity", CAPACITY, "", "Rates from the home, in place of `up`.", _OF_PROFILE),
    "down_buffer": Key(
        "tiers.access[].buffer", _BUFFER, "",
        "Buffer towards the home: bytes, segments or time of service; without one `network.buffer`.", _OF_PROFILE,
    ),
    "up_buffer": Key("tiers.access[].buffer", _BUFFER, "", "Buffer from the home.", _OF_PROFILE),
    "delay": Key("links[].delay", TIME, "0 s", "Propagation delay of the access, each way.", _OF_PROFILE),
    "policer": Key(
        "impairments.policer_rate", RATE, "", "Rate of a policer towards the home, as `impairments.policer_rate`.",
        _OF_PROFILE,
    ),
    "policer_burst": Key("impairments.policer_burst", SEGMENTS, "", "Size of its token bucket.", _OF_PROFILE),
    "loss": Key("impairments.loss", PROBABILITY, "", "As `impairments.loss`, in both directions.", _OF_PROFILE),
    "jitter": Key(
        "impairments.jitter", Choice("none", "uniform", "exponential", "wifi", name="jitter"), "",
        "As `impairments.jitter`, in both directions.", _OF_PROFILE,
    ),
    "jitter_mean": Key(
        "impairments.jitter_mean", TIME, "", "As `impairments.jitter_mean`, in both directions.", _OF_PROFILE
    ),
}  # fmt: skip
"""Keys of an entry, in the order of the reference page."""
_INSTEAD = {
    "share": ("homes",), "homes": ("share",), "down": ("down_trace",), "down_trace": ("down",), "up": ("up_trace",),
    "up_trace": ("up",),
}  # fmt: skip


_NEEDS = {"policer_burst": "policer", "jitter_mean": "jitter", "jitter": "jitter_mean"}
"""Keys that have no effect without another one."""
_OF_ENTRIES = ("profile", "name", "at", "share", "homes")
"""Keys that no profile has."""


class Access(Tables):
    """Kind of a word, or of lists of homes: rates in segments/s, times in s; a buffer has rule and factor.

    `own` of an entry has the keys that are not of its profile.
    """

    name = "access"
    path = "tiers.access"
    choices = (STUDY, NONE, *PROFILES)
    keys = KEYS
    key_of = "access"
    entry = "access"
    instead = _INSTEAD
    of_files = ("down_trace", "up_trace")

    def parse(self, value: Any, place: Place) -> Any:
        """Return the word, or a mapping for each kind of homes, with None for keys that are absent."""
        if isinstance(value, str):
            if value in (STUDY, NONE):
                return value
            value = self.with_file(value, None)
        if not isinstance(value, list | tuple) or not value or not all(isinstance(each, Mapping) for each in value):
            raise InputError("not an access", value=value, allowed=_ALLOWED)
        entries = [self._homes(number, each, place.segment_bytes) for number, each in enumerate(value)]
        names = [entry["name"] for entry in entries]
        for number, name in enumerate(names):
            if name in names[:number]:
                raise InputError("two entries have this name", None, f"[{number}].name", name, "a name for each entry")
        return entries

    def allowed(self, path: str) -> str:
        """Return the words, and the form of a list."""
        return _ALLOWED

    def show(self, value: Any) -> str:
        """Return the word, or a clause for each kind of homes."""
        return value if isinstance(value, str) else ", ".join(_text(entry, alone=len(value) == 1) for entry in value)

    def with_file(self, value: Any, directory: Path | None) -> Any:
        """Return a word; a profile as a list; or the entries of a user with the files that they name read."""
        if not isinstance(value, str) or value in (STUDY, NONE):
            return super().with_file(value, directory)
        if value not in PROFILES:
            raise InputError(unknown("access", value, self.choices).problem, value=value, allowed=_ALLOWED)
        return [{"profile": value}]

    def value_of(self, entry: Mapping[str, Any], key: str, segment_bytes: float) -> Any:
        """Return the parsed value of a key: of the entry, of its profile, or of its default; None without any."""
        return super().value_of(self._with_profile(entry), key, segment_bytes)

    def _homes(self, number: int, given: Mapping[str, Any], segment_bytes: float) -> dict[str, Any]:
        try:
            self.refuse_unknown(given)
            known = {key: value for key, value in given.items() if value is not None}
            for key in known:
                if other := next((each for each in _INSTEAD.get(key, ()) if each in known), None):
                    raise InputError(f"{other} is given, too", None, key, given[key], "one of the two")
            found = {key: self.value_of(known, key, segment_bytes) for key in KEYS}
            for way in ("down", "up"):
                if found[way] is None and found[f"{way}_trace"] is None:
                    raise InputError(f"homes need {way}", path=way, allowed=f'{way} = "50 Mbit/s", or a profile')
            if "homes" in known:
                found["share"] = None
            if found["at"] == []:
                raise InputError("homes at no router", None, "at", given["at"], f'"{ALL}", or names of routers')
            if found["name"] is None and (name := found["profile"]) is None:
                raise InputError("homes need a name, or a profile", path="name", allowed=KEYS["name"].allowed)
            for key, other in _NEEDS.items():
                if known.get(key) not in (None, "none") and found[other] in (None, "none", 0):
                    raise InputError(f"it has no effect without {other}", None, key, given[key], f"{key} with {other}")
            own = [key for key in KEYS if key in known and key not in _OF_ENTRIES]
            return found | {"name": found["name"] or name, "own": own}
        except InputError as error:
            raise error.below(f"[{number}]") from None

    def _with_profile(self, entry: Mapping[str, Any]) -> dict[str, Any]:
        """Return an entry with the keys of its profile that no key of the entry takes the place of."""
        profile = PROFILES.get(str(entry.get("profile")), {})
        replaced = {other for key in entry for other in _INSTEAD.get(key, ())}
        return {key: value for key, (value, _) in profile.items() if key not in replaced} | dict(entry)


def _text(entry: Mapping[str, Any], *, alone: bool) -> str:
    """Return the name, the places, the values that are not of the profile, and the share of an entry."""
    parts = [f"{key} {KEYS[key].show(entry[key])}" for key in entry["own"]]
    if entry["share"] is None:
        parts.append(counted(entry["homes"], "home"))
    elif not alone:
        parts.append(f"share {NUMBER.show(entry['share'])}")
    places = "" if entry["at"] == [ALL] else f" at {NAMES.show(entry['at'])}"
    return f"{entry['name']}{places}" + (f" ({', '.join(parts)})" if parts else "")


ACCESS = Access()
