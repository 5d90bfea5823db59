"""This module converts between file paths and URIs: one spelling inside, whatever a client writes
outside.

Clients escape differently (``c%3A``, ``%5B``) and differ in the case of drive letters, yet mean one
file. A path here is absolute, with ``/``, without ``..``; links in it are not resolved.
"""

from __future__ import annotations

import os
from urllib.parse import quote, unquote, urlsplit

from synapse_ls.workspace.tree_folders import is_above_root

_SAFE_CHARACTERS = "/-._~!$&'()*+,;=@"


def uri_to_path(uri: str) -> str | None:
    """Returns the path that a ``file:`` URI names; None for a URI of another scheme or an
    ill-formed one.
    """
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
        return with_slashes(os.path.normpath(f"//{parts.netloc}{path}"))
    if len(path) > 2 and path[2] == ":" and path[1].isalpha():
        path = path[1].lower() + path[2:]
    return with_slashes(os.path.normpath(path))


def path_to_uri(path: str) -> str:
    """Returns the URI of an absolute path."""
    path = with_slashes(path)
    if path.startswith("//"):
        return f"file:{quote(path, safe=_SAFE_CHARACTERS)}"
    if not path.startswith("/"):
        path = f"/{path}"
    return f"file://{quote(path, safe=_SAFE_CHARACTERS)}"


def uri_below(root: str, path: str) -> str:
    """Returns the URI of a path relative to ``root``; one that leads above it does so along the
    real path.
    """
    full = f"{root}/{path}"
    return path_to_uri(os.path.realpath(full) if is_above_root(path) else full)


def with_slashes(path: str) -> str:
    """Returns a file's path of the system with ``/``; a backslash is a character like any other but
    on Windows.
    """
    return path if os.sep == "/" else path.replace(os.sep, "/")


def document_key(uri: str) -> str:
    """Returns the key by which a document's URI identifies it: its path where it is a file, else
    the URI as it was written.
    """
    return uri_to_path(uri) or uri
