"""This module reads single values of a hook payload: texts, numbers, names and paths, none of which
is believed to have the type that it should have.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    Raw = dict[str, Any]


def fold_name(name: str) -> str:
    """Returns a name in a payload, a value such as that of the event, without what clients spell
    differently: case, dashes, underscores.
    """
    return name.lower().replace("_", "").replace("-", "")


def text_field(raw: object, *names: str) -> str:
    """Returns the first value of some fields of a payload that is a text with content, or "". It
    can be written as UTF-8.
    """
    if isinstance(raw, dict):
        for name in names:
            value = raw.get(name)
            if isinstance(value, str) and value:
                return replace_surrogates(value)
    return ""


def text_items(value: object) -> list[str]:
    """Returns the texts with content in a value of a payload that is a list; none where it is none."""
    if not isinstance(value, list | tuple):
        return []
    return [replace_surrogates(item) for item in value if isinstance(item, str) and item]


def replace_surrogates(value: str) -> str:
    """Returns a value of a payload with ``?`` for halves of surrogate pairs."""
    return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")


def number_field(raw: Raw, *names: str) -> int | None:
    """Returns the first value of some fields of a payload that is a non-negative number, in whole
    units; None for none.
    """
    for name in names:
        value = raw.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e15:
            return int(value)
    return None


def local_path(name: str) -> str:
    """Returns a value of a payload that is a path, or a ``file:`` URI, as the operating system
    knows it: ended by a NUL, and with U+FFFD for half a character.
    """
    if name.startswith("file://"):
        host, slash, path = name[7:].partition("/")
        name = _decode_percents(slash + path).partition("\0")[0]
        if host not in ("", "localhost"):
            return f"//{host}{name}"
    if not name.isascii():
        name = name.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    name = name.partition("\0")[0]
    if name[:1] == "/" and name[2:4] == ":/" and name[1].isalpha():
        return name[1:]  # "/c:/work", as some clients write C:\work
    return name


def _decode_percents(path: str) -> str:
    """Returns ``path`` with the bytes that a URI writes as ``%20``."""
    first, *rest = path.encode("utf-8", "replace").split(b"%")
    pieces = [first]
    for piece in rest:
        code = piece[:2]
        if len(code) == 2 and not code.strip(b"0123456789abcdefABCDEF"):
            pieces.append(bytes.fromhex(code.decode()) + piece[2:])
        else:
            pieces.append(b"%" + piece)
    return b"".join(pieces).decode("utf-8", "replace")


def local_paths(names: Iterable[str]) -> tuple[str, ...]:
    """Returns values of a payload that are paths or ``file:`` URIs as local paths, in their order,
    each once.
    """
    return tuple(dict.fromkeys(filter(None, map(local_path, names))))
