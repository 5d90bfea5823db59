"""This module finds the places in a transcript, its lines, in which the acts of a session stand."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from synapse_ls.text.fast_json import dumps
from synapse_ls.workspace.regular_files import open_stream

if TYPE_CHECKING:
    from synapse_ls.guard.check_breaches import Act


def find_lines(path: str, acts: Sequence[Act]) -> list[int]:
    """Finds the place in a transcript of each of ``acts``, which are in its order: the line in
    which it stands, from 1; 0 for one that stands nowhere.

    A command is looked for as a whole value, so that a prompt that mentions it is not taken for it.
    """
    with open_stream(path) as stream:
        lines = stream.readlines()
    found = []
    at = 0
    taken: set[str] = set()  # what was found in the line `at`
    for act in acts:
        name = _name_of(act)
        start = at + (name in taken)
        place = next(
            (n for needles in _needles(act, name) for n in _lines_with(lines, needles, start)), None
        )
        if place is None:
            found.append(0)
            continue
        taken = {*taken, name} if place == at else {name}
        at = place
        found.append(place + 1)
    return found


def _lines_with(lines: Sequence[bytes], needles: Sequence[bytes], start: int) -> Iterator[int]:
    for number in range(start, len(lines)):
        if any(needle in lines[number] for needle in needles):
            yield number


def _name_of(act: Act) -> str:
    """Returns what an act stands in a transcript with: its command, its first file or its tool."""
    return act.action.command or next((path for _, path in act.action.files), act.action.tool)


def _needles(act: Act, name: str) -> Iterator[list[bytes]]:
    """Yields what to look for: the name as a value, also of JSON within a string, or the end of
    one; then the name anywhere.
    """
    spelled = {
        dumps(text, None, ascii=kind)
        for text in (name, *_shell_argument(name))
        for kind in (False, True)
    }
    quoted = [*spelled, *(dumps(one, None)[1:-1] for one in spelled)]
    if not act.action.command and act.action.files:
        quoted = [text.lstrip('\\"') for text in quoted]  # paths are relative to the project
    yield [text.encode() for text in quoted]
    yield [text[1:-1].encode() for text in spelled]


def _shell_argument(command: str) -> list[str]:
    """Returns the command line within ``bash -lc '…'``, as a client may spell a list of words."""
    try:
        words = shlex.split(command)
    except ValueError:
        return []
    return words[2:] if len(words) == 3 and words[1] in ("-c", "-lc") else []
