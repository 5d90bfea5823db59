"""An unknown agent client, answered in the shape that most known ones understand.

Claude Code, Copilot, VS Code, Cursor and Gemini CLI each find their own field in one object and
ignore the rest. Codex rejects unknown fields.
"""

from synapse_ls.integrations.hook_client import (
    HookClient,
    Reply,
    nested_context,
    nested_permission,
    permission_fields,
)
from synapse_ls.integrations.hook_event import Event, Payload, add_folders, text_items


class UnknownClient(HookClient):
    """An unknown client, whose transcript nobody knows how to read."""

    name = "other"
    event_names = (
        "UserPromptSubmit", "SessionStart", "SubagentStart", "PreCompact", "PostCompact",
        "PreToolUse", "PostToolUse", "Stop", "SessionEnd",
    )  # fmt: skip
    reply_limit = 9_500  # the smallest of the known limits
    keeps_context = False  # nobody has seen yet that it does

    def parse_event(self, raw: Payload, name: str) -> Event:
        event = super().parse_event(raw, name)
        add_folders(event, text_items(raw.get("workspace_roots") or raw.get("workspacePaths")))
        return event

    def wrap_context(self, event: Event, text: str) -> Reply:
        flat = {"additional_context": text, "additionalContext": text}
        return {**flat, **nested_context(event, text)}

    def wrap_decision(self, event: Event, decision: str, reason: str) -> Reply:
        return {
            "decision": decision,
            "permission": decision,
            "reason": reason,
            "agent_message": reason,
            **permission_fields(decision, reason),
            **nested_permission(event, decision, reason),
        }


CLIENT = UnknownClient()
