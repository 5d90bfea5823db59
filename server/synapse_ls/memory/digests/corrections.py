"""This module finds corrections: what a person corrected in a conversation, and whether that holds
for more than this one time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from synapse_ls.integrations.transcript_turn import Turn
from synapse_ls.memory.digests import remark_patterns
from synapse_ls.memory.digests.sentences import fold_sentence, shorten_text, split_sentences


@dataclass(frozen=True, slots=True)
class Correction:
    """A Correction is what a person corrected. text: their words; turn: its number, from 1; agent:
    whom they told.

    lasting: whether it speaks of more than this one time; momentary: whether it speaks of nothing
    else.
    """

    text: str
    turn: int
    agent: str = ""
    lasting: bool = False
    momentary: bool = False


def list_corrections(turns: list[Turn], agents: list[str]) -> Iterator[Correction]:
    """Yields the corrections in the prompts of turns, each once; ``agents`` are those of the turns."""
    seen: set[str] = set()
    for number, turn in enumerate(turns, 1):
        for text in find_corrections(turn.prompt):
            if (key := fold_sentence(text)) not in seen:
                seen.add(key)
                yield Correction(
                    text,
                    number,
                    agents[number - 1],
                    is_lasting(text),
                    is_momentary(text),
                )


def find_corrections(prompt: str) -> list[str]:
    """Finds the corrections in a prompt, each in the words of the person: the sentence, and the one
    that goes on.
    """
    found: list[str] = []
    told = list(split_sentences(prompt))
    at = 0
    while at < len(told):
        sentence = fold_sentence(told[at])
        if remark_patterns.CORRECTION.search(
            sentence
        ) and not remark_patterns.NOT_A_CORRECTION.search(sentence):
            said = told[at]
            following = told[at + 1] if at + 1 < len(told) else ""
            if _continues_correction(sentence, fold_sentence(following)):
                said, at = f"{said} {following}", at + 1
            if len(said.split()) > 2:
                found.append(shorten_text(said))
        at += 1
    return found


def _continues_correction(sentence: str, following: str) -> bool:
    """Tells whether a correction says only in its next sentence what is right."""
    if not following or following.endswith("?"):
        return False
    rest = remark_patterns.CONTRADICTION.sub("", sentence)
    return len(rest.split()) < 2 or bool(
        remark_patterns.LASTING.search(following) and remark_patterns.CORRECTION.search(following)
    )


def is_lasting(text: str) -> bool:
    """Tells whether a correction speaks of more than this one time."""
    return bool(remark_patterns.LASTING.search(fold_sentence(text))) and not is_momentary(text)


def is_momentary(text: str) -> bool:
    """Tells whether a correction is about this one time only."""
    return bool(remark_patterns.MOMENTARY.search(fold_sentence(text)))
