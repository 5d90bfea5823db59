"""XML, a line for each tag, for reports in JUnit's format: of ``synapse check`` and ``synapse
test``.

What steers a terminal, or is no character of XML, is written as an escape.
"""

from __future__ import annotations

from synapse_ls.cli.console import escape_controls

XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>'


def start_tag(depth: int, name: str, /, **attributes: object) -> str:
    """Return the line of XML that begins an element with others in it."""
    return f"{'  ' * depth}<{name}{_render_attributes(attributes)}>"


def end_tag(depth: int, name: str) -> str:
    """Return the line of XML that ends an element."""
    return f"{'  ' * depth}</{name}>"


def text_element(depth: int, name: str, text: str = "", /, **attributes: object) -> str:
    """Return the line of XML of an element with text in it, or with nothing."""
    from xml.sax.saxutils import escape  # it imports urllib.request, which few reports need

    start = f"{'  ' * depth}<{name}{_render_attributes(attributes)}"
    return f"{start}>{escape(_escape_characters(text))}</{name}>" if text else f"{start}/>"


def _render_attributes(attributes: dict[str, object]) -> str:
    from xml.sax.saxutils import quoteattr

    return "".join(
        f" {name}={quoteattr(_escape_characters(str(v)))}" for name, v in attributes.items()
    )


def _escape_characters(text: str) -> str:
    """Escape what XML 1.0 does not have: U+FFFE and U+FFFF, and controls, which `escape_controls`
    writes.
    """
    return escape_controls(text).replace("\ufffe", "\\ufffe").replace("\uffff", "\\uffff")
