"""XML, line by line. What steers a terminal, or is no character of XML, is written as an escape."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from synapse_ls.cli.console import visible

HEAD = '<?xml version="1.0" encoding="UTF-8"?>'


def opened(depth: int, name: str, /, **attributes: object) -> str:
    """The line that begins an element with others in it."""
    return f"{'  ' * depth}<{name}{_attributes(attributes)}>"


def closed(depth: int, name: str) -> str:
    """The line that ends it."""
    return f"{'  ' * depth}</{name}>"


def element(depth: int, name: str, text: str = "", /, **attributes: object) -> str:
    """The line of an element with text in it, or with nothing."""
    start = f"{'  ' * depth}<{name}{_attributes(attributes)}"
    return f"{start}>{escape(_characters(text))}</{name}>" if text else f"{start}/>"


def _attributes(given: dict[str, object]) -> str:
    return "".join(f" {name}={quoteattr(_characters(str(v)))}" for name, v in given.items())


def _characters(text: str) -> str:
    """XML 1.0 has no U+FFFE and U+FFFF, and no controls, which `visible` writes as escapes."""
    return visible(text).replace("\ufffe", "\\ufffe").replace("\uffff", "\\uffff")
