"""What an agent says first: eight sections, of which each occasion has its own (ADR-001 C6, E7).

Pure: the same facts give the same text. Whatever comes from files, git or people stands on one line.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from synapse_ls.activation import sections
from synapse_ls.activation.facts import CLONE, HUMANO, WORKER, Facts
from synapse_ls.activation.sources.preferences import AUTO, GUIDED
from synapse_ls.engine.escape import neutralise

GUIDE = "pm"
"""The one agent that people with the profile "bob" talk to."""

Section = Callable[[Facts], str]


@dataclass(frozen=True, slots=True)
class Part:
    """A section of a greeting. ``why``: the reason where it is empty."""

    name: str
    text: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class Greeting:
    """A greeting: its parts in order, and ``kind``, which says why it has these."""

    parts: tuple[Part, ...]
    kind: str

    @property
    def text(self) -> str:
        """It as an agent says it, "" for an executor that does not speak."""
        return "\n\n".join(part.text for part in self.parts if part.text)


EIGHT: tuple[tuple[str, Section], ...] = (
    ("presentation", sections.presentation),
    ("role", sections.role),
    ("project", sections.project),
    ("context", sections.context),
    ("workflow", sections.workflow),
    ("hints", sections.hints),
    ("commands", sections.commands),
    ("footer", sections.footer),
)
_TASK: tuple[tuple[str, Section], ...] = (
    ("presentation", sections.presentation),
    ("task", sections.task),
)
_STYLE: tuple[tuple[str, Section], ...] = (
    ("presentation", sections.presentation),
    ("role", sections.manner),
    ("footer", sections.signature),
)
_GUIDED: tuple[tuple[str, Section], ...] = (
    ("presentation", sections.presentation),
    ("footer", sections.redirect),
)


def greet(facts: Facts) -> Greeting:
    """The greeting that fits executor, profile, preference and occasion, in this order."""
    preference = facts.preferences
    if facts.executor == WORKER:
        return Greeting((), "a Worker is not greeted")
    if facts.executor == HUMANO:
        return _made(facts, _TASK, "a Humano is told of the task")
    if facts.executor == CLONE:
        return _made(facts, _STYLE, "a Clone speaks in its own manner")
    if preference.profile == GUIDED and facts.agent.id != GUIDE:
        return _made(facts, _GUIDED, "the user profile is bob, who talks to @pm")
    if preference.greeting != AUTO and facts.agent.id != GUIDE:
        level = preference.greeting
        text = clean(sections.words(facts, level))
        return Greeting((Part("presentation", text),), f"the preference is {level}")
    return _made(facts, EIGHT, f"{facts.occasion} session")


def _made(facts: Facts, chosen: tuple[tuple[str, Section], ...], kind: str) -> Greeting:
    parts = []
    for name, section in chosen:
        text = clean(section(facts))
        parts.append(Part(name, text, "" if text else sections.absence(name, facts)))
    return Greeting(tuple(parts), kind)


def clean(text: str) -> str:
    """``text`` without anything that could pass for the markup of a block, line by line."""
    return "\n".join(map(_clean_line, text.split("\n")))


def _clean_line(line: str) -> str:
    bare = line.lstrip(" ")
    return line[: len(line) - len(bare)] + neutralise(bare)
