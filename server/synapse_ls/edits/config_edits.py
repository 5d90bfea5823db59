"""Names, paths and the chosen profile in ``.synapse/config.toml``. Plans only, no IO."""

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
    if (facts := tree.snapshot.facts(CONFIG)) is None:
        return
    for path, place in key_positions(facts.text).items():
        spans = [(place.key, True)] if isinstance(path[-1], str) else []
        if place.value != place.key or isinstance(path[-1], int):
            spans.append((place.value, False))
        for (start, end), is_key in spans:
            written = facts.text[start:end]
            quote = written[:1] if written[:1] in _QUOTES else ""
            if not is_key and (not quote or written[:3] == quote * 3):
                continue
            width = 1 if quote and written[-1] == quote and len(written) > 1 else 0
            span = Span(start + width, end - width)
            yield ConfigText(path, span.cut(facts.text), span, is_key)


# The profile in which no layer sleeps.
LIVE_PROFILE = "synapse-live"


def choose_profile(tree: Tree, profile: str) -> EditPlan:
    """Plan choosing a profile in the configuration, which is created if need be; empty if it is
    chosen.

    Raises UserError where there is no such profile, and where the configuration cannot be read.
    """
    names = profile_names(tree.snapshot.config.profiles)
    if profile not in names:
        raise UserError(f'There is no profile "{profile}".', f"Choose one of {', '.join(names)}.")
    if (facts := tree.snapshot.facts(CONFIG)) is None:
        return EditPlan((create_file(CONFIG, edit_profile_name("", profile, "\n").new_text),))
    if not facts.is_read or any(problem.kind == "invalid-toml" for problem in facts.problems):
        raise UserError(
            f"{CONFIG} cannot be read, so a change could damage the rest of it.",
            "Mend it first; `synapse check` says where.",
        )
    if tree.snapshot.config.profile == profile:
        return EditPlan()
    change = edit_profile_name(facts.text, profile, line_break_style(facts.text))
    return EditPlan((edit_file(CONFIG, facts.text, [change]),))


def edit_profile_name(text: str, profile: str, newline: str) -> TextEdit:
    """Return the edit after which a configuration chooses this profile, in its first line if it had
    none.
    """
    if place := key_positions(text).get(("profile",)):
        return TextEdit(place.value, f'"{profile}"')
    return TextEdit(Span(0, 0), f'profile = "{profile}"{newline}')
