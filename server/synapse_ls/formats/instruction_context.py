"""Give a short rule of a file of instructions the heading that it stands under, without which
nobody would know what it is about.
"""

from __future__ import annotations

import re
from dataclasses import replace

from synapse_ls.formats.instruction_headings import turns_round
from synapse_ls.formats.instruction_paragraphs import join_label, plain_text
from synapse_ls.formats.instruction_rules import RuleHeading

# Words from which on a rule says by itself what it is about; one with fewer gets its heading.
FEWEST_WORDS = 5

_WORD = re.compile(r"[^\W_]+")
# "Article IV: ", "3. ", "Section 2 - ": where a heading stands, not what it is about.
_NUMBERING = re.compile(r"^(?:[A-Za-z]+ )?(?:[IVXLC]+|\d+(?:\.\d+)*)[.:)]?(?:\s+[-–—])?\s+")
# A heading of these words alone tells nothing about the rules below it.
_EMPTY_WORDS = """
additional and best other general guideline guidelines important info information instructions key misc
miscellaneous more note notes of our overview practices preamble principles project remember rule rules
section the tips your
"""
_EMPTY_SET = frozenset(_EMPTY_WORDS.split())


def strip_numbering(title: str) -> str:
    """Return the heading that gives a rule its context without where it stands: "Article IV:
    Payments" is "Payments".
    """
    return _NUMBERING.sub("", title)


def add_context(heading: RuleHeading) -> RuleHeading:
    """Add its context to rules of instructions: return a heading whose rules say what it says where
    they are too short to be understood without.
    """
    title = strip_numbering(heading.title)
    about = {word.casefold() for word in _WORD.findall(title)}
    if about <= _EMPTY_SET:
        return heading
    told = []
    for rule in heading.rules:
        words = [word.casefold() for word in _WORD.findall(rule.text)]
        clear = len(words) >= FEWEST_WORDS or not about.isdisjoint(words)
        clear = clear or turns_round(title, plain_text(rule.text))
        told.append(
            rule if clear else rule._replace(text=join_label(title, rule.text), bare=rule.text)
        )
    return replace(heading, rules=tuple(told))
