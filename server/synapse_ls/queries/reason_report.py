"""This module reports reasons and remedies: in English, and as codes for other languages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from synapse_ls.engine.reason_phrases import Explanation, Phrase


@dataclass(frozen=True, kw_only=True)
class PhraseReport:
    """A reason or a remedy as a code with values, for clients that write it in another language."""

    code: str
    values: list[str]


@dataclass(frozen=True, kw_only=True)
class ReasonReport:
    """The reason why something is so, and what would change it. `attempt` has parameters of a
    question that try the remedy out.
    """

    reason: str
    because: list[PhraseReport]
    remedy: str
    change: PhraseReport | None
    attempt: dict[str, str] | None


def reason_report(explanation: Explanation) -> ReasonReport:
    """Returns the report of a reason why something is so: in English, and as codes for whoever
    speaks another language.
    """
    remedy = explanation.remedy_phrase
    return ReasonReport(
        reason=explanation.reason,
        because=[phrase_report(phrase) for phrase in explanation.reasons],
        remedy=explanation.remedy,
        change=phrase_report(remedy) if remedy else None,
        attempt=explanation.attempt,
    )


def phrase_report(phrase: Phrase) -> PhraseReport:
    """Returns the phrase of a reason as its code and its values."""
    return PhraseReport(code=phrase.code, values=list(phrase.values))
