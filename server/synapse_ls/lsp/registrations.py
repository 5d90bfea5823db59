"""Which module answers which request of the protocol, and what the client is told about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from lsprotocol import types

from synapse_ls.ide.tokens.paint import MODIFIERS, TYPES
from synapse_ls.lsp import custom


def _files(*patterns: tuple[str, types.FileOperationPatternKind]) -> Any:
    return types.FileOperationRegistrationOptions(
        [
            types.FileOperationFilter(types.FileOperationPattern(glob, matches), scheme="file")
            for glob, matches in patterns
        ]
    )


class Answered(NamedTuple):
    """The module of ``features`` that answers a request, and the options it is announced with."""

    module: str
    options: Any = None


ACTIONS = ("quickfix", "refactor.rewrite", "source.fixAll.synapse")
"""The kinds of code actions that there are."""

TRIGGERS = ("_", "=", ",", "*", "@", ":", '"', "[", " ")
"""Characters after which editors ask for completion of their own accord."""

RENAMED = _files(
    ("**/.synapse/*", types.FileOperationPatternKind.File),
    ("**/.carl/*", types.FileOperationPatternKind.File),
    ("**/*.{md,yaml,yml}", types.FileOperationPatternKind.File),
    ("**/*", types.FileOperationPatternKind.Folder),
)
"""Files and folders that something in a tree may name; which do, only the trees know."""

ANSWERED: Mapping[str, Answered] = {
    types.TEXT_DOCUMENT_HOVER: Answered("hover"),
    types.TEXT_DOCUMENT_DEFINITION: Answered("definition"),
    types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: Answered("document_symbol"),
    types.TEXT_DOCUMENT_COMPLETION: Answered(
        "completion", types.CompletionOptions(trigger_characters=TRIGGERS, resolve_provider=True)
    ),
    types.COMPLETION_ITEM_RESOLVE: Answered("completion"),
    types.TEXT_DOCUMENT_CODE_ACTION: Answered(
        "code_action", types.CodeActionOptions(code_action_kinds=ACTIONS, resolve_provider=True)
    ),
    types.CODE_ACTION_RESOLVE: Answered("code_action"),
    types.TEXT_DOCUMENT_FORMATTING: Answered("formatting"),
    types.TEXT_DOCUMENT_RANGE_FORMATTING: Answered("formatting"),
    types.TEXT_DOCUMENT_FOLDING_RANGE: Answered("folding_range"),
    types.TEXT_DOCUMENT_SELECTION_RANGE: Answered("selection_range"),
    types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL: Answered(
        "semantic_tokens", types.SemanticTokensLegend(TYPES, MODIFIERS)
    ),
    types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL_DELTA: Answered("semantic_tokens"),
    types.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE: Answered("semantic_tokens"),
    types.TEXT_DOCUMENT_INLAY_HINT: Answered("inlay_hint"),
    types.INLAY_HINT_RESOLVE: Answered("inlay_hint_resolve"),
    types.TEXT_DOCUMENT_CODE_LENS: Answered("code_lens"),
    types.CODE_LENS_RESOLVE: Answered("code_lens_resolve"),
    types.TEXT_DOCUMENT_REFERENCES: Answered("references"),
    types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT: Answered("document_highlight"),
    types.TEXT_DOCUMENT_DOCUMENT_LINK: Answered("document_link"),
    types.TEXT_DOCUMENT_PREPARE_RENAME: Answered("rename"),
    types.TEXT_DOCUMENT_RENAME: Answered("rename"),
    types.WORKSPACE_SYMBOL: Answered("workspace_symbol"),
    types.WORKSPACE_WILL_RENAME_FILES: Answered("rename_files", RENAMED),
    types.WORKSPACE_DID_RENAME_FILES: Answered("rename_files", RENAMED),
    **dict.fromkeys(custom.PARAMS, Answered("custom_requests")),
    custom.WHY: Answered("why"),
    custom.GUARD: Answered("guard"),
    custom.COMPACT: Answered("compact"),
    custom.ACTIVATION: Answered("activation"),
    **dict.fromkeys((custom.TESTS, custom.RUN_TESTS), Answered("tree_tests")),
}
"""Request -> its module, which is imported with the first such request."""
