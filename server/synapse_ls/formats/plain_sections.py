"""Parse the named sections of a system prompt that the profile ``plain`` renders: ``[[section]]``
of the configuration, or a list in JSON.

The profile renders them by priority (neuron-context, ``ContextSection``,
``PersistentContext``); a section may wait for a trigger (``InjectionTrigger``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from synapse_ls.formats.config_option import Option
from synapse_ls.text.fast_json import JsonError, loads

FIELDS: tuple[Option, ...] = (
    Option("label", "text", "", "The heading of the section."),
    Option("content", "text", "", "Its text."),
    Option("file", "path", "", "The file that has its text, below the root."),
    Option("priority", "int", 0, "Lower stands earlier; of equal ones the first that is written."),
    Option("every_n_turns", "int", 0, "Told at every n-th prompt only.", minimum=1),
    Option("on_tokens", "int", None, "Told from so many used tokens on only.", minimum=0),
)

OPTIONS: tuple[Option, ...] = (
    Option(
        "section",
        "records",
        (),
        "Sections of the profile `plain`, each a table of its own: `[[section]]`.",
        fields=FIELDS,
        exactly_one=(("label",), ("content", "file")),
    ),
    Option(
        "plain.budget",
        "int",
        0,
        "Tokens of a text of the profile `plain`, 0 for no limit; the last sections go first.",
        minimum=0,
    ),
)


@dataclass(frozen=True, slots=True)
class PlainSettings:
    """How long a text of the ``plain`` profile is: ``budget`` in tokens, 0 for no limit."""

    budget: int = 0


@dataclass(frozen=True, slots=True)
class SectionSpec:
    """A named section of the ``plain`` profile as it is written. ``file`` is "" where ``content``
    is the text.

    ``every_n_turns`` is 0 and ``on_tokens`` None without such a trigger.
    """

    label: str
    content: str = ""
    file: str = ""
    priority: int = 0
    every_n_turns: int = 0
    on_tokens: int | None = None


def section_specs(records: tuple[Mapping[str, Any], ...]) -> tuple[SectionSpec, ...]:
    """Return the named sections of ``[[section]]`` tables that were read against `FIELDS`."""
    return tuple(SectionSpec(**record) for record in records)


class SectionsError(ValueError):
    """A SectionsError says that a list of sections cannot be read; its text is one sentence that
    says where and why.
    """


_TYPES: Mapping[str, tuple[type, str]] = {
    "label": (str, "a text"),
    "content": (str, "a text"),
    "file": (str, "a text"),
    "priority": (int, "a whole number"),
    "every_n_turns": (int, "a whole number"),
    "on_tokens": (int, "a whole number"),
}


def parse_json_sections(text: str) -> tuple[SectionSpec, ...]:
    """Parse plain sections from a JSON list of objects with the keys of `FIELDS`; raise
    `SectionsError` for anything else.
    """
    try:
        data = loads(text)
    except JsonError as error:
        raise SectionsError(f"It is not valid JSON: {error}.") from error
    if isinstance(data, dict):
        data = data.get("sections", data.get("section"))
    if not isinstance(data, list):
        raise SectionsError("It is no list of sections.")
    return tuple(_parse_section(number, item) for number, item in enumerate(data, 1))


def _parse_section(number: int, item: object) -> SectionSpec:
    if not isinstance(item, dict):
        raise SectionsError(f"Section {number} is no object.")
    for key, value in item.items():
        if key not in _TYPES:
            known = ", ".join(f"`{name}`" for name in _TYPES)
            raise SectionsError(f"Section {number} has no field `{key}`; there are {known}.")
        kind, called = _TYPES[key]
        if not isinstance(value, kind) or isinstance(value, bool):
            raise SectionsError(f"`{key}` of section {number} is not {called}.")
        if kind is int and key != "priority" and value < (key == "every_n_turns"):
            raise SectionsError(f"`{key}` of section {number} is too small.")
    if "label" not in item:
        raise SectionsError(f"Section {number} has no `label`.")
    if ("content" in item) == ("file" in item):
        raise SectionsError(f"Section {number} needs either `content` or `file`.")
    return SectionSpec(**item)
