"""The tags and section headings of an injected block, which rule text must not imitate."""

from __future__ import annotations

BLOCK_TAGS = ("synapse-rules", "carl-rules", "chati-context")
# Tags in which agent clients tell the model what the user did not write.
CLIENT_TAGS = (
    *("system-reminder", "user-prompt-submit-hook", "local-command-stdout", "local-command-stderr"),
    *("command-name", "command-message", "command-args", "task-notification", "teammate-message"),
    *("bash-input", "bash-stdout", "bash-stderr", "ide_selection", "ide_opened_file"),
    *("hook_context", "hook_result", "session_context", "state_snapshot", "system_reminder"),
    *("user_query", "user_request", "userrequest", "environment_context", "user_instructions"),
    *("ide_diagnostics", "new-diagnostics", "mcp-resource", "subagent_notification"),
    *("user_shell_command", "attached_files", "code_selection", "tagged_files", "editorcontext"),
    *("open_and_recently_viewed_files", "reminderinstructions", "developer_context"),
    *("in-app-browser-context", "additional_metadata", "local-command-caveat", "turn_aborted"),
    *("hook_prompt", "post-tool-use-hook", "posttooluse-context", "user_info", "pasted_content"),
    *("cross-session-message", "agent-message", "coordinator-relay", "fetched-web-content"),
    *("artifact-file-content", "artifact-room-event", "untrusted-uploads", "mcp-polling-update"),
    *("browser_instruction", "user-memory-input", "slack-ping", "system-note", "tool_use_error"),
    *("function_results", "persisted-output", "agent_message_board_notification", "user_action"),
    *("send_user_message_question_reply", "codex_internal_context", "realtime_delegation"),
    *("startup_context", "context_window_reminder", "imported_context", "cron-fire"),
    *("mcp_tool_result", "skill-loaded", "git-context", "user_command", "mode_notice"),
    *("user_input", "environment_details", "permissions instructions", "collaboration_mode"),
    *("apps_instructions", "skills_instructions", "file_content", "local-command-"),
    *("channel source=", "image name=", "terminal name="),
)

# Tags by which a rule would pass for something else.
FORGEABLE_TAGS = (*BLOCK_TAGS, *CLIENT_TAGS)

SECTION_HEADINGS = (
    "WITHDRAWN", "CONSTITUTION", "GLOBAL", "ACTIVE AGENT", "ACTIVE WORKFLOW", "SQUAD",
    "TASK CONTEXT", "KEYWORD MATCHES", "MEMORY HINTS", "CONTEXT BRACKET", "STAR-COMMANDS",
    "SYNAPSE", "HANDOFF WARNING", "CONTINUATION", "DEVMODE STATUS", "NOTICE",
    "LOADED DOMAINS SUMMARY",
    # What tags of blocks are for Gemini CLI.
    "SYNAPSE-RULES", "END OF SYNAPSE-RULES", "CARL-RULES", "END OF CARL-RULES", "CHATI-CONTEXT",
    "END OF CHATI-CONTEXT",
)  # fmt: skip

# Letters to Unicode, of which nobody sees anything.
HANGUL_FILLERS = "\u115f\u1160\u3164\uffa0"


def tag_name_end(text: str, start: int, tags: tuple[str, ...] = FORGEABLE_TAGS) -> int:
    """Return where the name of one of ``tags`` ends that begins at ``start``, behind an opening
    bracket, after a slash or without one; -1 where none does. What nobody sees does not count.
    """
    start = _skip_blank(text, start)
    while text.startswith("/", start):
        start = _skip_blank(text, start + 1)
    first = text[start : start + 1]
    firsts = f"{first.lower()}{first.upper()}"
    for tag in tags:
        if tag[0] not in firsts:
            continue
        end = _spelling_end(text, start, tag)
        if end < 0:
            continue
        following = text[end : end + 1]
        if is_blank(following) or not (following.isalnum() and tag[-1].isalnum()):
            return end
    return -1


def may_begin_tag(text: str) -> bool:
    """Return whether ``text``, which follows an opening bracket, is the beginning of such a name or
    nothing that is seen.
    """
    letters = "".join(c for c in text if not is_blank(c)).lower().lstrip("/")
    return any(tag.replace(" ", "").startswith(letters) for tag in FORGEABLE_TAGS)


def heading_end(text: str, start: int, headings: tuple[str, ...] = SECTION_HEADINGS) -> int:
    """Return where the ``]`` or ``:`` stands that ends one of ``headings`` whose name begins at
    ``start``, behind a square bracket; -1 where none does.
    """
    start = _skip_blank(text, start)
    for heading in headings:
        if not text.startswith(heading[0], start):
            continue
        end = _spelling_end(text, start, heading)
        if end >= 0 and text.startswith(("]", ":"), end := _skip_blank(text, end)):
            return end
    return -1


def _spelling_end(text: str, start: int, word: str) -> int:
    """Return where ``word`` ends that ``text`` spells at ``start``, blanks in it or not; -1 where
    it does not.
    """
    is_tag = word.islower()
    for letter in word.replace(" ", ""):
        start = _skip_blank(text, start)
        character = text[start : start + 1]
        if (character.lower() if is_tag else character) != letter:
            return -1
        start += 1
    return start


def _skip_blank(text: str, start: int) -> int:
    while start < len(text) and is_blank(text[start]):
        start += 1
    return start


def is_blank(character: str) -> bool:
    """Return whether a reader sees no letter and no sign of ASCII there."""
    if character.isascii():
        return character <= " " or character == "\x7f"
    return not character.isalnum() or character in HANGUL_FILLERS
