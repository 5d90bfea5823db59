"""This module finds the story that somebody names: the one file that answers to an id, a name or a
path, whatever letter case, word ``story`` and separators it is written with.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Final

    Parts = tuple[str, ...]

MAX_WORDS: Final = 60  # words of an argument that are looked at
MODES: Final = frozenset(
    ("yolo", "interactive", "preflight", "pre-flight", "auto", "ask", "explore")
)
"""Words with which a command is told how to go about it, and which name nothing."""

_STORY_WORDS: Final = frozenset(("story", "stories", "historia", "história"))
_MARKS: Final = "`\"'“”‘’()[]{}<>,;:!?"


class NamedStory:
    """A NamedStory is the story that an argument names.

    path: the file of the story, "" for none. written: the word that names it, or what seems to name
    one that there is not. rivals: the files that answer to ``written`` where several do.
    """

    __slots__ = ("path", "rivals", "written")

    def __init__(self, path: str = "", written: str = "", rivals: tuple[str, ...] = ()) -> None:
        self.path = path
        self.written = written
        self.rivals = rivals


def find_story_path(stories: Mapping[str, str], written: str) -> str:
    """Returns the file of the story that ``written`` (an id, a file's name or a path) means, "" for
    none or several. ``stories``: name -> path.
    """
    found = _matching_paths(stories, written)
    return found[0] if len(found) == 1 else ""


def find_named_story(stories: Mapping[str, str], argument: str) -> NamedStory:
    """Returns the first story that the words of ``argument`` name."""
    words = [word for word in argument.split()[:MAX_WORDS] if not _is_mode(word)]
    unknown = NamedStory(written=_unknown_name(words))
    for count in (1, 2, 3):
        for start in range(len(words) - count + 1):
            written = " ".join(words[start : start + count])
            found = _matching_paths(stories, written)
            if len(found) == 1:
                return NamedStory(found[0], written)
            if found and not unknown.rivals:
                unknown = NamedStory("", written.strip(_MARKS), found)
    return unknown


def story_id_of(path: str) -> str:
    """Returns what a story that says no id of its own is called by its file: ``STORY-42`` of
    ``STORY-42-login.md``, else the file's name.
    """
    stem = path.rpartition("/")[2].removesuffix(".md")
    end = 0
    for at, letter in enumerate(stem):
        if letter.isdigit():
            end = at + 1
        elif end and letter not in "._-":
            break
        elif letter in " _" and not end:
            return stem
    return stem[:end] if end else stem


def _is_mode(word: str) -> bool:
    bare = word.strip(_MARKS).lower()
    return not bare or bare in MODES or bare.startswith("--")


def _unknown_name(words: list[str]) -> str:
    """Returns what seems to name a story: the word with a digit, else all words where one of them
    is ``story``.
    """
    bare = [word.strip(_MARKS) for word in words]
    with_digit = next((word for word in bare if any(c.isdigit() for c in word)), "")
    speaks = any(word.lower() in _STORY_WORDS for word in bare)
    return with_digit or (" ".join(bare) if speaks else "")


def _matching_paths(stories: Mapping[str, str], written: str) -> tuple[str, ...]:
    """Returns the files that answer to ``written``."""
    bare = written.strip(_MARKS).removeprefix("./")
    if "/" in bare:
        ending = bare if bare.endswith(".md") else f"{bare}.md"
        return tuple(p for p in stories.values() if p == ending or p.endswith(f"/{ending}"))
    wanted = _name_parts(bare)
    if not wanted:
        return ()
    exact: list[str] = []
    begun: list[str] = []
    for name, path in stories.items():
        parts = _name_parts(name.rpartition("/")[2])
        if parts == wanted:
            exact.append(path)
        elif _begins_with(parts, wanted):
            begun.append(path)
    return tuple(exact or begun)


def _begins_with(parts: Parts, wanted: Parts) -> bool:
    """Returns whether ``wanted`` is the id that a name begins with: ``1.2`` of ``1.2-login``, not
    of ``1.2.3``, and never a word of a title.
    """
    count = len(wanted)
    if parts[:count] != wanted or not wanted[-1].isdigit():
        return False
    return not parts[count].isdigit()


def _name_parts(name: str) -> Parts:
    """Returns a name as it is compared: its words in lower case, without ``story`` at either end."""
    lower = name.casefold().removesuffix(".md")
    parts = list(_split_parts(lower))
    while parts and parts[0] in _STORY_WORDS:
        del parts[0]
    while len(parts) > 1 and parts[-1] in _STORY_WORDS:
        del parts[-1]
    return tuple(parts)


def _split_parts(text: str) -> Iterator[str]:
    """Yields the runs of letters and digits."""
    return iter("".join(c if c.isalnum() else " " for c in text).split())
