"""This module answers hovers in ``.synapse/config.toml``: what a setting is for, and its default."""

from __future__ import annotations

from synapse_ls.formats.config_option import Option
from synapse_ls.formats.config_schema import find_option
from synapse_ls.formats.toml_document import key_positions
from synapse_ls.ide.hover_markdown import code_span, join_paragraphs
from synapse_ls.ide.tree_view import View
from synapse_ls.text.span import Span
from synapse_ls.workspace.file_facts import FileFacts


def hover(view: View, facts: FileFacts, offset: int) -> tuple[Span, str] | None:  # noqa: ARG001
    """Returns the hover for the setting whose key or value is under the pointer."""
    found: tuple[Span, Option] | None = None
    for path, place in key_positions(facts.text).items():
        names = [str(part) for part in path if isinstance(part, str)]
        # Below a setting come names of the user's own: `[lint.severity] SYN1 = "off"`.
        options = (find_option(".".join(names[:count])) for count in range(len(names), 0, -1))
        option = next((option for option in options if option), None)
        span = next((part for part in place if part.touches(offset)), None)
        if option and span:
            found = span, option
    if found is None:
        return None
    span, option = found
    return span, _option_markdown(option)


def _option_markdown(option: Option) -> str:
    choices = ", ".join(code_span(word) for word in option.choices if word)
    default = code_span(_value_text(option.default)) or "empty"
    return join_paragraphs(
        f"**{option.path}**: {option.about}",
        f"One of {choices}." if choices else "",
        f"Default: {default}",
    )


def _value_text(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None or value == {} else str(value)
