"""Words of an experiment with a model: what stands where texts of reports write ``algorithm`` and ``incumbent``."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import polars as pl
from markupsafe import Markup

from mesonet.errors import InputError, unknown
from mesonet.experiments.base import ALGORITHM, NO_ALGORITHM
from mesonet.experiments.model import direction
from mesonet.words import plural_of

if TYPE_CHECKING:
    from mesonet.campaign import Campaign

#: Text between tags, and attributes that readers see.
_SHOWN = re.compile(r'(?<=>)[^<>]+(?=<)|(?<=aria-label=")[^"]*(?=")')
#: Entries of the definition of a chart that are text.
_TEXTS = ("title", "text", "subtitle", "description", "value")
_WORDS = r"\b(?:(an?) )?(algorithm|incumbent)(s)?\b"


@dataclass(frozen=True)
class Vocabulary:
    """Name of an alternative. Texts of the user are kept as they are."""

    noun: str = ALGORITHM
    own: tuple[str, ...] = ()  #: texts of the user that hold a word of the vocabulary

    @property
    def plural(self) -> str:
        """The noun in the plural."""
        return plural_of(self.noun)

    @property
    def is_own(self) -> bool:
        """True if the words of texts change."""
        return self.noun != ALGORITHM

    def text(self, text: str) -> str:
        """Return a text in the words of the experiment.

        Examples
        --------
        >>> Vocabulary("policy").text("No algorithm stands out; choose an algorithm. Algorithms differ.")
        'No policy stands out; choose a policy. Policies differ.'
        """
        if not self.is_own or not re.search(_WORDS, text, re.IGNORECASE):
            return text
        own = f"({'|'.join(map(re.escape, self.own)) or '(?!)'})"  # the first match counts: texts of the user stay
        return re.sub(f"{own}|{_WORDS}", self._replaced, text, flags=re.IGNORECASE)

    def _replaced(self, match: re.Match[str]) -> str:
        own, article, word, many = match.groups()
        if own:
            return match[0]
        noun = "reference" if word.lower() == "incumbent" else self.noun
        noun = (f"{noun}s" if word.lower() == "incumbent" else self.plural) if many else noun
        if not article:
            return noun.capitalize() if word[0].isupper() else noun
        new = "an" if noun[0] in "aeiou" else "a"
        return f"{new.capitalize() if article[0].isupper() else new} {noun}"

    def html(self, page: str) -> Markup:
        """Return HTML in the words of the experiment."""
        if not self.is_own:
            return Markup(page)
        return Markup(_SHOWN.sub(lambda match: html.escape(self.text(html.unescape(match[0]))), page))

    def table(self, rows: pl.DataFrame, keys: Sequence[str] = ()) -> pl.DataFrame:
        """Return a table with its text in the words of the experiment. `keys`: columns that stay as they are."""
        if not self.is_own:
            return rows
        spoken = []
        for name in (name for name, kind in rows.schema.items() if kind == pl.String and name not in keys):
            known = rows[name].drop_nulls().unique().to_list()
            new = {text: own for text in known if (own := self.text(text)) != text}
            spoken += [pl.col(name).replace(new)] if new else []
        return rows.with_columns(spoken)

    def named(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Return a table for users: its text, and its column of alternatives, in the words of the experiment."""
        if not self.is_own or ALGORITHM not in rows.columns:
            return self.table(rows)
        column = self.noun.replace(" ", "_")
        return self.table(rows).rename({} if column in rows.columns else {ALGORITHM: column})

    def data(self, part: Any, key: str = "") -> Any:
        """Return the definition of a chart, and its tables, with their texts in the words of the experiment."""
        if not self.is_own:
            return part
        if key == "datasets":
            rows = {name: pl.DataFrame(table, infer_schema_length=None) for name, table in part.items()}
            return {name: self.table(table).to_dicts() for name, table in rows.items()}
        if isinstance(part, str):
            return self.text(part) if key in _TEXTS else part
        if isinstance(part, Mapping):
            titled = {**part, "title": self.noun} if part.get("field") == ALGORITHM and "title" not in part else part
            return {name: value if name == "data" else self.data(value, name)
                    for name, value in titled.items()}  # fmt: skip
        return [self.data(each, key) for each in part] if isinstance(part, list) else part


def vocabulary(campaign: Campaign) -> Vocabulary:
    """Return the words of an experiment. The words of networks are the words of the texts."""
    if campaign.experiment.get("model") is None:
        return Vocabulary()
    words = campaign.experiment.get("words", {})
    noun = words.get("alternative", ALGORITHM).replace("_", " ")
    if campaign.algorithms == NO_ALGORITHM:
        noun = "model"
    texts = (
        campaign.name, campaign.title, campaign.experiment.get("description", ""), *campaign.algorithms,
        *campaign.responses["response"].unique(), *words.get("titles", {}).values(),
        *(text for factor in campaign.factors for text in (factor.id, factor.name, factor.path, *factor.levels)),
    )  # fmt: skip
    return Vocabulary(noun, tuple(sorted(_with_a_word(texts), key=len, reverse=True)))


def _with_a_word(texts: Iterable[str]) -> set[str]:
    return {text for text in texts if re.search(_WORDS, text, re.IGNORECASE)}


def with_better(campaign: Campaign, better: Mapping[str, str | float]) -> Campaign:
    """Return a campaign of a model whose responses have these directions, beside the directions of its experiment.

    `better`: ``lower``, ``higher`` or the best value, by response.
    """
    if not better:
        return campaign
    if campaign.experiment.get("model") is None:
        problem = "the responses of networks have their directions"
        raise InputError(problem, path="better", value=", ".join(better), allowed="a campaign of a model")
    known = campaign.responses["response"].unique(maintain_order=True).to_list()
    for name in better:
        if name not in known:
            raise unknown("response", name, known, path="better")
    words = campaign.experiment.get("words", {})
    given = {name: direction(value, f"better.{name}") for name, value in better.items()}
    new = {**words, "better": {**words.get("better", {}), **given}}
    return replace(campaign, experiment={**campaign.experiment, "words": new})
