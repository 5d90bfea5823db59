"""Claude Code.

Source: the Claude Code hooks reference, checked against 2.1.
"""

from __future__ import annotations

import os

from synapse_ls.integrations.hook_client import HookClient
from synapse_ls.integrations.hook_event import COMPACTING, SESSION_START, number_field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.integrations.hook_event import Event, Payload


class ClaudeCode(HookClient):
    """Claude Code; injected text stays in the conversation (measured)."""

    name = "claude"
    event_names = (
        "UserPromptSubmit", "SessionStart", "SubagentStart", "PreCompact", "PostCompact",
        "PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop", "SessionEnd",
    )  # fmt: skip
    reply_limit = 9_500  # past 10,000 characters the model gets a preview and a path
    silent_events = (COMPACTING,)  # what is printed then becomes an instruction for the summary
    project_variable = "CLAUDE_PROJECT_DIR"
    reads_usage = True
    usage_fields = ("model",)
    has_branches = True
    shows_forks = True
    marks_commands = True

    def is_one_shot(self, event: Event) -> bool:
        """Return whether it runs with ``--print`` or for its SDK: its environment names that."""
        return os.environ.get("CLAUDE_CODE_ENTRYPOINT", "").startswith("sdk")

    def parse_event(self, raw: Payload, name: str) -> Event:
        event = super().parse_event(raw, name)
        tokens = number_field(raw, "context_tokens")
        if event.kind == SESSION_START and tokens:
            window = self._transcript().model_window(event.model, tokens)
            origin = "Claude Code's session start"
            event.figures = {
                "used": tokens, "window": window, "model": event.model, "origin": origin,
            }  # fmt: skip
        return event


CLIENT = ClaudeCode()
