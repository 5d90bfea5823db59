"""Parse checks, the values of ``{D}_CHECK_n``: what the record of a session can say of whether rule
n of the domain is followed.

A check is one of six sentences: ``never run COMMAND``, ``run COMMAND before COMMAND``,
``run COMMAND after COMMAND``, ``run COMMAND after changes to GLOB``, ``never write GLOB`` and
``files GLOB contain "TEXT"``. Commands may stand in back-ticks. A check is told to nobody.
"""

from __future__ import annotations

import re
from typing import NamedTuple

NEVER_RUN = "never-run"
RUN_BEFORE = "run-before"
RUN_AFTER = "run-after"
RUN_AFTER_CHANGES = "run-after-changes"
NEVER_WRITE = "never-write"
FILES_CONTAIN = "files-contain"

SENTENCES = (
    "never run COMMAND",
    "run COMMAND before COMMAND",
    "run COMMAND after COMMAND",
    "run COMMAND after changes to GLOB",
    "never write GLOB",
    'files GLOB contain "TEXT"',
)

_KEY = re.compile(r"(?P<domain>[A-Z][A-Z0-9_]*?)_CHECK_(?P<number>[0-9]{1,9})")
_FIRST_WORDS = ("never", "run", "files")
_COMMAND = r"(?:`(?P<{0}q>[^`]+)`|(?P<{0}>[^`\s].*?))"
_SHAPES = (
    (NEVER_RUN, rf"never run {_COMMAND.format('command')}"),
    (
        RUN_AFTER_CHANGES,
        rf"run {_COMMAND.format('command')} after changes to `?(?P<glob>[^`\s]+)`?",
    ),
    (RUN_BEFORE, rf"run {_COMMAND.format('command')} before {_COMMAND.format('other')}"),
    (RUN_AFTER, rf"run {_COMMAND.format('command')} after {_COMMAND.format('other')}"),
    (NEVER_WRITE, r"never write `?(?P<glob>[^`\s]+)`?"),
    (FILES_CONTAIN, r"files `?(?P<glob>[^`\s]+)`? contain (?P<quote>[\"'`])(?P<text>.+)(?P=quote)"),
)


class CheckKey(NamedTuple):
    """The parts of ``{D}_CHECK_n``."""

    domain: str
    number: int


class RuleCheck(NamedTuple):
    """What a check demands.

    kind: one of the constants above. command: what is to be run, or never. other: the command that
    comes before or after it. glob: the files that it is about. text: what has to stand in them.
    """

    kind: str
    command: str = ""
    other: str = ""
    glob: str = ""
    text: str = ""


def parse_check_key(key: str) -> CheckKey | None:
    """Return the parts of the key of a check; None for any other key."""
    match = _KEY.fullmatch(key)
    return CheckKey(match["domain"], int(match["number"])) if match else None


def begins_check(value: str) -> bool:
    """Return whether a value begins as a check does; list of a tree's own have such keys, too."""
    return value.partition(" ")[0] in _FIRST_WORDS


def parse_check(value: str) -> RuleCheck | None:
    """Return the check in a value; None where it is no sentence of the language."""
    said = " ".join(value.split()).rstrip(".")
    for kind, shape in _SHAPES:
        if match := re.fullmatch(shape, said):
            given = match.groupdict()
            return RuleCheck(
                kind,
                given.get("commandq") or given.get("command") or "",
                given.get("otherq") or given.get("other") or "",
                given.get("glob") or "",
                given.get("text") or "",
            )
    return None
