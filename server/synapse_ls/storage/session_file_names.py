"""This module turns a session id into a file name: stable, one per id, and never outside the
folder.

Clients choose their ids, mostly UUIDs, so an id of lower-case letters, digits, ``-``, ``_`` and
``.`` is its own file name. Every other character is written as the ``%xx`` of its UTF-8 bytes, as
are:

* a capital letter, because ``A`` and ``a`` are the same file on Windows and macOS;
* a first character that is no letter or digit, which would hide the file or mark a special one;
* a dot at the end;
* the first letter of a name that Windows reserves for a device, such as ``nul``.

A name that grows beyond 128 characters keeps its beginning, followed by ``~`` and a digest of the
id. No two ids have the same name.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_INNER_CHARACTERS: Final = "abcdefghijklmnopqrstuvwxyz0123456789-_."
_OUTER_CHARACTERS: Final = _INNER_CHARACTERS[:-3]
_DEVICES: Final = frozenset(
    ("con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10)))
)
_MAX_LENGTH: Final = 128
_HEAD_LENGTH: Final = 80


def session_file_stem(session_id: str) -> str:
    """Returns the name of the file of ``session_id``, without its extension; "" for the empty id."""
    if _is_plain(session_id):
        return session_id
    return _escape_name(session_id)


def is_named_after(stem: str, session_id: str) -> bool:
    """Returns whether a file of that name, without its extension, is one of ``session_id``. Other
    programs name files after ids as they are. A file that does not say whose it is may be anybody's.
    """
    if not session_id or stem == session_file_stem(session_id):
        return True
    # What looks like one of the names above may be the file of another id.
    return stem == session_id and "%" not in stem and "~" not in stem


def _is_plain(name: str) -> bool:
    # strip() leaves nothing exactly when every character is one of those given.
    return (
        not name.strip(_INNER_CHARACTERS)
        and name[:1] in _OUTER_CHARACTERS
        and name[-1:] != "."
        and len(name) <= _MAX_LENGTH
        and name.partition(".")[0] not in _DEVICES
    )


def _escape_name(name: str) -> str:
    last = len(name) - 1
    reserved = name.partition(".")[0] in _DEVICES
    parts: list[str] = []
    for place, character in enumerate(name):
        allowed = _OUTER_CHARACTERS if place == 0 else _INNER_CHARACTERS
        if (
            character not in allowed
            or (place == 0 and reserved)
            or (place == last and character == ".")
        ):
            parts.extend(f"%{byte:02x}" for byte in character.encode("utf-8", "surrogatepass"))
        else:
            parts.append(character)
    escaped = "".join(parts)
    if len(escaped) <= _MAX_LENGTH:
        return escaped
    from hashlib import sha256  # only here: ids this long are rare, and the import is not free

    return (
        f"{escaped[:_HEAD_LENGTH]}~{sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}"
    )
