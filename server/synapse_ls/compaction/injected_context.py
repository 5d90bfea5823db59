"""Sections that are in every request, and triggers that inject system texts again.

After `ContextSection`, `PersistentContext`, `InjectionTrigger` and `SystemInjector` of
neuron-context.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from synapse_ls.compaction.message import check_at_least
from synapse_ls.compaction.token_counter import TokenCounter


@dataclass(frozen=True, slots=True)
class ContextSection:
    """A section of a persistent context, a text under a heading. priority: lower stands earlier,
    and is given up later.
    """

    label: str
    content: str
    priority: int = 0

    def render(self, *, escape: bool = False) -> str:
        """Render ``## label`` and the content. escape: nothing in either begins a section of its
        own.
        """
        if not escape:
            return f"## {self.label}\n{self.content}"
        label = " ".join(self.label.split())
        lines = (
            f"\\{line}" if line.startswith("## ") else line for line in self.content.splitlines()
        )
        return f"## {label}\n" + "\n".join(lines)


class PersistentContext:
    """Sections by priority, rendered as one text."""

    def __init__(self, sections: Sequence[ContextSection] = ()) -> None:
        self._sections = list(sections)

    def __repr__(self) -> str:
        return f"PersistentContext({self._sections!r})"

    @property
    def sections(self) -> tuple[ContextSection, ...]:
        """The sections in the order in which they are rendered; equal priorities as they were
        added.
        """
        return tuple(sorted(self._sections, key=lambda section: section.priority))

    def add_section(self, section: ContextSection) -> None:
        """Add a section; others with its label stay."""
        self._sections.append(section)

    def replace_section(self, section: ContextSection) -> int:
        """Put ``section`` in the place of all that have its label; return how many that were.

        It takes the place of the first of them among equal priorities, or is added where none was.
        """
        places = [i for i, old in enumerate(self._sections) if old.label == section.label]
        if not places:
            self._sections.append(section)
            return 0
        self._sections[places[0]] = section
        for place in reversed(places[1:]):
            del self._sections[place]
        return len(places)

    def remove_section(self, label: str) -> int:
        """Remove the sections with this label; return how many there were."""
        before = len(self._sections)
        self._sections = [section for section in self._sections if section.label != label]
        return before - len(self._sections)

    def render(
        self,
        max_tokens: int | None = None,
        *,
        counter: TokenCounter | None = None,
        escape: bool = False,
    ) -> str:
        """Render the sections with an empty line between two; "" for none.

        max_tokens: whole sections are left out from the end until the text takes no more than that,
        so a smaller budget always keeps a beginning of what a larger one keeps. escape: lines of
        contents that look like headings of sections are written as text.
        """
        texts = [section.render(escape=escape) for section in self.sections]
        if max_tokens is not None:
            check_at_least(0, max_tokens, "a budget in tokens")
            counter = counter or TokenCounter()
            while texts and counter.estimate_text("\n\n".join(texts)) > max_tokens:
                texts.pop()
        return "\n\n".join(texts)


@dataclass(frozen=True, slots=True)
class EveryNTurns:
    """A trigger at turns ``n``, ``2n``, …; never at turn 0, and never where
    ``n`` is 0 or less.
    """

    n: int

    def fires(self, turn: int, token_count: int) -> bool:  # noqa: ARG002 - triggers are asked alike
        """Return whether it is time at ``turn``, counted from 1."""
        return self.n > 0 and turn > 0 and turn % self.n == 0


@dataclass(frozen=True, slots=True)
class OnTokenThreshold:
    """A trigger while the history takes ``tokens`` or more; 0 is
    always reached.
    """

    tokens: int

    def fires(self, turn: int, token_count: int) -> bool:  # noqa: ARG002 - triggers are asked alike
        """Return whether ``token_count`` has reached the threshold."""
        return token_count >= self.tokens


# What may bring a text.
InjectionTrigger: TypeAlias = EveryNTurns | OnTokenThreshold


@dataclass(slots=True)
class _Rule:
    trigger: InjectionTrigger
    content: str
    edge: bool
    cooldown: int
    last_turn: int | None = None  # the turn at which it fired last
    was_active: bool = False  # whether its trigger held when it was asked last

    def fires_at(self, turn: int, token_count: int) -> bool:
        was_active, self.was_active = self.was_active, self.trigger.fires(turn, token_count)
        fires = self.was_active and not (self.edge and was_active)
        if self.last_turn is not None and 0 <= turn - self.last_turn < self.cooldown:
            fires = False
        if fires:
            self.last_turn = turn
        return fires


class SystemInjector:
    """Rules that inject texts which are due at certain turns or lengths of a history.

    As it stands, a rule fires whenever its trigger holds. ``edge`` has it fire only when its
    trigger begins to hold; ``cooldown`` keeps it silent for so many turns after it fired, its own
    included.
    """

    def __init__(self) -> None:
        self._rules: list[_Rule] = []

    def add_rule(
        self, trigger: InjectionTrigger, content: str, *, edge: bool = False, cooldown: int = 0
    ) -> None:
        """Add a rule: ``content`` is said when ``trigger`` fires. ValueError for a cooldown below
        0.
        """
        check_at_least(0, cooldown, "a cooldown in turns")
        self._rules.append(_Rule(trigger, content, edge, cooldown))

    def check(self, turn: int, token_count: int) -> list[str]:
        """Return what is due at ``turn`` (from 1) of a history of ``token_count`` tokens, in order
        of adding.
        """
        return [rule.content for rule in self._rules if rule.fires_at(turn, token_count)]
