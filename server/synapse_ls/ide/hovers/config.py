"""Hovers in ``.synapse/config.toml``: what a setting is for, and what it is without it."""

from __future__ import annotations

from synapse_ls.formats.config_schema import option_at
from synapse_ls.formats.option import Option
from synapse_ls.formats.toml_places import places
from synapse_ls.ide.markdown import code, paragraphs
from synapse_ls.ide.view import View
from synapse_ls.text.span import Span
from synapse_ls.workspace.facts import FileFacts


def hover(view: View, facts: FileFacts, offset: int) -> tuple[Span, str] | None:  # noqa: ARG001
    """The setting whose key or value is under the pointer."""
    found: tuple[Span, Option] | None = None
    for path, place in places(facts.text).items():
        names = [str(part) for part in path if isinstance(part, str)]
        # Below a setting come names of the user's own: `[lint.severity] SYN1 = "off"`.
        options = (option_at(".".join(names[:count])) for count in range(len(names), 0, -1))
        option = next((option for option in options if option), None)
        span = next((part for part in place if part.touches(offset)), None)
        if option and span:
            found = span, option
    if found is None:
        return None
    span, option = found
    return span, _told(option)


def _told(option: Option) -> str:
    choices = ", ".join(code(word) for word in option.choices if word)
    default = code(_shown(option.default)) or "empty"
    return paragraphs(
        f"**{option.path}**: {option.about}",
        f"One of {choices}." if choices else "",
        f"Default: {default}",
    )


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None or value == {} else str(value)
