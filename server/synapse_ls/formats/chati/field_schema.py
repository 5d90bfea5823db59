"""Check Chati.dev's YAML against tables of published fields, and parse its YAML front matter.

Unknown fields are allowed, since the tools that write these files add their own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from synapse_ls.formats.markdown_outline import Outline
from synapse_ls.formats.yaml_tree import YamlNode, parse_yaml
from synapse_ls.text import edit_distance, phrases
from synapse_ls.text.finding import Finding
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.span import Span


def parse_yaml_front_matter(outline: Outline) -> tuple[YamlNode | None, tuple[Finding, ...]]:
    """Return the mapping of the front matter of Chati.dev's Markdown files, whose fields a schema
    checks, and the problems of its YAML; None where there is none.
    """
    if outline.front is None:
        return None, ()
    root, problems = parse_yaml(outline.text, region=outline.front)
    return (root if root is not None and root.kind == "mapping" else None), problems


class SchemaField(NamedTuple):
    """One field of a published field table of Chati.dev.

    ``types`` is a key of `FIELD_TYPES`, or several joined by "|". ``words`` are all a text may be,
    ``pattern`` what it has to match, ``example`` an example of that. ``low`` and ``high`` bound a
    number. ``fields`` are those of a mapping, or of each mapping of a list; ``value_fields`` are
    those of each value of a mapping whose keys are names. ``min_items`` counts items.
    """

    name: str
    types: str = "text"
    required: bool = False
    words: tuple[str, ...] = ()
    pattern: str = ""
    example: str = ""
    low: float | None = None
    high: float | None = None
    min_items: int = 0
    fields: tuple[SchemaField, ...] = ()
    value_fields: tuple[SchemaField, ...] = ()


_DATE = r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])"
_CLOCK = r"(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?"
_TIME = lazy_pattern(f"{_DATE}(?:[Tt ]{_CLOCK})?")


def _is_number(node: YamlNode) -> bool:
    value = node.resolve()
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_count(node: YamlNode) -> bool:
    value = node.resolve()
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


# What a field may hold: how it is called, and how it is told.
FIELD_TYPES: dict[str, tuple[str, Callable[[YamlNode], bool]]] = {
    "text": ("text", lambda node: node.kind == "scalar"),
    "number": ("a number", _is_number),
    "count": ("a count from zero", _is_count),
    "flag": ("true or false", lambda node: isinstance(node.resolve(), bool)),
    "time": (
        "a time such as 2026-02-10T10:15:00Z",
        lambda node: node.kind == "scalar" and _TIME.fullmatch(node.value) is not None,
    ),
    "list": ("a list", lambda node: node.kind == "sequence"),
    "mapping": ("a mapping", lambda node: node.kind == "mapping"),
}


class SchemaChecker:
    """A SchemaChecker finds what breaks a field table of Chati.dev; ``kind`` and ``effect`` go into
    each problem.
    """

    def __init__(self, kind: str, effect: str) -> None:
        self.kind = kind
        self._effect = effect

    def check_fields(
        self, root: YamlNode, fields: tuple[SchemaField, ...], path: str = ""
    ) -> Iterator[Finding]:
        """Yield the problems of a mapping, in the order of the table."""
        for field in fields:
            name = f"{path}{field.name}"
            if (value := root.non_null(field.name)) is None:
                if field.required:
                    yield self.missing_field_problem(root, field.name, name)
            else:
                yield from self._check_value(field, value, name)

    def missing_field_problem(self, root: YamlNode, key: str, name: str) -> Finding:
        """Return the problem of a field that has to be there."""
        key_node = root.key_node(key)
        span = key_node.span if key_node else root.first_key_span
        return self._problem(span, name, "is missing", f"Add `{name}`.")

    def field_problem(self, node: YamlNode, name: str, reason: str, remedy: str = "") -> Finding:
        """Return a problem at ``node``: ``reason`` is what is wrong with the field ``name``."""
        return self._problem(node.span, name, reason, remedy)

    def _problem(self, span: Span, name: str, reason: str, remedy: str) -> Finding:
        return Finding(
            span,
            f"`{name}` {reason}, so {self._effect}.",
            remedy,
            kind=self.kind,
            data=(("field", name),),
        )

    def _check_value(self, field: SchemaField, value: YamlNode, name: str) -> Iterator[Finding]:
        kinds = [FIELD_TYPES[holds] for holds in field.types.split("|")]
        if not any(test(value) for _, test in kinds):
            yield self.field_problem(
                value, name, f"is not {phrases.join_names([what for what, _ in kinds], 'or')}"
            )
            return
        if value.kind == "scalar":
            text = value.value
            if field.words and text not in field.words:
                word = edit_distance.nearest_word(text, field.words)
                remedy = f"Write `{word}`." if word else ""
                yield self.field_problem(
                    value, name, f"is not {phrases.join_names(list(field.words), 'or')}", remedy
                )
            elif field.pattern and not re.fullmatch(field.pattern, text):
                yield self.field_problem(value, name, f"is not of the form {field.example}")
            elif field.low is not None and field.high is not None:
                number = value.resolve()
                if isinstance(number, int | float) and not field.low <= number <= field.high:
                    yield self.field_problem(
                        value, name, f"is not between {field.low:g} and {field.high:g}"
                    )
        elif value.kind == "sequence":
            if len(value.items) < field.min_items:
                yield self.field_problem(value, name, "is empty", f"Give `{name}` an item.")
            for item_number, item in enumerate(value.items):
                item_inner = item.target_node
                called = f"{name}[{item_number}]"
                if field.fields and item_inner.kind != "mapping":
                    yield self.field_problem(item, called, "is not a mapping")
                elif field.fields:
                    yield from self.check_fields(item_inner, field.fields, f"{called}.")
                elif item_inner.kind != "scalar":
                    yield self.field_problem(item, called, "is not text")
                elif field.words and item_inner.value not in field.words:
                    yield self.field_problem(
                        item, called, f"is not {phrases.join_names(list(field.words), 'or')}"
                    )
        else:
            yield from self.check_fields(value, field.fields, f"{name}.")
            for key, inner in value.pairs if field.value_fields else ():
                if inner.target_node.kind == "mapping":
                    yield from self.check_fields(
                        inner.target_node, field.value_fields, f"{name}.{key.value}."
                    )
                else:
                    yield self.field_problem(inner, f"{name}.{key.value}", "is not a mapping")
