"""The table of LSP requests, ``synapse/*`` methods and commands, with their handlers and options.

Also what replaces shell commands in sentences, since a user of only the extension has no
``synapse``.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from lsprotocol import types

from synapse_ls.setup.mcp_sdk import sdk_problem

# What a word is.
#
# namespace: a domain or a squad. property: a setting. keyword: a fixed word of a rule's key, and
# verbs of authority in its text. number: an index or a count. string: a recall or exclusion word, a
# file. regexp: a pattern of files. enum: an article. enumMember: a state, a boolean, a bracket, a
# status, a way to extend. class: an agent. interface: a workflow. function: a star-command or a
# task. event: a phase. struct: a heading. macro: a severity. comment: a comment.
TOKEN_TYPES = (
    "namespace", "property", "keyword", "number", "string", "regexp", "enum", "enumMember", "class",
    "interface", "function", "event", "struct", "macro", "comment",
)  # fmt: skip

# More about it.
#
# declaration: its first mention in the manifest. definition: what defines it for the whole tree.
# readonly: non-negotiable. deprecated: without effect, because it is inactive, repeated or
# shadowed. defaultLibrary: built in.
TOKEN_MODIFIERS = ("declaration", "definition", "readonly", "deprecated", "defaultLibrary")

CONTEXT = "synapse/context"
EXPLAIN = "synapse/explain"
STATUS = "synapse/status"
DOMAINS = "synapse/domains"
SESSIONS = "synapse/sessions"
CHOICES = "synapse/choices"
SQUADS = "synapse/squads"
WHY = "synapse/why"
GUARD = "synapse/guard"
COMPARE = "synapse/compare"
TESTS = "synapse/tests"
RUN_TESTS = "synapse/runTests"
INJECTIONS = "synapse/injections"
COMPACT = "synapse/compact"
MEMORY = "synapse/memory"
ACTIVATION = "synapse/activation"
AUDIT = "synapse/audit"
RULE_PAGE = "synapse/rulePage"
DID_CHANGE_CONTEXT = "synapse/didChangeContext"

# The requests; `custom_messages` has what is asked in each of them.
METHODS = (
    CONTEXT, EXPLAIN, STATUS, DOMAINS, SESSIONS, CHOICES, SQUADS, WHY, GUARD, COMPARE, TESTS,
    RUN_TESTS, INJECTIONS, COMPACT, MEMORY, ACTIVATION, AUDIT, RULE_PAGE,
)  # fmt: skip


def string_fields(value: Any) -> dict[str, str]:
    """Return the strings by name in an object that a client has sent with a custom method; {} where
    it is none.
    """
    return {name: text for name, text in object_fields(value).items() if isinstance(text, str)}


def object_fields(value: Any) -> dict[str, Any]:
    """Return the fields of an object that a client has sent with a custom method, which pygls may
    have made a named tuple of; {} where it is none.
    """
    if hasattr(value, "_asdict"):
        value = value._asdict()
    return {str(name): item for name, item in value.items()} if isinstance(value, Mapping) else {}


def experimental_capabilities() -> dict[str, Any] | None:
    """Return ``capabilities.experimental``, what this server can do beyond the standard; None for
    nothing.

    mcp: the server can be started as one of the Model Context Protocol, by ``args`` in the place of
    ``serve``; only where the interpreter that runs has the SDK.
    """
    return None if sdk_problem() else {"mcp": {"args": ["mcp"]}}


# The scheme under which a client shows previews as texts of the server.
PREVIEW_SCHEME = "synapse-block"

# Commands that change files of the tree, by an edit of the client or on disk.
CHANGE_COMMANDS = (
    "synapse.fixAll", "synapse.newDomain", "synapse.newRule", "synapse.toggleDomain",
    "synapse.useLive", "synapse.setSession", "synapse.activate", "synapse.sync", "synapse.migrate",
)  # fmt: skip

COMMANDS = (
    "synapse.preview", "synapse.open", "synapse.references", "synapse.runTest", "synapse.pin",
    *CHANGE_COMMANDS,
)  # fmt: skip


class Feature(NamedTuple):
    """The function that answers a request, as ``module:function`` of ``features``, and the options
    that it is announced with.
    """

    handler: str
    options: Any = None


# The kinds of code actions that there are.
ACTION_KINDS = ("quickfix", "refactor.rewrite", "source.fixAll.synapse")

# Characters after which editors ask for completion of their own accord.
COMPLETION_TRIGGERS = ("_", "=", ",", "*", "@", ":", '"', "[", " ")

# Files and folders that something in a tree may name; which do, only the trees know.
RENAME_FILTERS = types.FileOperationRegistrationOptions(
    [
        types.FileOperationFilter(types.FileOperationPattern(glob, matches), scheme="file")
        for glob, matches in (
            ("**/.synapse/*", types.FileOperationPatternKind.File),
            ("**/.carl/*", types.FileOperationPatternKind.File),
            ("**/*.{md,yaml,yml}", types.FileOperationPatternKind.File),
            ("**/*", types.FileOperationPatternKind.Folder),
        )
    ]
)

# Request -> what answers it, whose module is imported with the first such request.
FEATURES: Mapping[str, Feature] = {
    types.TEXT_DOCUMENT_HOVER: Feature("annotations:answer_hover"),
    types.TEXT_DOCUMENT_DEFINITION: Feature("navigation:answer_definition"),
    types.TEXT_DOCUMENT_DECLARATION: Feature("navigation:answer_definition"),
    types.TEXT_DOCUMENT_LINKED_EDITING_RANGE: Feature("navigation:answer_linked_ranges"),
    types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY: Feature("navigation:answer_preparation"),
    types.CALL_HIERARCHY_INCOMING_CALLS: Feature("navigation:answer_incoming"),
    types.CALL_HIERARCHY_OUTGOING_CALLS: Feature("navigation:answer_outgoing"),
    types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: Feature("document_structure:answer_document_symbols"),
    types.TEXT_DOCUMENT_COMPLETION: Feature(
        "completion:answer_completion",
        types.CompletionOptions(trigger_characters=COMPLETION_TRIGGERS, resolve_provider=True),
    ),
    types.COMPLETION_ITEM_RESOLVE: Feature("completion:answer_completion"),
    types.TEXT_DOCUMENT_CODE_ACTION: Feature(
        "code_action:answer_code_action",
        types.CodeActionOptions(code_action_kinds=ACTION_KINDS, resolve_provider=True),
    ),
    types.CODE_ACTION_RESOLVE: Feature("code_action:answer_code_action"),
    types.TEXT_DOCUMENT_FORMATTING: Feature("formatting_and_rename:answer_formatting"),
    types.TEXT_DOCUMENT_RANGE_FORMATTING: Feature(
        "formatting_and_rename:answer_formatting",
        types.DocumentRangeFormattingOptions(ranges_support=True),
    ),
    types.TEXT_DOCUMENT_RANGES_FORMATTING: Feature("formatting_and_rename:answer_formatting"),
    types.TEXT_DOCUMENT_ON_TYPE_FORMATTING: Feature(
        "formatting_and_rename:answer_formatting", types.DocumentOnTypeFormattingOptions("\n")
    ),
    types.TEXT_DOCUMENT_FOLDING_RANGE: Feature("document_structure:answer_folding_range"),
    types.TEXT_DOCUMENT_SELECTION_RANGE: Feature("document_structure:answer_selection_range"),
    types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL: Feature(
        "document_structure:answer_semantic_tokens",
        types.SemanticTokensLegend(TOKEN_TYPES, TOKEN_MODIFIERS),
    ),
    types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL_DELTA: Feature(
        "document_structure:answer_semantic_tokens"
    ),
    types.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE: Feature("document_structure:answer_semantic_tokens"),
    types.TEXT_DOCUMENT_INLAY_HINT: Feature("annotations:answer_inlay_hint"),
    types.INLAY_HINT_RESOLVE: Feature("annotations:resolve_inlay_hint"),
    types.TEXT_DOCUMENT_CODE_LENS: Feature("annotations:answer_code_lens"),
    types.CODE_LENS_RESOLVE: Feature("annotations:resolve_code_lens"),
    types.TEXT_DOCUMENT_REFERENCES: Feature(
        "navigation:answer_references", types.ReferenceOptions(work_done_progress=True)
    ),
    types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT: Feature("navigation:answer_highlights"),
    types.TEXT_DOCUMENT_DOCUMENT_LINK: Feature("navigation:answer_links"),
    types.TEXT_DOCUMENT_PREPARE_RENAME: Feature("formatting_and_rename:answer_rename"),
    types.TEXT_DOCUMENT_RENAME: Feature("formatting_and_rename:answer_rename"),
    types.WORKSPACE_SYMBOL: Feature(
        "document_structure:answer_workspace_symbols",
        types.WorkspaceSymbolOptions(work_done_progress=True),
    ),
    types.WORKSPACE_TEXT_DOCUMENT_CONTENT: Feature("execute_command:answer_content"),
    types.WORKSPACE_WILL_RENAME_FILES: Feature(
        "formatting_and_rename:answer_file_renames", RENAME_FILTERS
    ),
    types.WORKSPACE_DID_RENAME_FILES: Feature(
        "formatting_and_rename:answer_file_renames", RENAME_FILTERS
    ),
    **dict.fromkeys(METHODS, Feature("panel_requests:answer_question")),
    WHY: Feature("custom_requests:answer_why"),
    GUARD: Feature("custom_requests:answer_guard"),
    COMPACT: Feature("custom_requests:answer_compact"),
    ACTIVATION: Feature("session_commands:answer_activation"),
    AUDIT: Feature("custom_requests:answer_audit"),
    RULE_PAGE: Feature("custom_requests:answer_rule_page"),
    **dict.fromkeys((TESTS, RUN_TESTS), Feature("custom_requests:answer_tests")),
}
GATE_FOR_MODELS = "panel_requests:require_served"  # asked first, where a model gets the answer


_COMMAND = re.compile(r"`synapse ([a-z][^`]*)`")

# What an editor has for a command line that begins so; the longer beginning counts.
_EDITOR_COMMANDS = (
    ("activate", "“Synapse: Activate Agent…”"),
    ("audit", "“Synapse: Audit Past Sessions”"),
    ("check", "the Problems panel"),
    ("check --fix", "“Synapse: Fix All in the Rule Tree”"),
    ("diagnose", "“Synapse: Diagnose”"),
    ("doctor", "“Synapse: Doctor”"),
    ("domain new", "“Synapse: New Domain…”"),
    ("domain rule add", "“Synapse: New Rule…”"),
    ("domain toggle", "“Synapse: Switch Domain On or Off…”"),
    ("domains", "the view Domains"),
    ("explain", "“Synapse: Why Not Injected…”"),
    ("handoff", "“Synapse: Write Hand-off…”"),
    ("init", "“Synapse: Create Rule Tree”"),
    ("init --from", "“Synapse: Create Rule Tree from CLAUDE.md and the Like…”"),
    ("install", "“Synapse: Install Hook…”"),
    ("memory add", "“Synapse: Remember…”"),
    ("memory list", "the view Memory"),
    ("memory restore", "Restore in the view Memory"),
    ("migrate", "“Synapse: Migrate CARL Tree…”"),
    ("profile use synapse-live", "“Synapse: Use the Profile synapse-live”"),
    ("session list", "the view Sessions"),
    ("trust", "“Synapse: Trust This Tree”"),
    ("uninstall", "“Synapse: Uninstall Hook…”"),
)
# Those whose arguments the editor asks for, or knows; with other arguments only a shell does it.
_ARGUED = frozenset({"activate", "domain new", "init --from", "install", "memory restore"})


def break_links(text: str) -> str:
    """Return a sentence in which what a repository says is no link: in some editors a link of a
    message runs a command.
    """
    return text.replace("](", "] (")


def name_editor_commands(text: str) -> str:
    """Return a sentence in which the commands of the extension stand where it has them."""

    def editor_command(shell_command: re.Match[str]) -> str:
        line = shell_command[1]
        for beginning, name in sorted(_EDITOR_COMMANDS, key=lambda row: -len(row[0])):
            if line == beginning or (line.startswith(f"{beginning} ") and beginning in _ARGUED):
                return name
        return shell_command[0]

    return _COMMAND.sub(editor_command, text)
