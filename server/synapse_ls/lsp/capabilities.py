"""What the client can do, as booleans, worked out once."""

from __future__ import annotations

from dataclasses import dataclass

from lsprotocol import types
from pygls.capabilities import get_capability

from synapse_ls.lsp.convert import chosen_encoding


@dataclass(frozen=True, slots=True)
class Capabilities:
    """The client's capabilities that make a difference to this server.

    pull: it asks for diagnostics *and* can be told that those of other files changed; a client
    that cannot be told gets them pushed. watch: it watches files on request; watch_anywhere: also
    outside its folders, by relative patterns. links: diagnostics may point at other places.
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

    @classmethod
    def of(cls, client: types.ClientCapabilities) -> Capabilities:
        """The capabilities in a client's ``initialize``."""

        def has(name: str) -> bool:
            return bool(get_capability(client, name, False))

        formats = get_capability(client, "text_document.hover.content_format", None)
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
        )
