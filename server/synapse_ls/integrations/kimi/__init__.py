"""Kimi Code.

It passes on a hook's reply to a prompt, which then stays in the conversation, and respects a denied
tool; other replies are ignored. Output without a message reaches the model as it is, even an empty
object, so nothing is printed then.

Source: Kimi Code's documentation of hooks and its code, checked against 2.1.0.
"""

from collections.abc import Collection

from synapse_ls.integrations.hook_client import HookClient, Reply
from synapse_ls.integrations.hook_event import PROMPT, Event, Payload, text_field
from synapse_ls.integrations.transcript_tail import Branch
from synapse_ls.text.lazy_import import load_module


class KimiCode(HookClient):
    """Kimi Code; what is told is a message of the conversation (measured), which the person sees as
    well. Of its sessions only that is read.
    """

    name = "kimi"
    folder_field = "cwd"
    event_names = (
        "UserPromptSubmit", "SessionStart", "PreCompact", "PostCompact", "PreToolUse",
        "PostToolUse", "PostToolUseFailure", "Stop", "SessionEnd",
    )  # fmt: skip
    context_events = (PROMPT,)
    can_ask = False
    shows_notices = False
    prints_nothing = True
    has_branches = True
    transcript_has_failures = False

    def parse_event(self, raw: Payload, name: str) -> Event:
        event = super().parse_event(raw, name)
        parts = raw.get("prompt")
        if event.kind == PROMPT and not event.prompt and isinstance(parts, list):
            # The parts may hold pictures as well.
            texts = (self.typed_words(text_field(part, "text")) for part in parts)
            event.prompt = "\n".join(filter(None, texts))
        return event

    def read_branch(
        self, event: Event, hashes: Collection[str], newest: str = "", turn: str = ""
    ) -> Branch | None:
        transcript = load_module("synapse_ls.integrations.kimi.transcript")
        path = "" if event.subagent else transcript.session_file(event.session_id)
        branch: Branch | None = transcript.read_branch(path, hashes) if path else None
        return branch

    def wrap_context(self, event: Event, text: str) -> Reply:
        return {"message": text}


CLIENT = KimiCode()
