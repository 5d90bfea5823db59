"""The turns of a session file of Gemini CLI (see `hosts.transcripts.gemini` for the format)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from synapse_ls.hosts import models
from synapse_ls.hosts.failures import failed_text, failure_in
from synapse_ls.hosts.transcripts.gemini import (
    injected,
    model_of,
    replaced,
    summary_of,
    text_of,
    used_of,
)
from synapse_ls.hosts.transcripts.history.reading import (
    Reading,
    call,
    items,
    places,
    records,
    text,
)
from synapse_ls.hosts.transcripts.tail import table
from synapse_ls.hosts.transcripts.turn import Draft, Turn

NAME = "gemini"

EDITS = ("replace", "edit", "write_file")


def recognises(found: Mapping[str, object]) -> bool:
    """Whether Gemini CLI wrote a record like this."""
    return "projectHash" in found or "$set" in found or "$rewindTo" in found or _answers(found)


def turns(lines: Iterable[bytes]) -> Iterator[Turn]:
    """The turns of the conversation in the order of the file, those included that were taken back."""
    reading = Reading()
    asked = ""  # the message that began the open turn
    summary: object = None  # the last one; the client writes it again when a session is resumed
    for found in records(lines):
        messages = replaced(dict(found))
        if messages is not None:
            begun = summary_of(messages)
            if begun is not None and begun.get("id") != summary:
                summary = begun.get("id")
                reading.compact()
        elif found.get("type") == "user":
            content = text_of(dict(found))
            prompt = _prompt(dict(found), content)
            if prompt and (not asked or found.get("id") != asked):
                asked = text(found.get("id"))
                yield from reading.open(prompt, found.get("timestamp"))
            if prompt:
                reading.inject(injected(content))
        elif _answers(found) and reading.draft is not None:
            _answered(reading.draft, dict(found))
    yield from reading.close()


def _answers(found: Mapping[str, object]) -> bool:
    return found.get("type") == "gemini" and "id" in found


def _prompt(found: dict[str, object], content: str) -> str:
    """The words of the person: as they were displayed, else as sent without those of hooks."""
    shown = text_of({"content": found.get("displayContent")})
    words = shown or content
    while (start := words.find("<hook_context>")) >= 0:
        end = words.find("</hook_context>", start)
        words = words[:start] + (words[end + len("</hook_context>") :] if end >= 0 else "")
    return words.strip()


def _answered(draft: Draft, found: dict[str, object]) -> None:
    used, model = used_of(found), model_of(found)
    window = models.window_of(model)
    draft.measure(used, models.raised(window, used, model) if window else None, model)
    draft.say(text_of(found), text(found.get("id")))
    for item in items(found.get("toolCalls")):
        asked = table(item)
        draft.touch(places(asked.get("args")), edited=asked.get("name") in EDITS)
        call(draft, asked.get("name"), asked.get("args"), asked.get("id"), _error(asked))


def _error(asked: Mapping[str, object]) -> str:
    """What became of a call of a tool, where it has failed; a person's refusal is no failure."""
    answers = [table(part, "functionResponse", "response") for part in items(asked.get("result"))]
    if asked.get("status") == "error":
        words = (text(one.get("error")) or text(one.get("output")) for one in answers)
        return failed_text("\n".join(filter(None, words)) or text(asked.get("resultDisplay")))
    return next((found for one in answers if (found := failure_in(one.get("output")))), "")
