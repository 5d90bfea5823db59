"""The turns of a transcript of Claude Code (see `hosts.transcripts.claude` for the format)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from synapse_ls.hosts.failures import failed_text
from synapse_ls.hosts.transcripts.arrival import between
from synapse_ls.hosts.transcripts.claude import injected, is_prompt, model_of, used_of, window_of
from synapse_ls.hosts.transcripts.history.reading import (
    Reading,
    call,
    items,
    places,
    records,
    said,
    text,
)
from synapse_ls.hosts.transcripts.tail import table
from synapse_ls.hosts.transcripts.turn import Draft, Turn

NAME = "claude"

EDITS = ("Edit", "MultiEdit", "Write", "NotebookEdit")
# How records begin that stand in the place of a prompt and are none.
OWN = (
    "<local-command-",
    "<bash-",
    "<task-notification>",
    "<system-reminder>",
    "[Request interrupted",
    "Caveat: The messages below",
)

# How the result of a tool begins that a person, and not the tool, has stopped.
DECLINED = ("The user doesn't want", "[Request interrupted")

FORGETS = ("/clear", "/reset", "/new")  # commands that no model and no hook gets to see

RAN = "<local-command-"  # what the client itself did at a command, without the model


def recognises(found: Mapping[str, object]) -> bool:
    """Whether Claude Code wrote a record like this."""
    if "projectHash" in found or "payload" in found:
        return False
    if found.get("type") == "summary":
        return "leafUuid" in found
    return "sessionId" in found and ("uuid" in found or "isSidechain" in found)


def turns(lines: Iterable[bytes]) -> Iterator[Turn]:
    """The turns of the main conversation, in the order of the file."""
    reading = Reading()
    for found in records(lines):
        if found.get("isSidechain") is True:
            continue
        kind = found.get("type")
        if kind == "user" and is_prompt(dict(found)):
            content = said(table(found, "message").get("content"), "text")
            if asked := prompt_of(content):
                yield from reading.open(asked, found.get("timestamp"))
            elif content.startswith(RAN) and _is_command(reading.draft):
                reading.drop()
        elif kind == "user" and reading.draft is not None:
            _resulted(reading.draft, found)
        elif kind == "attachment":
            _attached(reading, found)
        elif kind == "system" and found.get("subtype") == "compact_boundary":
            reading.compact()
        elif kind == "assistant" and reading.draft is not None:
            _answered(reading.draft, found)
    yield from reading.close()


def prompt_of(content: str) -> str:
    """The words of a person; a command of theirs as they typed it; "" for the client's own."""
    command = next(between(content, "<command-name>", "</command-name>"), "").strip()
    if command:
        argument = next(between(content, "<command-args>", "</command-args>"), "").strip()
        return "" if command in FORGETS else f"{command} {argument}".rstrip()
    return "" if content.lstrip().startswith(OWN) or content.strip() in FORGETS else content.strip()


def _is_command(draft: Draft | None) -> bool:
    return draft is not None and not draft.answered and draft.prompt.startswith("/")


def _attached(reading: Reading, found: Mapping[str, object]) -> None:
    attachment = table(found, "attachment")
    kind = attachment.get("type")
    if kind == "hook_additional_context":
        hook = text(attachment.get("hookEvent"))
        within = "Tool" in hook or hook == "Stop"
        reading.inject(injected(dict(found)), within=within)
    elif kind == "model":
        reading.model = text(table(attachment, "identity").get("modelId")) or reading.model
    elif kind in ("file", "edited_text_file") and reading.draft is not None:
        reading.draft.touch((text(attachment.get("filename")),))


def _answered(draft: Draft, found: Mapping[str, object]) -> None:
    used, model = used_of(dict(found)), model_of(dict(found))
    if used:
        draft.measure(used, window_of(model, used), model)
    for item in items(table(found, "message").get("content")):
        part = table(item)
        if part.get("type") == "tool_use":
            draft.touch(places(part.get("input")), edited=part.get("name") in EDITS)
            call(draft, part.get("name"), part.get("input"), part.get("id"))
        elif part.get("type") == "text":
            draft.say(text(part.get("text")))
    draft.answered = True


def _resulted(draft: Draft, found: Mapping[str, object]) -> None:
    """What the tools of an answer have given back."""
    for item in items(table(found, "message").get("content")):
        part = table(item)
        if part.get("type") == "tool_result" and part.get("is_error") is True:
            words = said(part.get("content"), "text")
            if not words.startswith(DECLINED):
                draft.failed(text(part.get("tool_use_id")), failed_text(words))
