"""Names, paths and the chosen profile in ``.synapse/config.toml``. Plans only, no IO."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from synapse_ls.engine.profiles import profile_names
from synapse_ls.formats.toml_document import TomlPath, key_positions
from synapse_ls.text.line_index import line_break_style
from synapse_ls.text.span import Span
from synapse_ls.text.text_edit import TextEdit
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.edit_plan import EditPlan, create_file, edit_file
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_folders import CONFIG

_QUOTES = ("'", '"')


class ConfigText(NamedTuple):
    """A name or path in the text of the configuration (``config.toml``): where in the file it
    belongs, what it says, its place.
    """

    path: TomlPath
    value: str
    span: Span
    is_key: bool


def config_texts(tree: Tree) -> Iterator[ConfigText]:
    """Yield the texts of the configuration that may be names or paths, every key, and every value
    that is a quoted text of one line; the span is without quotes.
    """
    facts = tree.snapshot.facts(CONFIG)
    if facts is None:
        return
    for path, place in key_positions(facts.text).items():
        if isinstance(path[-1], str):
            yield _config_text(facts.text, path, place.key, is_key=True)
        if place.value != place.key or isinstance(path[-1], int):
            written = place.value.cut(facts.text)
            if written[:1] in _QUOTES and written[:3] != written[:1] * 3:
                yield _config_text(facts.text, path, place.value, is_key=False)


def _config_text(text: str, path: TomlPath, span: Span, *, is_key: bool) -> ConfigText:
    written = span.cut(text)
    if written[:1] in _QUOTES and written[-1:] == written[:1] and len(written) > 1:
        span = Span(span.start + 1, span.end - 1)
    return ConfigText(path, span.cut(text), span, is_key)


LIVE_PROFILE = "synapse-live"
"""The profile in which no layer sleeps."""


def choose_profile(tree: Tree, profile: str) -> EditPlan:
    """Plan choosing a profile in the configuration, which is created if need be; empty if it is
    chosen.

    Raises UserError where there is no such profile, and where the configuration cannot be read.
    """
    names = profile_names(tree.snapshot.config.profiles)
    if profile not in names:
        raise UserError(f'There is no profile "{profile}".', f"Choose one of {', '.join(names)}.")
    facts = tree.snapshot.facts(CONFIG)
    if facts is None:
        return EditPlan((create_file(CONFIG, edit_profile_name("", profile, "\n").new_text),))
    if not facts.is_read or any(problem.kind == "invalid-toml" for problem in facts.problems):
        raise UserError(
            f"{CONFIG} cannot be read, so a change could damage the rest of it.",
            "Mend it first; `synapse check` says where.",
        )
    if tree.snapshot.config.profile == profile:
        return EditPlan()
    text = facts.text
    return EditPlan(
        (edit_file(CONFIG, text, [edit_profile_name(text, profile, line_break_style(text))]),)
    )


def edit_profile_name(text: str, profile: str, newline: str) -> TextEdit:
    """Return the edit after which a configuration chooses this profile, in its first line if it had
    none.
    """
    place = key_positions(text).get(("profile",))
    if place:
        return TextEdit(place.value, f'"{profile}"')
    return TextEdit(Span(0, 0), f'profile = "{profile}"{newline}')
