"""GitHub Copilot: its command line, its harness in VS Code, and the cloud agent.

The name under which a hook is registered decides the spelling of its input: ``userPromptSubmitted``
gets ``sessionId``, ``UserPromptSubmit`` gets ``session_id``. The reply is flat for both, also for
hooks from ``.claude/settings.json``.

Source: the hooks reference in github/docs, checked against 1.0.102. It says that the output of
``userPromptSubmitted`` is dropped, which is untrue there; for the cloud agent it is believed, so
the start of a session is answered for its ``initialPrompt``.
"""

import os

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
    shows_notices = False
    project_variable = "COPILOT_PROJECT_DIR"
    reads_usage = True
    has_branches = True
    shows_forks = True

    @property
    def tells_at_start(self) -> bool:
        """Whether this is the agent in the cloud, where a prompt's reply is dropped. On a person's
        machine a start's text is lost with the next rewind or resume, a prompt's is not.
        """
        return bool(os.environ.get("COPILOT_AGENT_JOB_ID"))

    def is_one_shot(self, event: Event) -> bool:
        """Return whether it runs with ``--prompt``: in a terminal another program starts it."""
        named = os.environ.get("COPILOT_CLI_BINARY_VERSION")
        return bool(named) and "COPILOT_LOADER_PID" not in os.environ

    def limit_of(self, kind: str) -> int:
        # 10 KB; two bytes a character
        return 5_000 if kind in (TOOL_BEFORE, TOOL) else self.reply_limit

    def parse_event(self, raw: Payload, name: str) -> Event:
        event = super().parse_event(raw, name)
        parent = text_field(raw, "parentAgentId", "parent_agent_id")
        if parent and event.session_id == event.subagent:
            event.session_id = parent  # a sub-agent's own prompts and tools name it as the session
        if not event.transcript:
            event.transcript = self._transcript().events_path(event.session_id)
        if event.kind == SESSION_START:
            event.prompt = self.typed_words(text_field(raw, "initialPrompt", "initial_prompt"))
        return event

    def wrap_context(self, event: Event, text: str) -> Reply:
        return {"additionalContext": text}

    def wrap_decision(self, event: Event, decision: str, reason: str) -> Reply:
        return permission_fields(decision, reason)


CLIENT = Copilot()
