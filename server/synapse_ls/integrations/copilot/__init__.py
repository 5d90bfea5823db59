"""GitHub Copilot: its command line, its harness in VS Code, and the cloud agent.

A hook is called in the spelling of the name under which it is registered:
``userPromptSubmitted`` gets ``sessionId``, ``UserPromptSubmit`` gets ``session_id``. The
reply is flat for both, for hooks from ``.claude/settings.json`` too.

Source: the hooks reference in github/docs, checked against 1.0.102. What it says of
``userPromptSubmitted``, that its output is dropped, does not hold there; for the agent in the
cloud it is believed, so the start of a session is answered for its ``initialPrompt``.
"""

from __future__ import annotations

from synapse_ls.integrations.hook_client import HookClient, Reply, permission_fields
from synapse_ls.integrations.hook_event import (
    SESSION_START,
    TOOL,
    TOOL_BEFORE,
    Event,
    Payload,
    text_field,
)


class Copilot(HookClient):
    """GitHub Copilot; injected text is stored as part of the prompt, and 60,000 code points pass
    whole (measured).
    """

    name = "copilot"
    event_names = (
        "userPromptSubmitted", "sessionStart", "subagentStart", "preCompact", "preToolUse",
        "postToolUse", "agentStop", "sessionEnd", "UserPromptSubmit", "Stop",
    )  # fmt: skip
    tells_at_start = True  # in the cloud a prompt's reply is dropped, and this one is taken
    shows_notices = False
    project_variable = "COPILOT_PROJECT_DIR"
    reads_usage = True
    sees_replies = True

    def limit_of(self, kind: str) -> int:
        # 10 KB; two bytes a character
        return 5_000 if kind in (TOOL_BEFORE, TOOL) else self.reply_limit

    def parse_event(self, raw: Payload, name: str) -> Event:
        event = super().parse_event(raw, name)
        if not event.transcript:
            event.transcript = self._transcript().events_path(event.session_id)
        if event.kind == SESSION_START:
            event.prompt = text_field(raw, "initialPrompt", "initial_prompt")
        return event

    def wrap_context(self, event: Event, text: str) -> Reply:
        return {"additionalContext": text}

    def wrap_decision(self, event: Event, decision: str, reason: str) -> Reply:
        return permission_fields(decision, reason)


CLIENT = Copilot()
