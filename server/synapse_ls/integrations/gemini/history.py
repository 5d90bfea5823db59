"""This module reads the turns of a session file of Gemini CLI (format: the `transcript` module
beside it).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from synapse_ls.integrations import window_usage
from synapse_ls.integrations.gemini.transcript import (
    content_text,
    find_summary,
    injected_texts,
    record_model,
    replacement_messages,
    sent_tokens,
)
from synapse_ls.integrations.tool_error_text import response_failure, trim_failure
from synapse_ls.integrations.transcript_tail import inner_object
from synapse_ls.integrations.transcript_turns import (
    Turn,
    TurnDraft,
    TurnReader,
    add_tool_call,
    argument_paths,
    list_value,
    parse_records,
    string_value,
)

NAME = "gemini"

EDITING_TOOLS = ("replace", "edit", "write_file")


def recognises_record(found: Mapping[str, object]) -> bool:
    """Tells whether Gemini CLI wrote a record like this."""
    return "projectHash" in found or "$set" in found or "$rewindTo" in found or _is_answer(found)


def read_turns(lines: Iterable[bytes]) -> Iterator[Turn]:
    """Yields the turns of the conversation with Gemini CLI in the order of the file, those included
    that were taken back.
    """
    reading = TurnReader()
    asked = ""  # the message that began the open turn
    summary: object = None  # the last one; the client writes it again when a session is resumed
    for found in parse_records(lines):
        messages = replacement_messages(dict(found))
        if messages is not None:
            begun = find_summary(messages)
            if begun is not None and begun.get("id") != summary:
                summary = begun.get("id")
                reading.add_compaction()
        elif found.get("type") == "user":
            content = content_text(dict(found))
            prompt = _displayed_prompt(dict(found), content)
            if prompt and (not asked or found.get("id") != asked):
                asked = string_value(found.get("id"))
                yield from reading.open_turn(prompt, found.get("timestamp"))
            reading.add_injected(injected_texts(dict(found)), within=not prompt)
        elif _is_answer(found) and reading.draft is not None:
            _add_answer(reading.draft, dict(found))
    yield from reading.close_turn()


def _is_answer(found: Mapping[str, object]) -> bool:
    return found.get("type") == "gemini" and "id" in found


def _displayed_prompt(found: dict[str, object], content: str) -> str:
    """Returns the words of the person: as they were displayed, else as sent without those of
    hooks.
    """
    shown = content_text({"content": found.get("displayContent")})
    words = shown or content
    while (start := words.find("<hook_context>")) >= 0:
        end = words.find("</hook_context>", start)
        words = words[:start] + (words[end + len("</hook_context>") :] if end >= 0 else "")
    return words.strip()


def _add_answer(draft: TurnDraft, found: dict[str, object]) -> None:
    used, model = sent_tokens(found), record_model(found)
    window = window_usage.model_window(model)
    draft.set_usage(used, window_usage.raise_window(window, used, model) if window else None, model)
    draft.add_reply(content_text(found), string_value(found.get("id")))
    for item in list_value(found.get("toolCalls")):
        asked = inner_object(item)
        draft.add_files(
            argument_paths(asked.get("args")), edited=asked.get("name") in EDITING_TOOLS
        )
        add_tool_call(
            draft, asked.get("name"), asked.get("args"), asked.get("id"), _call_failure(asked)
        )


def _call_failure(asked: Mapping[str, object]) -> str:
    """Returns the words of the failure of a tool call, "" where it has not failed; a person's
    refusal is no failure.
    """
    answers = [
        inner_object(part, "functionResponse", "response")
        for part in list_value(asked.get("result"))
    ]
    if asked.get("status") == "error":
        words = (
            string_value(one.get("error")) or string_value(one.get("output")) for one in answers
        )
        return trim_failure(
            "\n".join(filter(None, words)) or string_value(asked.get("resultDisplay"))
        )
    return next((found for one in answers if (found := response_failure(one.get("output")))), "")
