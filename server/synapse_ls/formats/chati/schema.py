"""Published field tables as data, and what of a YAML document breaks one.

A table says what each field may hold; whatever a table does not name is left alone, since the tools
that write these files add fields of their own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from synapse_ls.formats.problem import Problem
from synapse_ls.formats.yaml_tree import Node
from synapse_ls.text.near import nearest


@dataclass(frozen=True, slots=True)
class Field:
    """One field.

    ``holds`` is a key of `HOLDS`, or several joined by "|". ``words`` are all a text may be,
    ``pattern`` what it has to match, ``like`` an example of that. ``low`` and ``high`` bound a
    number. ``fields`` are those of a mapping, or of each mapping of a list; ``every`` are those of
    each value of a mapping whose keys are names. ``least`` counts items.
    """

    name: str
    holds: str = "text"
    required: bool = False
    words: tuple[str, ...] = ()
    pattern: str = ""
    like: str = ""
    low: float | None = None
    high: float | None = None
    least: int = 0
    fields: tuple[Field, ...] = ()
    every: tuple[Field, ...] = ()


_DATE = r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])"
_CLOCK = r"(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?"
_TIME = re.compile(f"{_DATE}(?:[Tt ]{_CLOCK})?")


def _is_time(node: Node) -> bool:
    return node.kind == "scalar" and _TIME.fullmatch(node.value) is not None


def _is_number(node: Node) -> bool:
    value = node.resolve()
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_count(node: Node) -> bool:
    value = node.resolve()
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


HOLDS: dict[str, tuple[str, Callable[[Node], bool]]] = {
    "text": ("text", lambda node: node.kind == "scalar"),
    "number": ("a number", _is_number),
    "count": ("a count from zero", _is_count),
    "flag": ("true or false", lambda node: isinstance(node.resolve(), bool)),
    "time": ("a time such as 2026-02-10T10:15:00Z", _is_time),
    "list": ("a list", lambda node: node.kind == "sequence"),
    "mapping": ("a mapping", lambda node: node.kind == "mapping"),
}
"""What a field may hold: how it is called, and how it is told."""


class Checker:
    """Finds what breaks a table; ``kind`` and ``effect`` go into each problem."""

    def __init__(self, kind: str, effect: str) -> None:
        self.kind = kind
        self._effect = effect

    def check(self, root: Node, fields: tuple[Field, ...], path: str = "") -> Iterator[Problem]:
        """The problems of a mapping, in the order of the table."""
        for field in fields:
            name = f"{path}{field.name}"
            value = root.given(field.name)
            if value is None:
                if field.required:
                    yield self.missing(root, field.name, name)
            else:
                yield from self._value(field, value, name)

    def missing(self, root: Node, key: str, name: str) -> Problem:
        """The problem of a field that has to be there."""
        found = root.followed.key_node(key)
        pairs = root.followed.pairs
        place = found or (pairs[0][0] if pairs else root)
        return self.problem(place, name, "is missing", f"Add `{name}`.")

    def problem(self, node: Node, name: str, what: str, remedy: str = "") -> Problem:
        """A problem at ``node``: ``what`` is wrong with the field ``name``."""
        return Problem(
            self.kind,
            node.span,
            f"`{name}` {what}, so {self._effect}.",
            remedy,
            (("field", name),),
        )

    def _value(self, field: Field, value: Node, name: str) -> Iterator[Problem]:
        kinds = [HOLDS[holds] for holds in field.holds.split("|")]
        if not any(test(value) for _, test in kinds):
            yield self.problem(value, name, f"is not {_either([what for what, _ in kinds])}")
            return
        if value.kind == "scalar":
            yield from self._scalar(field, value, name)
        elif value.kind == "sequence":
            yield from self._items(field, value, name)
        else:
            yield from self.check(value, field.fields, f"{name}.")
            for key, inner in value.pairs if field.every else ():
                if inner.followed.kind == "mapping":
                    yield from self.check(inner.followed, field.every, f"{name}.{key.value}.")
                else:
                    yield self.problem(inner, f"{name}.{key.value}", "is not a mapping")

    def _scalar(self, field: Field, value: Node, name: str) -> Iterator[Problem]:
        text = value.value
        if field.words and text not in field.words:
            meant = nearest(text, field.words)
            remedy = f"Write `{meant}`." if meant else ""
            yield self.problem(value, name, f"is not {_either(list(field.words))}", remedy)
        elif field.pattern and not re.fullmatch(field.pattern, text):
            yield self.problem(value, name, f"is not of the form {field.like}")
        elif field.low is not None and field.high is not None:
            number = value.resolve()
            if isinstance(number, int | float) and not field.low <= number <= field.high:
                yield self.problem(value, name, f"is not between {field.low:g} and {field.high:g}")

    def _items(self, field: Field, value: Node, name: str) -> Iterator[Problem]:
        if len(value.items) < field.least:
            yield self.problem(value, name, "is empty", f"Give `{name}` an item.")
        for number, item in enumerate(value.items):
            inner = item.followed
            called = f"{name}[{number}]"
            if field.fields and inner.kind != "mapping":
                yield self.problem(item, called, "is not a mapping")
            elif field.fields:
                yield from self.check(inner, field.fields, f"{called}.")
            elif inner.kind != "scalar":
                yield self.problem(item, called, "is not text")
            elif field.words and inner.value not in field.words:
                yield self.problem(item, called, f"is not {_either(list(field.words))}")


def _either(options: list[str]) -> str:
    return options[0] if len(options) == 1 else f"{', '.join(options[:-1])} or {options[-1]}"
