"""Read and write JSON (RFC 8259) without the start-up cost of the ``json`` package.

Importing ``json`` mostly compiles patterns that its C scanner does not use. The scanner and string
encoder are used directly; in an interpreter without them, the package is.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Scan = Callable[[str, int], tuple[Any, int]]

_SPACE = " \t\n\r"


_PLAIN = {  # what `json.decoder` says with the place behind it
    "Unterminated string starting at": "an unclosed string",
    "Invalid control character at": "a control character inside of a string",
}


class JsonError(ValueError):
    """A JsonError says that a text is not JSON. ``what`` is wrong, without the place; ``offset`` is
    the code point at which reading stopped.
    """

    def __init__(self, message: str, offset: int) -> None:
        self.what = _PLAIN.get(message) or message[:1].lower() + message[1:]
        self.offset = offset
        super().__init__(f"{self.what} at character {offset}")


try:
    from _json import encode_basestring, encode_basestring_ascii, make_scanner

    class _Settings:
        """What the C scanner asks of a decoder: the defaults of ``json.JSONDecoder``."""

        strict = True
        object_hook = None
        object_pairs_hook = None
        array_hook = None
        parse_float = float
        parse_int = int
        parse_constant = {
            "NaN": float("nan"),
            "Infinity": float("inf"),
            "-Infinity": float("-inf"),
        }.__getitem__

    _scan: Scan = make_scanner(_Settings)  # type: ignore[arg-type]
except ImportError:
    from json.decoder import JSONDecoder
    from json.encoder import encode_basestring, encode_basestring_ascii

    _scan = JSONDecoder().scan_once  # type: ignore[attr-defined]


def loads(text: str) -> Any:
    """Return the value that the JSON ``text`` holds; a BOM and white space around it are ignored.

    Reads what ``json.loads`` reads, ``NaN`` and duplicate keys (the last wins) included. Raises
    ``JsonError`` for anything else, and for nesting deeper than the interpreter can follow.
    """
    start = 1 if text.startswith("\ufeff") else 0
    start = len(text) - len(text[start:].lstrip(_SPACE))
    try:
        value, end = _scan(text, start)
    except StopIteration as stop:
        raise JsonError("expected a value", stop.value) from None
    except RecursionError:
        raise JsonError("nested too deeply", start) from None
    except SystemError:
        # The scanner raises a class of json.decoder, which it finds only if somebody imported it.
        import json.decoder  # noqa: F401

        return loads(text)
    except ValueError as error:
        raise JsonError(getattr(error, "msg", str(error)), getattr(error, "pos", start)) from None
    if text[end:].strip(_SPACE):
        raise JsonError("unexpected text after the value", end)
    return value


def dumps(value: object, indent: int | None = 2, *, ascii: bool = False) -> str:
    """Return ``value`` as JSON text, byte for byte what ``json.dumps(ensure_ascii=ascii)`` gives.

    Without ``indent`` there is no white space at all. A lone surrogate is escaped in any case, so
    the text can be written as UTF-8. Raises ``TypeError`` for a value that JSON cannot hold,
    ``ValueError`` for a circular one.
    """
    pieces: list[str] = []
    quote = encode_basestring_ascii if ascii else encode_basestring
    newline = "" if indent is None else "\n"
    try:
        _write_value(value, pieces.append, quote, newline, " " * (indent or 0))
    except RecursionError:
        raise ValueError("the value is circular or nested too deeply") from None
    # `text` with every surrogate as an escape.
    text = "".join(pieces)
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return "".join(f"\\u{ord(c):04x}" if "\ud800" <= c <= "\udfff" else c for c in text)
    return text


def _write_value(
    value: object, put: Callable[[str], None], quote: Callable[[str], str], newline: str, step: str
) -> None:
    if isinstance(value, str):
        put(quote(value))
    elif isinstance(value, dict):
        if not value:
            put("{}")
            return
        deeper = newline and newline + step
        colon = ": " if newline else ":"
        before = "{" + deeper
        for key, item in value.items():
            name = quote(key if isinstance(key, str) else _format_atom(key, _BAD_KEY))
            # As most are: a call for each would take twice as long.
            if type(item) is str:
                put(f"{before}{name}{colon}{quote(item)}")
            elif item is None:
                put(f"{before}{name}{colon}null")
            elif type(item) is int:
                put(f"{before}{name}{colon}{item}")
            else:
                put(f"{before}{name}{colon}")
                _write_value(item, put, quote, deeper, step)
            before = "," + deeper
        put(newline + "}")
    elif isinstance(value, list | tuple):
        if not value:
            put("[]")
            return
        deeper = newline and newline + step
        before = "[" + deeper
        for item in value:
            put(before)
            _write_value(item, put, quote, deeper, step)
            before = "," + deeper
        put(newline + "]")
    else:
        put(_format_atom(value, "Object of type {} is not JSON serializable"))


_BAD_KEY = "keys must be str, int, float, bool or None, not {}"


def _format_atom(value: object, complaint: str) -> str:
    if value is None:
        return "null"
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, int):
        return int.__repr__(value)
    if isinstance(value, float):
        if value != value:
            return "NaN"
        if value in (float("inf"), float("-inf")):
            return "Infinity" if value > 0 else "-Infinity"
        return float.__repr__(value)
    raise TypeError(complaint.format(value.__class__.__name__))
