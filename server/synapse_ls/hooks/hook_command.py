"""The ``synapse hook`` command, which an agent client starts for each event: JSON in, JSON out.

``synapse hook [--event NAME] [--client NAME] [--scope user] [--root FOLDER] [--limit NUMBER]``:
values that neither the event nor the environment has, whether the hook is installed for a user, and
how many characters of a reply the client passes on. The exit code is always 0. If anything fails,
the log has a line and the output is an empty object; before a tool, an enforcing guard asks a
person.
"""

from __future__ import annotations

import os
import sys
from time import time

from synapse_ls.hooks import hook_timeout
from synapse_ls.hooks.event_dispatch import dispatch_event
from synapse_ls.integrations import client_registry
from synapse_ls.integrations.hook_event import TOOL_BEFORE, Event, text_field
from synapse_ls.text.fast_json import dumps, loads
from synapse_ls.text.lazy_import import register_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from synapse_ls.hooks.hook_call import Write
    from synapse_ls.integrations.hook_client import HookClient

KNOWN_OPTIONS = ("event", "client", "scope", "root", "limit")
INPUT_LIMIT = 64_000_000  # bytes; a larger event is not read


def main(arguments: list[str], conversation: str = "") -> int:
    """Run the hook command: answer the event on standard input; the exit code is 0.
    conversation: the module that answers ``*synapse …``.
    """
    if conversation:
        register_module("conversation", conversation)
    written = False
    nothing = [b"{}"]

    def write_reply(reply: dict[str, Any]) -> None:
        nonlocal written
        if not written:
            data = encode_reply(reply) if reply else nothing[0]
            written = True
            write_all(data)

    options_given: dict[str, str] = {}
    try:
        options_given = parse_options(arguments)
        event, client = (options_given.get(name, "") for name in ("event", "client"))
        hook_timeout.prepare_late_reply(
            lambda: unjudged_reply({}, options_given, is_late=True), record_failures
        )
        hook_timeout.start_watch(
            write_reply, hook_timeout.seconds_left(hook_timeout.watch_seconds(event, client))
        )
        raw, problem = _read_event(options_given)
        check_options(options_given)
        answer_payload(raw, problem, options_given, write_reply, nothing)
    except BaseException as error:
        log_failure(error, options_given)
    try:  # noqa: SIM105 - contextlib takes longer to load than this to do
        write_reply({})
    except OSError:
        pass  # nobody reads any more
    hook_timeout.stop_watch()
    return 0


def parse_options(arguments: list[str]) -> dict[str, str]:
    """Return the ``--name value`` and ``--name=value`` pairs on the hook's command line; what is
    neither is passed over.
    """
    options = {}
    at = iter(arguments)
    for word in at:
        if word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            options[name] = value if equals else next(at, "")
    return options


def encode_reply(reply: dict[str, Any]) -> bytes:
    """Return the reply of the hook command as the bytes that a client reads."""
    return dumps(reply, indent=None).encode("utf-8", "replace")


def answer_payload(
    raw: dict[str, Any],
    problem: Exception | None,
    options_given: dict[str, str],
    write: Write,
    empty_reply: list[bytes],
) -> None:
    """Answer the event in the payload that the hook command was given; ``problem``: why no more of
    it could be read. The rest is as for `main`: the one item of ``empty_reply`` becomes what stands
    for nothing to say.
    """
    host = _load_host(raw, options_given)
    if host.prints_nothing:
        empty_reply[0] = b""
    name, root, scope = [options_given.get(option, "") for option in ("event", "root", "scope")]
    event = None
    try:
        event = host.parse_event(raw, name)
        hook_timeout.prepare_late_reply(
            lambda: unjudged_reply(raw, options_given, event, is_late=True), record_failures
        )
        if (nothing := host.empty_reply(event.kind)) is None:
            empty_reply[0] = b""
        elif nothing:
            empty_reply[0] = encode_reply(nothing)
        if problem is None or event.kind != TOOL_BEFORE:
            dispatch_event(event, host, write, root=root, scope=scope, clock=time)
            return
    except BaseException:
        _write_unjudged(raw, options_given, event, write)
        raise
    _write_unjudged(raw, options_given, event, write)


def _write_unjudged(
    raw: dict[str, Any], options_given: dict[str, str], event: Event | None, write: Write
) -> None:
    if reply := unjudged_reply(raw, options_given, event):
        write(reply)
        record_failures()


def record_failures() -> None:
    """Add the verdicts that failed to the audit log, where one is kept."""
    from synapse_ls.hooks import failed_reply

    failed_reply.record_failures()


def unjudged_reply(
    raw: dict[str, Any],
    options_given: dict[str, str],
    event: Event | None = None,
    *,
    is_late: bool = False,
) -> dict[str, Any]:
    """Return the hook command's reply to the event in a payload that nothing else answers, or not
    in time; {} where there is nothing to say. event: as it was read from there, if it could be.
    """
    host = _load_host(raw, options_given)
    name, root, scope = [options_given.get(option, "") for option in ("event", "root", "scope")]
    from synapse_ls.hooks.failed_reply import failure_reply, recover_event

    event = event or recover_event(raw, name, host)
    return failure_reply(event, host, root, scope, is_late=is_late)


def _load_host(raw: dict[str, Any], options_given: dict[str, str]) -> HookClient:
    client = client_registry.detect_client(os.environ, raw, options_given.get("client", ""))
    host = client_registry.load_client(client)
    assert host is not None
    if host.settings_limit and "limit" not in options_given:
        host = type(host)()
        host.reply_limit = host.settings_limit
    return host


def log_failure(
    error: BaseException, options_given: dict[str, str], payload: dict[str, Any] | None = None
) -> None:
    """Log what went wrong, with the client, the event and the folder as the command line has them,
    and where it does not, as the ``payload`` does, if one was read.
    """
    from synapse_ls.storage.hook_log import log_error

    payload = payload or {}
    client = options_given.get("client", "")
    event = options_given.get("event") or text_field(payload, "hook_event_name")
    try:
        folder = options_given.get("root") or text_field(payload, "cwd") or os.getcwd()
    except OSError:  # it does not exist any more
        folder = ""
    parts = (client and f"client {client}", event and f"event {event}", folder and f"in {folder}")
    log_error(error, " ".join(", ".join(filter(None, parts)).split())[:500])


def check_options(options_given: dict[str, str]) -> None:
    """Log options of the hook command and clients that nobody knows; they count for nothing."""
    unknown = [f"no option --{n} is known" for n in options_given if n not in KNOWN_OPTIONS]
    client = options_given.get("client", "")
    if client and client not in client_registry.HOOK_CLIENTS:
        unknown.append(f'no client "{client}" is known')
    for complaint in unknown:
        from synapse_ls.storage.hook_log import log_line

        log_line(f"{__name__} {' '.join(complaint.split())}")


def _read_event(options_given: dict[str, str]) -> tuple[dict[str, Any], Exception | None]:
    """Return the event on standard input, and why it could not be read.

    One that cannot be read is one that says nothing: a prompt then gets the rules that apply to
    any prompt in the working directory.
    """
    data = b""
    try:
        data = read_input(INPUT_LIMIT)
        return parse_object(data, INPUT_LIMIT, "event"), None
    except (OSError, ValueError, TypeError, RecursionError) as error:
        log_failure(error, options_given)
        from synapse_ls.hooks.failed_reply import find_event_fields

        return find_event_fields(data), error


def read_input(limit: int) -> bytes:
    """Return what a client writes to standard input, a little more than ``limit`` bytes at most."""
    parts = []
    size = 0
    while size <= limit and (part := os.read(0, 1 << 20)):
        size += len(part)
        parts.append(part)
    return b"".join(parts)


def parse_object(data: bytes, limit: int, noun: str) -> dict[str, Any]:
    """Return the object that a client has written; raise ValueError for more than ``limit`` bytes
    and for what is no JSON, TypeError for what is no object. noun: what it is, in words.
    """
    if len(data) > limit:
        raise ValueError(f"the {noun} is larger than {limit} bytes")
    raw = loads(data.decode("utf-8", "replace"))
    if not isinstance(raw, dict):
        raise TypeError(f"the {noun} is {type(raw).__name__}, not an object")
    return raw


def write_all(data: bytes) -> None:
    """Write to standard output, whatever stands between."""
    while data:
        data = data[os.write(1, data) :]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
