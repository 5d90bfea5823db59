"""git's aliases, read when somebody asks for one: name -> what it stands for.

From the configuration of the repository, of its folder, and of the user, as git reads it; files
that these include are not looked at, and an alias that only they have is unknown.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Final

LARGEST: Final = 1_000_000  # bytes of a configuration that are read


def git_aliases(folder: str) -> dict[str, str]:
    """The aliases that count in ``folder``; what cannot be read has none."""
    found: dict[str, str] = {}
    home = os.path.expanduser("~")
    settings = os.environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    for path in (
        os.path.join(settings, "git", "config"),
        os.path.join(home, ".gitconfig"),
        *_of_repository(folder),
    ):
        found.update(_aliases(path))
    return found


def _of_repository(folder: str) -> Iterator[str]:
    """The configuration of the repository that ``folder`` is in, of a linked work tree's too."""
    while True:
        place = os.path.join(folder, ".git")
        if os.path.isdir(place):
            yield os.path.join(place, "config")
            return
        if os.path.isfile(place):
            target = _text(place).partition("gitdir:")[2].strip()
            common = os.path.join(folder, target, "..", "..", "config")
            yield os.path.normpath(common)
            return
        above = os.path.dirname(folder)
        if above == folder:
            return
        folder = above


def _aliases(path: str) -> dict[str, str]:
    found: dict[str, str] = {}
    inside = False
    for line in _text(path).replace("\\\n", "").split("\n"):
        text = line.strip()
        if text.startswith("["):
            inside = text.partition("]")[0].strip("[ ").casefold() == "alias"
            text = text.partition("]")[2].strip()
        name, equals, value = text.partition("=")
        if inside and equals and name.strip()[:1] not in ("#", ";", ""):
            value = value.strip()
            if value[:1] == '"' and value[-1:] == '"' and len(value) > 1:
                value = value[1:-1].replace('\\"', '"').replace("\\\\", "\\")
            found[name.strip()] = value
    return found


def _text(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return file.read(LARGEST).decode("utf-8", "replace")
    except OSError:
        return ""
