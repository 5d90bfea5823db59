"""Changes to the text of ``.synapse/config.toml``."""

from __future__ import annotations

from synapse_ls.formats.toml_places import places
from synapse_ls.text.edit import TextEdit
from synapse_ls.text.span import Span


def profile_edit(text: str, profile: str, newline: str) -> TextEdit:
    """The edit after which a configuration names this profile, in its first line if it had none."""
    place = places(text).get(("profile",))
    if place:
        return TextEdit(place.value, f'"{profile}"')
    return TextEdit(Span(0, 0), f'profile = "{profile}"{newline}')
