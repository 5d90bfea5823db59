"""Kimi Code.

It passes on a hook's reply to a prompt, which then stays in the conversation, and respects a denied
tool; other replies are ignored. Output without a message reaches the model as it is, even an empty
object, so nothing is printed then.

Source: Kimi Code's documentation of hooks and its code, checked against 2.1.0.
"""

from synapse_ls.integrations.hook_client import HookClient, Reply
from synapse_ls.integrations.hook_event import PROMPT, Event, Payload, text_field


class KimiCode(HookClient):
    """Kimi Code, whose sessions nobody reads here; what is told is a message of the conversation
    (measured), which the person sees as well.
    """

    name = "kimi"
    event_names = (
        "UserPromptSubmit", "SessionStart", "PreCompact", "PostCompact", "PreToolUse",
        "PostToolUse", "PostToolUseFailure", "Stop", "SessionEnd",
    )  # fmt: skip
    context_events = (PROMPT,)
    can_ask = False
    shows_notices = False
    prints_nothing = True
    transcript_has_failures = False

    def parse_event(self, raw: Payload, name: str) -> Event:
        event = super().parse_event(raw, name)
        parts = raw.get("prompt")
        if event.kind == PROMPT and not event.prompt and isinstance(parts, list):
            # The parts may hold pictures as well.
            event.prompt = "\n".join(filter(None, (text_field(part, "text") for part in parts)))
        return event

    def wrap_context(self, event: Event, text: str) -> Reply:
        return {"message": text}


CLIENT = KimiCode()
