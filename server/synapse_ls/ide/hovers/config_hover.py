"""This module answers hovers in ``.synapse/config.toml``: what a setting is for, its default, and
what a profile of one's own comes to.
"""

from __future__ import annotations

from synapse_ls.engine.custom_profiles import build_profile
from synapse_ls.engine.profile_model import Profile
from synapse_ls.formats.config_file import Config
from synapse_ls.formats.config_option import Option
from synapse_ls.formats.config_settings import find_option
from synapse_ls.formats.toml_document import key_positions
from synapse_ls.ide.hover_markdown import code_span
from synapse_ls.ide.tree_view import View
from synapse_ls.text.paragraphs import join_paragraphs
from synapse_ls.text.span import Span
from synapse_ls.workspace.file_facts import FileFacts


def hover(view: View, facts: FileFacts, offset: int) -> tuple[Span, str] | None:
    """Returns the hover for the setting of the configuration whose key or value is under the
    pointer.
    """
    found: tuple[Span, str] | None = None
    for path, place in key_positions(facts.text).items():
        names = [str(part) for part in path if isinstance(part, str)]
        # Below a setting come names of the user's own: `[lint.severity] SYN1 = "off"`.
        options = (find_option(".".join(names[:count])) for count in range(len(names), 0, -1))
        option = next((option for option in options if option), None)
        span = next((part for part in place if part.touches(offset)), None)
        if not span:
            continue
        if (
            names[0] == "profiles"
            and len(names) > 1
            and (preview := _preview(view, facts, names[1]))
        ):
            inner = find_option(".".join(names))
            found = span, join_paragraphs(_option_markdown(inner) if inner else "", preview)
        elif option:
            found = span, _option_markdown(option)
    return found


def _preview(view: View, facts: FileFacts, name: str) -> str:
    """Returns what a profile of the file comes to, as a list; "" where it cannot be made."""
    written = facts.document if isinstance(facts.document, Config) else view.tree.snapshot.config
    made = build_profile(name, written.profiles)
    if made is None:
        return ""
    profile = Profile(made.table)
    brackets = (
        f"- {row.name} ({row.label}): {row.budget:,} tokens, {' '.join(sorted(row.layers)) or 'no layer'}"
        for row in profile.brackets
    )
    first = ", ".join(list(profile.order)[:6])
    return join_paragraphs(
        f"**{name}** comes to",
        "\n".join(brackets),
        f"Sections: {first}, …",
        f"Goes first: {', '.join(profile.drop[:6])}, …",
        *(f"⚠️ {fault.sentence}" for fault in made.faults),
    )


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
