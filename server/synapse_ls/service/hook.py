"""The process an agent client starts for each event: JSON in, JSON out, exit 0, always.

``synapse hook [--event NAME] [--client NAME] [--scope user] [--root FOLDER]``: what the event and the
environment do not say themselves, and whether the hook is installed for a person.

Nothing here may fail a prompt. Whatever goes wrong is a line in the log and an empty object on
standard output.
"""

from __future__ import annotations

import os
import sys

from synapse_ls.hosts import registry
from synapse_ls.text.json import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

OPTIONS = ("event", "client", "scope", "root")
INPUT_LIMIT = 64_000_000  # bytes; a larger event is not read


def main(arguments: list[str]) -> int:
    """Answer the event on standard input; the exit code is 0."""
    written = False
    nothing: dict[str, Any] = {}

    def write(reply: dict[str, Any]) -> None:
        nonlocal written
        data = dumps(reply or nothing, indent=None).encode("utf-8", "replace")
        written = True
        while data:
            data = data[os.write(1, data) :]

    try:
        _answer(options(arguments), write, nothing)
    except BaseException as error:
        from synapse_ls.service.log import note

        note(error)
    try:
        if not written:
            write({})
    except OSError:
        pass  # nobody reads any more
    return 0


def options(arguments: list[str]) -> dict[str, str]:
    """``--name value`` and ``--name=value`` pairs; what is neither is passed over."""
    found = {}
    at = iter(arguments)
    for word in at:
        if word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            found[name] = value if equals else next(at, "")
    return found


def _answer(given: dict[str, str], write: Any, nothing: dict[str, Any]) -> None:
    """Answer the event; ``nothing`` becomes what says nothing to it, where that is not ``{}``."""
    from time import time

    from synapse_ls.service.deliver import deliver

    raw = _read()
    _look_at(given)
    name = registry.detect(os.environ, raw, given.get("client", ""))
    host = registry.host(name)
    assert host is not None
    event = host.parse(raw, given.get("event", ""))
    nothing.update(getattr(host, "NOTHING", {}).get(event.kind, {}))
    root, scope = given.get("root", ""), given.get("scope", "")
    deliver(event, host, write, root=root, scope=scope, now=time)


def _look_at(given: dict[str, str]) -> None:
    """Complain about a command line that says what nobody knows; it counts for nothing."""
    for name in given:
        if name not in OPTIONS:
            _complain(f"no option --{name} is known")
    client = given.get("client", "")
    if client and client not in registry.HOSTS:
        _complain(f'no client "{client}" is known')


def _complain(text: str) -> None:
    from synapse_ls.service.log import line

    line(f"{__name__} {' '.join(text.split())[:500]}")


def _read() -> dict[str, Any]:
    """The event on standard input.

    One that cannot be read is one that says nothing: a prompt then gets the rules that apply to
    any prompt in the working directory.
    """
    try:
        raw = loads(_input().decode("utf-8", "replace"))
    except (OSError, ValueError, RecursionError) as error:
        problem: Exception = error
    else:
        if isinstance(raw, dict):
            return raw
        problem = TypeError(f"the event is {type(raw).__name__}, not an object")
    from synapse_ls.service.log import note

    note(problem)
    return {}


def _input() -> bytes:
    parts = []
    size = 0
    while part := os.read(0, 1 << 20):
        size += len(part)
        if size > INPUT_LIMIT:
            raise ValueError(f"the event is larger than {INPUT_LIMIT} bytes")
        parts.append(part)
    return b"".join(parts)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
