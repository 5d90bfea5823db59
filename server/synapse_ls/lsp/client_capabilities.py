"""Read the client's capabilities from ``initialize``, as booleans that are computed once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lsprotocol import types
from pygls.capabilities import get_capability

from synapse_ls.lsp.convert import chosen_encoding

_REFRESH_CAPABILITIES = {
    types.WORKSPACE_CODE_LENS_REFRESH: "code_lens",
    types.WORKSPACE_INLAY_HINT_REFRESH: "inlay_hint",
    types.WORKSPACE_SEMANTIC_TOKENS_REFRESH: "semantic_tokens",
}


class AnnouncedCapabilities:
    """The client's capabilities in decoded JSON, with the attributes of
    ``types.ClientCapabilities``; what is not there is None.

    The protocol has 85 classes for them, of which the server reads a few fields: to make all of
    them took longer than anything else that ``initialize`` needs. Raises TypeError where ``fields``
    is no object.
    """

    def __init__(self, fields: object) -> None:
        if not isinstance(fields, Mapping):
            raise TypeError("the capabilities are not an object")
        self._fields = fields

    def __getattr__(self, name: str) -> Any:
        first, *rest = name.split("_")
        value = self._fields.get(first + "".join(map(str.capitalize, rest)))
        return AnnouncedCapabilities(value) if isinstance(value, Mapping) else value


@dataclass(frozen=True, slots=True)
class ClientCapabilities:
    """The client's capabilities that make a difference to this server.

    pull: it asks for diagnostics *and* can be told that those of other files changed; a client
    that cannot be told gets them pushed. watch: it watches files on request; watch_anywhere: also
    outside its folders, by relative patterns. links: diagnostics may point at other places.
    apply_edit: it makes changes on request. document_changes: edits may name versions. operations:
    what it can do to files ("create" …). annotations: edits may say what they are for. tooltips:
    links may say where they lead. refreshes: the requests by which it can be told that lenses,
    hints and tokens are others now. fold_limit: how many folds it wants at most, 0 for any number.

    Of completion, insert_replace: it tells inserting from replacing; default_ranges: it takes one
    range for a whole list. Of code actions, action_literals: it takes them, not only commands;
    lazy_edits: their edits may be computed when one is chosen.
    """

    encoding: str
    pull: bool
    links: bool
    watch: bool
    watch_anywhere: bool
    configuration: bool
    configuration_changes: bool
    progress: bool
    outline: bool
    definition_links: bool
    declaration_links: bool
    markdown: bool
    show_document: bool
    lazy_tooltips: bool
    fold_limit: int
    refreshes: tuple[str, ...]
    apply_edit: bool
    document_changes: bool
    operations: frozenset[str]
    annotations: bool
    tooltips: bool
    snippets: bool
    insert_replace: bool
    default_ranges: bool
    label_details: bool
    commit_characters: bool
    markdown_items: bool
    action_literals: bool
    lazy_edits: bool
    preferred_mark: bool
    content: bool

    @classmethod
    def from_client(cls, client: types.ClientCapabilities) -> ClientCapabilities:
        """Read the capabilities from a client's ``initialize``."""

        def get(name: str) -> Any:
            return get_capability(client, name, None)

        def has(name: str) -> bool:
            return bool(get(name))

        formats = get("text_document.hover.content_format")
        resolved = get("text_document.inlay_hint.resolve_support.properties") or ()
        item, action = "text_document.completion.completion_item", "text_document.code_action"
        # Such operations exist in `documentChanges` only: who names some takes those (Neovim 0.11).
        edits = "workspace.workspace_edit"
        operations = get(f"{edits}.resource_operations") or ()
        return cls(
            encoding=chosen_encoding(client),
            pull=get("text_document.diagnostic") is not None
            and has("workspace.diagnostics.refresh_support"),
            links=has("text_document.publish_diagnostics.related_information")
            or has("text_document.diagnostic.related_information"),
            watch=has("workspace.did_change_watched_files.dynamic_registration"),
            watch_anywhere=has("workspace.did_change_watched_files.relative_pattern_support"),
            configuration=has("workspace.configuration"),
            configuration_changes=has("workspace.did_change_configuration.dynamic_registration"),
            progress=has("window.work_done_progress"),
            outline=has("text_document.document_symbol.hierarchical_document_symbol_support"),
            definition_links=has("text_document.definition.link_support"),
            declaration_links=has("text_document.declaration.link_support"),
            markdown=formats is None or types.MarkupKind.Markdown in formats,
            apply_edit=has("workspace.apply_edit"),
            document_changes=has(f"{edits}.document_changes") or bool(operations),
            operations=frozenset(str(getattr(kind, "value", kind)) for kind in operations),
            annotations=get(f"{edits}.change_annotation_support") is not None,
            tooltips=has("text_document.document_link.tooltip_support"),
            snippets=has(f"{item}.snippet_support"),
            insert_replace=has(f"{item}.insert_replace_support"),
            default_ranges="editRange"
            in (get("text_document.completion.completion_list.item_defaults") or ()),
            label_details=has(f"{item}.label_details_support"),
            commit_characters=has(f"{item}.commit_characters_support"),
            markdown_items=types.MarkupKind.Markdown in (get(f"{item}.documentation_format") or ()),
            action_literals=has(f"{action}.code_action_literal_support"),
            lazy_edits="edit" in (get(f"{action}.resolve_support.properties") or ())
            and has(f"{action}.data_support"),
            preferred_mark=has(f"{action}.is_preferred_support"),
            content=get("workspace.text_document_content") is not None,
            show_document=has("window.show_document.support"),
            lazy_tooltips="tooltip" in resolved,
            fold_limit=max(get("text_document.folding_range.range_limit") or 0, 0),
            refreshes=tuple(
                method
                for method, name in _REFRESH_CAPABILITIES.items()
                if has(f"workspace.{name}.refresh_support")
            ),
        )
