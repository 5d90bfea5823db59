"""An agent's action before it is done, and the guard's modes (off, warn, enforce).

A command line, files to read, write or delete, or a tool call.
"""

from __future__ import annotations

from synapse_ls.text.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Final

WRITE: Final = "write"
READ: Final = "read"
DELETE: Final = "delete"
TOOL: Final = "tool"
COMMAND: Final = "command"
ANY_USE: Final = "may"  # what is done with a file: whatever can be
TOP: Final = ":/"  # before a path that is relative to the top of the repository, as git has it
UNKNOWN_FILE: Final = "\0"  # in the place of a path, as in words of a command line

OFF: Final = "off"
WARN: Final = "warn"
ENFORCE: Final = "enforce"
# How a tree's guard is set.
MODES: Final = (OFF, WARN, ENFORCE)

# What a pattern of files is about -> what concerns it: `write` covers deleting.
CONCERNED_VERBS: Final = {WRITE: (WRITE, DELETE), DELETE: (DELETE,), READ: (READ,)}

POSIX: Final = "posix"
POWERSHELL: Final = "powershell"


class AgentAction(Record):
    """The action that an agent is about to do. command: a command line, or ""; shell: the language
    it is written in. files: (write, read or delete, path). tool: the client's name of the tool.
    folder: where it is done, relative to the root, or absolute. readings: (command line, folder) of
    each way in which the client may understand it, () where that is the one. given: what the tool
    is given, None where nobody knows. rewritten: path -> the text of the file before and after, of
    files for which that is known.
    """

    command: str = ""
    files: Sequence[tuple[str, str]] = ()
    tool: str = ""
    folder: str = ""
    shell: str = POSIX
    readings: Sequence[tuple[str, str]] = ()
    given: object = None
    rewritten: Mapping[str, tuple[str, str]] | None = None

    def concerns(self, verbs: Sequence[str]) -> bool:
        """Return whether boundaries that are about these ``verbs`` could have a say."""
        return (
            (bool(self.command) and any(verb != TOOL for verb in verbs))
            or (bool(self.tool) and TOOL in verbs)
            or any(
                done in CONCERNED_VERBS.get(verb, ()) for verb in verbs for done, _ in self.files
            )
        )
