"""What a command line runs, in the few words by which two runs of it are the same."""

from __future__ import annotations

import re

_BEFORE = frozenset(("sudo", "time", "env", "nice", "npx", "exec", "command"))
_CHAIN = re.compile(r"\s*(?:&&|\|\||;|\n)\s*")
_ODD = frozenset("/.\\\"'$|><;&()=*?{}[]`,@")
_QUIET = frozenset(("cd", "export", "set", "source", "echo", "pushd", "popd", "true", "."))
LONGEST = 60


def program_of(command: str) -> str:
    """The program that a command line is about and what it was told to do: ``npm test``.

    What only prepares (a folder, a variable, ``sudo``) is passed over. "" for no command.
    """
    parts = [_named(part) for part in _CHAIN.split(command.strip())[:20]]
    named = [part for part in parts if part]
    telling = (part for part in named if part.partition(" ")[0] not in _QUIET)
    return next(telling, named[0] if named else "")[:LONGEST]


def _named(command: str) -> str:
    words = command.split()
    while words and (words[0] in _BEFORE or _is_setting(words[0])):
        del words[0]
    if not words:
        return ""
    name = words[0].strip("\"'").replace("\\", "/").rpartition("/")[2]
    if name in ("python", "python3", "node", "uv", "poetry", "pnpm", "yarn", "bun", "npm"):
        rest = [word for word in words[1:] if word not in ("-m", "run", "exec")]
    else:
        rest = words[1:]
    more = rest[0] if rest else ""
    return f"{name} {more}" if more[:1].isalpha() and not set(more) & _ODD else name


def _is_setting(word: str) -> bool:
    name, equals, _ = word.partition("=")
    return bool(equals) and name.isidentifier()
