"""This module is the ``synapse hook`` command, the process an agent client starts for each event:
JSON in, JSON out, exit code 0, always.

``synapse hook [--event NAME] [--client NAME] [--scope user] [--root FOLDER]``: what the event and
the environment do not say themselves, and whether the hook is installed for a person.

Nothing here may fail a prompt. Whatever goes wrong is a line in the log and an empty object on
standard output.
"""

from __future__ import annotations

import os
import sys

from synapse_ls.hooks.watchdog import start_watch, watch_seconds
from synapse_ls.integrations import client_registry
from synapse_ls.text.fast_json import dumps, loads
from synapse_ls.text.lazy_import import register_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

KNOWN_OPTIONS = ("event", "client", "scope", "root")
INPUT_LIMIT = 64_000_000  # bytes; a larger event is not read


def main(arguments: list[str], conversation: str = "") -> int:
    """Answers the event on standard input; the exit code is 0. conversation: the module that
    answers ``*synapse …``.
    """
    if conversation:
        register_module("conversation", conversation)
    written = False
    nothing: dict[str, Any] = {}

    def write_reply(reply: dict[str, Any]) -> None:
        nonlocal written
        data = dumps(reply or nothing, indent=None).encode("utf-8", "replace")
        written = True
        while data:
            data = data[os.write(1, data) :]

    def write_late(reply: dict[str, Any]) -> None:
        if not written:
            write_reply(reply)

    try:
        options_given = parse_options(arguments)
        start_watch(write_late, watch_seconds(options_given.get("event", "")))
        _answer_event(options_given, write_reply, nothing)
    except BaseException as error:
        from synapse_ls.storage.hook_log import log_error

        log_error(error)
    try:
        if not written:
            write_reply({})
    except OSError:
        pass  # nobody reads any more
    return 0


def parse_options(arguments: list[str]) -> dict[str, str]:
    """Returns the ``--name value`` and ``--name=value`` pairs; what is neither is passed over."""
    found = {}
    at = iter(arguments)
    for word in at:
        if word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            found[name] = value if equals else next(at, "")
    return found


def _answer_event(options_given: dict[str, str], write: Any, empty_reply: dict[str, Any]) -> None:
    """Answers the event; ``empty_reply`` becomes the client's empty reply to it, where that is not
    ``{}``.
    """
    from time import time

    from synapse_ls.hooks.event_dispatch import dispatch_event

    raw = _read_event()
    _check_options(options_given)
    name = client_registry.detect_client(os.environ, raw, options_given.get("client", ""))
    host = client_registry.load_client(name)
    assert host is not None
    event = host.parse_event(raw, options_given.get("event", ""))
    empty_reply.update(getattr(host, "EMPTY_REPLIES", {}).get(event.kind, {}))
    root, scope = options_given.get("root", ""), options_given.get("scope", "")
    dispatch_event(event, host, write, root=root, scope=scope, clock=time)


def _check_options(options_given: dict[str, str]) -> None:
    """Logs options and clients that nobody knows; they count for nothing."""
    for name in options_given:
        if name not in KNOWN_OPTIONS:
            _log_complaint(f"no option --{name} is known")
    client = options_given.get("client", "")
    if client and client not in client_registry.HOOK_CLIENTS:
        _log_complaint(f'no client "{client}" is known')


def _log_complaint(text: str) -> None:
    from synapse_ls.storage.hook_log import log_line

    log_line(f"{__name__} {' '.join(text.split())[:500]}")


def _read_event() -> dict[str, Any]:
    """Returns the event on standard input.

    One that cannot be read is one that says nothing: a prompt then gets the rules that apply to
    any prompt in the working directory.
    """
    try:
        raw = loads(_read_input().decode("utf-8", "replace"))
    except (OSError, ValueError, RecursionError) as error:
        problem: Exception = error
    else:
        if isinstance(raw, dict):
            return raw
        problem = TypeError(f"the event is {type(raw).__name__}, not an object")
    from synapse_ls.storage.hook_log import log_error

    log_error(problem)
    return {}


def _read_input() -> bytes:
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
