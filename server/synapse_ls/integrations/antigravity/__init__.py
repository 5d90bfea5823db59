"""Google Antigravity.

``PreInvocation`` comes before every model call, without the prompt: that is the last one in the
transcript, ``…/.system_generated/logs/transcript.jsonl``, one step per line. ``turn`` is the same
for all calls of a prompt. The transcript has neither usage figures nor what hooks add.

Source: the Antigravity hooks documentation and reports about 1.1.21 to 1.2.6; not checked here.
"""

from synapse_ls.integrations.hook_client import ASK, HookClient, Reply
from synapse_ls.integrations.hook_event import (
    PROMPT,
    TOOL_BEFORE,
    Event,
    Payload,
    add_folders,
    replace_surrogates,
    text_items,
)
from synapse_ls.integrations.transcript_tail import lines_backward, parse_record
from synapse_ls.text.lazy_import import load_module


class Antigravity(HookClient):
    """Google Antigravity, which takes an empty reply about a tool for "deny".

    "ask" goes on as it would, past what the person has allowed for good; "force_ask" asks each
    time.
    """

    name = "antigravity"
    folder_field = "Cwd"
    event_names = ("PreInvocation", "SessionStart", "PreToolUse", "PostToolUse", "Stop")
    context_events = (PROMPT,)
    keeps_context = False  # an ephemeral message is for one model call
    prompts_per_model_call = True
    shows_notices = False

    def empty_reply(self, kind: str) -> Reply | None:
        return {"decision": "ask"} if kind == TOOL_BEFORE else {}

    def parse_event(self, raw: Payload, name: str) -> Event:
        event = super().parse_event(raw, name)
        add_folders(event, text_items(raw.get("workspacePaths")))
        if event.kind == PROMPT and event.transcript and not event.prompt:
            event.prompt, event.turn = map(replace_surrogates, last_prompt(event.transcript))
        event.is_counted = event.is_counted and bool(event.prompt)
        return event

    def wrap_context(self, event: Event, text: str) -> Reply:
        return {"injectSteps": [{"ephemeralMessage": text}]}

    def wrap_decision(self, event: Event, decision: str, reason: str) -> Reply:
        return {"decision": "force_ask" if decision == ASK else decision, "reason": reason}


def last_prompt(path: str) -> tuple[str, str]:
    """Return what the person asked last in a transcript, and the number of that step, which names
    the turn; ("", "") for none.
    """
    for line in lines_backward(path):
        if b"USER_INPUT" in line:
            step = parse_record(line)
            if text := step_prompt(step):
                return text, str(step.get("step_index", ""))
    return "", ""


def step_prompt(step: Payload) -> str:
    """Return what a person asked in a step, without the metadata that the client puts beside it; ""
    for none.
    """
    content = step.get("content")
    is_typed = step.get("source") in (None, "", "USER_EXPLICIT")
    if step.get("type") != "USER_INPUT" or not is_typed or not isinstance(content, str):
        return ""
    words: str = load_module("synapse_ls.integrations.typed_words").typed_words(
        content, "USER_REQUEST"
    )
    return words.strip()


CLIENT = Antigravity()
