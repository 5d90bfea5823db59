"""Option, a setting of a file: one row of a table for defaults, validation and documentation."""

from __future__ import annotations

from typing import NamedTuple


class Option(NamedTuple):
    """One setting of a configuration file.

    ``path`` is its place in the file, dotted. ``kind`` is "text", "bool", "int", "number", "texts",
    "paths", "text-by-name", "texts-by-name", "ints-by-name", "numbers-by-name", "tables-by-name" (a
    text by name by name) or "records-by-name" (tables with ``fields``), "records" (a list of those,
    of which each has ``exactly_one`` field of some groups) or "path". ``choices`` are the words
    that are allowed as text, in a map or list as its values. ``minimum`` and ``maximum`` are for
    numbers. ``strict`` is the value that holds where something is written that cannot be read: a
    slip of the pen must not switch off what keeps agents in bounds.
    """

    path: str
    kind: str
    default: object
    about: str
    choices: tuple[str, ...] = ()
    minimum: int | None = None
    strict: str = ""
    fields: tuple[Option, ...] = ()
    exactly_one: tuple[tuple[str, ...], ...] = ()
    maximum: int | None = None
