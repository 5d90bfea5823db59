"""Paths and URIs: one spelling inside, whatever a client writes outside.

Clients escape differently (``c%3A``, ``%5B``) and differ in the case of drive letters, yet mean one
file. A path here is absolute, with ``/``, without ``..``; links in it are not resolved.
"""

from __future__ import annotations

import os
from urllib.parse import quote, unquote, urlsplit

from synapse_ls.workspace.folders import is_above

_SAFE = "/-._~!$&'()*+,;=@"


def path_of(uri: str) -> str | None:
    """The path that a ``file:`` URI names; None for a URI of another scheme or an ill-formed one."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    if parts.scheme.casefold() != "file":
        return None
    path = unquote(parts.path)
    if "\0" in path or not path:
        return None
    if parts.netloc and parts.netloc.casefold() != "localhost":
        return slashed(os.path.normpath(f"//{parts.netloc}{path}"))
    if len(path) > 2 and path[2] == ":" and path[1].isalpha():
        path = path[1].lower() + path[2:]
    return slashed(os.path.normpath(path))


def uri_of(path: str) -> str:
    """The URI of an absolute path."""
    path = slashed(path)
    if path.startswith("//"):
        return f"file:{quote(path, safe=_SAFE)}"
    if not path.startswith("/"):
        path = f"/{path}"
    return f"file://{quote(path, safe=_SAFE)}"


def uri_in(root: str, path: str) -> str:
    """The URI of a path relative to ``root``; one that leads above it does so along the real path."""
    full = f"{root}/{path}"
    return uri_of(os.path.realpath(full) if is_above(path) else full)


def slashed(path: str) -> str:
    """A path of the system with ``/``; a backslash is a character like any other but on Windows."""
    return path if os.sep == "/" else path.replace(os.sep, "/")


def key_of(uri: str) -> str:
    """What identifies a document: its path where it is a file, else the URI as it was written."""
    return path_of(uri) or uri
