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
class CompletionAbilities:
    """What the client can do with completion items.

    insert_replace: it tells inserting from replacing. default_ranges: it takes one range for a
    whole list.
    """

    snippets: bool
    insert_replace: bool
    default_ranges: bool
    label_details: bool
    commit_characters: bool
    markdown: bool

    @classmethod
    def from_client(cls, client: types.ClientCapabilities) -> CompletionAbilities:
        """Read the abilities from a client's ``initialize``."""

        def has(name: str) -> bool:
            return bool(get_capability(client, f"text_document.completion.{name}", False))

        formats = get_capability(
            client, "text_document.completion.completion_item.documentation_format", None
        )
        defaults = get_capability(
            client, "text_document.completion.completion_list.item_defaults", None
        )
        return cls(
            snippets=has("completion_item.snippet_support"),
            insert_replace=has("completion_item.insert_replace_support"),
            default_ranges="editRange" in (defaults or ()),
            label_details=has("completion_item.label_details_support"),
            commit_characters=has("completion_item.commit_characters_support"),
            markdown=types.MarkupKind.Markdown in (formats or ()),
        )


@dataclass(frozen=True, slots=True)
class ActionAbilities:
    """What the client can do with code actions.

    action_literals: it takes actions, not only commands. lazy_edits: their edits may be computed
    when one is chosen.
    """

    action_literals: bool
    lazy_edits: bool
    preferred_mark: bool

    @classmethod
    def from_client(cls, client: types.ClientCapabilities) -> ActionAbilities:
        """Read the abilities from a client's ``initialize``."""

        def given(name: str) -> Any:
            return get_capability(client, f"text_document.code_action.{name}", None)

        resolved = given("resolve_support.properties") or ()
        return cls(
            action_literals=given("code_action_literal_support") is not None,
            lazy_edits="edit" in resolved and bool(given("data_support")),
            preferred_mark=bool(given("is_preferred_support")),
        )


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
    """

    encoding: str
    pull: bool
    versions: bool
    links: bool
    watch: bool
    watch_anywhere: bool
    configuration: bool
    configuration_changes: bool
    progress: bool
    outline: bool
    definition_links: bool
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
    completion: CompletionAbilities
    actions: ActionAbilities

    @classmethod
    def from_client(cls, client: types.ClientCapabilities) -> ClientCapabilities:
        """Read the capabilities from a client's ``initialize``."""

        def has(name: str) -> bool:
            return bool(get_capability(client, name, False))

        formats = get_capability(client, "text_document.hover.content_format", None)
        hints, folding = "text_document.inlay_hint", "text_document.folding_range"
        resolved = get_capability(client, f"{hints}.resolve_support.properties", ()) or ()
        # Such operations exist in `documentChanges` only: who names some takes those (Neovim 0.11).
        edits = "workspace.workspace_edit"
        operations = get_capability(client, f"{edits}.resource_operations", None) or ()
        return cls(
            encoding=chosen_encoding(client),
            pull=client.text_document is not None
            and client.text_document.diagnostic is not None
            and has("workspace.diagnostics.refresh_support"),
            versions=has("text_document.publish_diagnostics.version_support"),
            links=has("text_document.publish_diagnostics.related_information")
            or has("text_document.diagnostic.related_information"),
            watch=has("workspace.did_change_watched_files.dynamic_registration"),
            watch_anywhere=has("workspace.did_change_watched_files.relative_pattern_support"),
            configuration=has("workspace.configuration"),
            configuration_changes=has("workspace.did_change_configuration.dynamic_registration"),
            progress=has("window.work_done_progress"),
            outline=has("text_document.document_symbol.hierarchical_document_symbol_support"),
            definition_links=has("text_document.definition.link_support"),
            markdown=formats is None or types.MarkupKind.Markdown in formats,
            apply_edit=has("workspace.apply_edit"),
            document_changes=has(f"{edits}.document_changes") or bool(operations),
            operations=frozenset(str(getattr(kind, "value", kind)) for kind in operations),
            annotations=get_capability(client, f"{edits}.change_annotation_support", None)
            is not None,
            tooltips=has("text_document.document_link.tooltip_support"),
            completion=CompletionAbilities.from_client(client),
            actions=ActionAbilities.from_client(client),
            show_document=has("window.show_document.support"),
            lazy_tooltips="tooltip" in resolved,
            fold_limit=max(get_capability(client, f"{folding}.range_limit", 0) or 0, 0),
            refreshes=tuple(
                method
                for method, name in _REFRESH_CAPABILITIES.items()
                if has(f"workspace.{name}.refresh_support")
            ),
        )
