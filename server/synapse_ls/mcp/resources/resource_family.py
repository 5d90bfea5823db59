"""This module defines a family of MCP resources: its URI template, its list, and reading one of
them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import quote, unquote

from synapse_ls.engine.compiled_plan import Plan

SCHEME = "synapse://"
TEXT, JSON = "text/plain", "application/json"


class ResourceEntry(NamedTuple):
    """A ResourceEntry is a resource of a family. key: "" or what its template leaves open."""

    key: str
    title: str
    description: str


@dataclass(frozen=True, slots=True)
class ResourceFamily:
    """A ResourceFamily holds resources of one kind, at ``synapse://NAME`` or
    ``synapse://NAME/{argument}``.

    list_resources: those of a tree, None where there is none. read_resource: (root, key) -> the
    text, None where there is no such resource.
    """

    name: str
    title: str
    description: str
    list_resources: Callable[[Plan | None], Iterator[ResourceEntry]]
    read_resource: Callable[[str, str], str | None]
    argument: str = ""
    mime: str = TEXT

    @property
    def template(self) -> str:
        """Returns the URI template; of a family of one, its URI."""
        return f"{SCHEME}{self.name}" + (f"/{{{self.argument}}}" if self.argument else "")

    def uri(self, key: str) -> str:
        """Returns the URI of one resource."""
        return f"{SCHEME}{self.name}" + (f"/{quote(key, safe='')}" if self.argument else "")

    def parse_key(self, uri: str) -> str | None:
        """Returns the key in ``uri``; None where it is none of this family."""
        start = f"{SCHEME}{self.name}"
        if not self.argument:
            return "" if uri.rstrip("/") == start else None
        rest = uri.removeprefix(f"{start}/")
        return None if rest == uri or not rest or "/" in rest else unquote(rest)
