"""List of the phrases that STYLE.md excludes; `test_language` checks documents, docstrings and comments with it.

A phrase comes here only if every use of it is wrong. Patterns ignore upper and lower case, and match whole words.
"""

#: By pattern, the words to write instead. These hold for documents, docstrings and comments.
from __future__ import annotations

BANNED = {
    r"told|telling|(?<!cannot )tell|tells": "prints, returns, warns; separates, distinguishes (effects, algorithms)",
    r"hope[sd]?|forgiv(?:e|es|en|ing)": "retries, ignores, accepts",
    r"bears?|bore|borne": "has, carries, contains, accepts",
    r"one by one": "explicit flows; each, in turn",
    r"(?:is|are|was|were|still|segments?|acknowledgements?) on (?:its|the|their) way": "in flight; in transit",
    r"nobody": "no flow, no user, no reader",
    r"beside (?:it|them)": "the noun again: next to the router",
    r"whoever": "the process that, a reader who",
    r"time-outs?": "timeout",
    r"data bases?": "database",
    r"hangs? on": "depends on; is connected to",
    r"(?:say|says|said) so|(?:say|says) (?:itself|themselves)": "prints, reports, states",
}

#: These hold for documents only, whose readers do not know the noun from the code.
BANNED_IN_DOCUMENTS = BANNED | {
    r"says?|said": "prints, states, sets, lists, shows",
    r"(?:that|those) of": "the noun again: the delay of",
    r"stands? in(?! for)": "is in; see",
    r"(?:goes|go|going) on": "continues; in progress",
    r"what is (?:done|missing|left|there|new|due)": "the noun: finished runs, missing runs",
    r"the very": "exactly",
    r"as (?:[\w-]+ ){1,4}(?:has|have) (?:it|them)": "as in the paper; by the rule of a key",
    r"comes? on top(?: of)?": "is added to; is not part of",
    r"copes?(?: with)?": "performs well; is not harmed by",
    r"knows? nothing of": "does not depend on",
    r"makes? up for": "compensates for",
    r"so it is (?:for|with)": "this also holds for",
    r"whatever became of": "does not wait for",
}
