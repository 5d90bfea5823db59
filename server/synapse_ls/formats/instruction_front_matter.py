"""Read the front matter of a file of instructions, by which a client knows when the file applies:
its globs, whether it always does.
"""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.formats.markdown_outline import Outline

GLOB_FIELDS = ("globs", "paths", "applyto", "filematchpattern")
ALL_FILES = frozenset(("*", "**", "**/*"))
"""The globs that every file matches."""


def front_matter_fields(parts: Outline) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the fields of the front matter of a file of instructions: keys in lower case, values as
    lists. Read by lines: Cursor's ``globs: **/*.ts`` is no valid YAML.
    """
    key, values = "", list[str]()
    for raw in parts.front.cut(parts.text).splitlines() if parts.front else ():
        line = raw.strip()
        if line.startswith("- "):
            values.append(_strip_quotes(line[2:]))
        elif ":" in line and not raw[:1].isspace():
            if key:
                yield key, tuple(filter(None, values))
            key, _, value = line.partition(":")
            key = key.strip().lower()
            value = value.strip().removeprefix("[").removesuffix("]")
            values = [_strip_quotes(item) for item in split_globs(value)]
    if key:
        yield key, tuple(filter(None, values))


def _strip_quotes(value: str) -> str:
    return value.strip().strip("\"'").strip()


def split_globs(value: str) -> list[str]:
    """Split the globs of a file of instructions, a comma list whose items may hold commas in
    braces: ``*.{ts,tsx},*.js`` are two.
    """
    items, depth = [""], 0
    for character in value:
        depth += (character == "{") - (character == "}")
        if character == "," and depth <= 0:
            items.append("")
        else:
            items[-1] += character
    return items
