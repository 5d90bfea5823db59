"""What a family of resources is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import quote, unquote

from synapse_ls.engine.plan import Plan

SCHEME = "synapse://"
TEXT, JSON = "text/plain", "application/json"


class Listed(NamedTuple):
    """A resource of a family. key: "" or what its template leaves open."""

    key: str
    title: str
    about: str


@dataclass(frozen=True, slots=True)
class Family:
    """Resources of one kind, at ``synapse://NAME`` or ``synapse://NAME/{argument}``.

    listed: those of a tree, None where there is none. read: (root, key) -> the text, None where
    there is no such resource.
    """

    name: str
    title: str
    about: str
    listed: Callable[[Plan | None], Iterator[Listed]]
    read: Callable[[str, str], str | None]
    argument: str = ""
    mime: str = TEXT

    @property
    def template(self) -> str:
        """The URI template; of a family of one, its URI."""
        return f"{SCHEME}{self.name}" + (f"/{{{self.argument}}}" if self.argument else "")

    def uri(self, key: str) -> str:
        """The URI of one resource."""
        return f"{SCHEME}{self.name}" + (f"/{quote(key, safe='')}" if self.argument else "")

    def key_of(self, uri: str) -> str | None:
        """The key in ``uri``; None where it is none of this family."""
        start = f"{SCHEME}{self.name}"
        if not self.argument:
            return "" if uri.rstrip("/") == start else None
        rest = uri.removeprefix(f"{start}/")
        return None if rest == uri or not rest or "/" in rest else unquote(rest)
