"""This module finds the program that a command line runs (``npm test``), so that two runs of it can
be compared.
"""

from __future__ import annotations

import re

_PREFIX_WORDS = frozenset(("sudo", "time", "env", "nice", "npx", "exec", "command"))
_CHAIN = re.compile(r"\s*(?:&&|\|\||;|\n)\s*")
_SHELL_CHARACTERS = frozenset("/.\\\"'$|><;&()=*?{}[]`,@")
_PREPARING_COMMANDS = frozenset(
    ("cd", "export", "set", "source", "echo", "pushd", "popd", "true", ".")
)
LONGEST_PROGRAM = 60


def command_program(command: str) -> str:
    """Returns the program that a command line is about, with its sub-command: ``npm test``.

    What only prepares (a folder, a variable, ``sudo``) is passed over. "" for no command.
    """
    parts = [_simple_program(part) for part in _CHAIN.split(command.strip())[:20]]
    named = [part for part in parts if part]
    telling = (part for part in named if part.partition(" ")[0] not in _PREPARING_COMMANDS)
    return next(telling, named[0] if named else "")[:LONGEST_PROGRAM]


def _simple_program(command: str) -> str:
    words = command.split()
    while words and (words[0] in _PREFIX_WORDS or _is_setting(words[0])):
        del words[0]
    if not words:
        return ""
    name = words[0].strip("\"'").replace("\\", "/").rpartition("/")[2]
    if name in ("python", "python3", "node", "uv", "poetry", "pnpm", "yarn", "bun", "npm"):
        rest = [word for word in words[1:] if word not in ("-m", "run", "exec")]
    else:
        rest = words[1:]
    more = rest[0] if rest else ""
    return f"{name} {more}" if more[:1].isalpha() and not set(more) & _SHELL_CHARACTERS else name


def _is_setting(word: str) -> bool:
    name, equals, _ = word.partition("=")
    return bool(equals) and name.isidentifier()
