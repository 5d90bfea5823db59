"""The process an agent client starts for each event: JSON in, JSON out, exit 0, always.

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

INPUT_LIMIT = 64_000_000  # bytes; a larger event is not read


def main(arguments: list[str]) -> int:
    """Answer the event on standard input; the exit code is 0."""
    written = False

    def write(reply: dict[str, Any]) -> None:
        nonlocal written
        data = dumps(reply, indent=None).encode("utf-8", "replace")
        written = True
        while data:
            data = data[os.write(1, data) :]

    try:
        _answer(options(arguments), write)
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


def _answer(given: dict[str, str], write: Any) -> None:
    from time import time

    from synapse_ls.service.deliver import deliver

    raw = loads(_input().decode("utf-8", "replace"))
    if not isinstance(raw, dict):
        raise TypeError(f"the event is {type(raw).__name__}, not an object")
    name = registry.detect(os.environ, given.get("client", ""))
    host = registry.host(name)
    assert host is not None
    event = host.parse(raw, given.get("event", ""))
    deliver(event, host, write, root=given.get("root", ""), now=time)


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
