"""The configuration under which a tree answers as CARL did, and the list of what git ignores."""

from __future__ import annotations

from collections.abc import Mapping

from synapse_ls.manage.init import GITIGNORE, starter
from synapse_ls.manage.profile import LIVE
from synapse_ls.workspace.folders import CONFIG

_CARL = """\
# What CARL did: keywords match inside words as well, and in code and long pastes too. With
# matching = "word", "test" is no longer found in "latest".
matching = "substring"
match_everything = true
"""
_WORDS = """\
# Keywords match whole words. CARL found "test" in "latest", too.
matching = "word"
"""
_OWN = "as-carl"
_OWN_PROFILE = """
# The brackets of CARL v2.
[profiles.{name}]
extends = "{profile}"
"""
_PROFILE = """\
# Keywords count however much of the window is left, as they did for CARL.
profile = "{profile}"

"""


def settings(*, words: bool, floors: Mapping[str, int] | None = None) -> dict[str, str]:
    """The files of a tree that hold neither domains nor rules, by path.

    ``floors``: where brackets begin, in percent left, if not where those of a tree do.
    """
    text = _PROFILE.format(profile=_OWN if floors else LIVE) + (_WORDS if words else _CARL)
    if floors:
        text += _OWN_PROFILE.format(name=_OWN, profile=LIVE)
        text += "".join(f"brackets.{name}.floor = {floor}\n" for name, floor in floors.items())
    return {CONFIG: text, GITIGNORE: starter()[GITIGNORE]}
