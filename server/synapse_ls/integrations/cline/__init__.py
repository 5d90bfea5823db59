"""Cline.

It runs commands as hooks but uses their replies for tools only. So a plugin of its command line is
used: it is asked before every model call, and its addition is for that call alone. What it adds to
a tool's result stays in the conversation.

Source: Cline's documentation of plugins and its code, checked against 3.0.65 of the command line.
"""

from synapse_ls.integrations.hook_event import PROMPT, TOOL, TOOL_BEFORE
from synapse_ls.integrations.opencode import PluginClient


class Cline(PluginClient):
    """Cline, where a plugin has no way to show the person something."""

    name = "cline"
    title = "Cline"
    event_names = ("UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop")
    context_events = (PROMPT, TOOL_BEFORE, TOOL)
    unread_events = ()
    # It takes more in a request, but cuts off at 50,000 what comes with a tool.
    reply_limit = 50_000
    has_branches = False
    keeps_context = False  # what is added to a request is for that one (measured)
    prompts_per_model_call = True
    shows_notices = False


CLIENT = Cline()
