"""One rule of a tree, as parsed from its file."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from synapse_ls.text.span import Span

NOWHERE: Span = (0, 0)  # type: ignore[assignment]  # a plan does without places in files


class Rule:
    """A rule as its file has it, or as a plan compiles it.

    key: "" in plain text. kind: "rule", "auth", "article", "bracket", "command", "deny", "allow",
    "check" or "plain", by the key alone, except for "check"; in a plan also "title", "replaced" and
    "other-mode". domain, qualifier: what the key says besides; the article, bracket or command.
    index: the number in the key, or None; in plain text the ordinal in the file. text: as it is
    written; in a plan what may stand in a block. phase: that of the workflow for which it is.
    group: the heading above a plain rule. line: from 0. hash: its identity in a block, "" in a
    file. forbids: in a plan, whether it has a word of a prohibition. span: whole lines, without the
    last line's break; key_span, text_span: within it.
    """

    __slots__ = (
        "domain", "forbids", "group", "hash", "index", "key", "key_span", "kind", "line", "phase",
        "qualifier", "span", "text", "text_span",
    )  # fmt: skip

    def __init__(
        self,
        key: str,
        kind: str,
        index: int | None,
        text: str,
        group: str = "",
        phase: str = "",
        qualifier: str = "",
        line: int = 0,
        hash: str = "",
        forbids: bool = False,
        *,
        domain: str = "",
        span: Span = NOWHERE,
        key_span: Span = NOWHERE,
        text_span: Span = NOWHERE,
    ) -> None:
        self.key = key
        self.kind = kind
        self.index = index
        self.text = text
        self.group = group
        self.phase = phase
        self.qualifier = qualifier
        self.line = line
        self.hash = hash
        self.forbids = forbids
        self.domain = domain
        self.span = span
        self.key_span = key_span
        self.text_span = text_span

    @property
    def values(self) -> tuple[Any, ...]:
        """The rule in a plan as plain values; ``Rule(*values)`` restores it."""
        return (
            self.key,
            self.kind,
            self.index,
            self.text,
            self.group,
            self.phase,
            self.qualifier,
            self.line,
            self.hash,
            self.forbids,
        )

    @property
    def number(self) -> str:
        """The number shown before the rule: its index counted from 1."""
        return "-" if self.index is None else f"{self.index + 1}."

    @property
    def number_as_written(self) -> str:
        """The number of a rule of the constitution: its index, by which others refer to it."""
        return "-" if self.index is None else f"{self.index}."

    def replace(self, **fields: Any) -> Rule:
        """Return the same rule with other values for these fields."""
        return Rule(**{**{name: getattr(self, name) for name in self.__slots__}, **fields})

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Rule):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.__slots__)

    def __hash__(self) -> int:
        return hash((self.key, self.text, self.line, self.span))

    def __repr__(self) -> str:
        return f"Rule({self.key!r}, {self.kind!r}, {self.index!r}, {self.text!r}, line={self.line})"
