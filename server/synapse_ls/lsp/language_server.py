"""The language server: LSP methods, and the state of the connection to one client."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, Any, TypeVar

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.protocol import default_converter

from synapse_ls.lsp import editor_settings, feature_table, json_rpc, request_errors, stdio_transport
from synapse_ls.lsp.background_work import BackgroundTasks, Debouncer, ErrorLog, Worker, usual_level
from synapse_ls.lsp.client_capabilities import AnnouncedCapabilities, ClientCapabilities
from synapse_ls.lsp.convert import Range, uri_to_path, with_slashes
from synapse_ls.lsp.editor_settings import EditorSettings
from synapse_ls.lsp.features.diagnostics import DiagnosticRenderer, PullPublisher, PushPublisher
from synapse_ls.lsp.open_documents import OpenDocuments, TokenResults
from synapse_ls.storage.program_start import forget_foreign_folders
from synapse_ls.text.lazy_import import load_module
from synapse_ls.version import VERSION

if TYPE_CHECKING:
    from synapse_ls.lsp import root_discovery, sentence_translation
    from synapse_ls.lsp.served_trees import ServedTrees


_REFRESH_QUIET, _REFRESH_LIMIT = 0.4, 2.0  # seconds
_MOST_PREVIEWS = 8  # those asked for last are kept up to date

T = TypeVar("T")
logger = logging.getLogger(__name__)

NAME = "synapse"


@cache
def _shared_converter() -> Any:
    """Return the converter of all connections, which makes code for each type of the protocol when
    it first meets it.
    """
    converter = default_converter()  # type: ignore[no-untyped-call]
    converter.register_structure_hook(
        types.ClientCapabilities, lambda fields, _: AnnouncedCapabilities(fields)
    )
    return converter


_SETTINGS_TIMEOUT = 2.0  # seconds that a client has to answer what the start depends on


class Server(LanguageServer):
    """The language server on one connection to one client.

    folders: those that the client works in, as paths in its order.
    """

    protocol: json_rpc.ServerProtocol

    def __init__(self) -> None:
        super().__init__(
            NAME, VERSION, protocol_cls=json_rpc.ServerProtocol, converter_factory=_shared_converter
        )
        self.errors = ErrorLog(
            lambda sentence: self.show_message(sentence, types.MessageType.Error)
        )
        self.tasks = BackgroundTasks(self.errors.report)
        self.worker = Worker("synapse-worker")
        self.reader = Worker("synapse-reader")
        self.settings = EditorSettings()
        self._asks_for_settings = True
        self.trusted = True
        self.client_runs_links = False
        self.translate: sentence_translation.Translate = str
        self.stop: Callable[[int], object] = int
        self.client: ClientCapabilities
        self.documents: OpenDocuments
        self.renderer: DiagnosticRenderer
        self.publisher: PullPublisher | PushPublisher
        self.folders: tuple[str, ...] = ()
        self.tokens = TokenResults()
        self.previews: dict[str, None] = {}  # URIs of those that the client has asked for
        self._debounced_refreshes = Debouncer(self._send_refreshes, _REFRESH_QUIET, _REFRESH_LIMIT)
        for name in feature_table.COMMANDS:
            self._register_command(name)
        for method, (handler, options) in feature_table.FEATURES.items():
            self._register_feature(method, handler, options)
        handlers: Mapping[str, Callable[[Any], object]] = {
            types.INITIALIZED: lambda _: self.tasks.start(self._start()),
            types.TEXT_DOCUMENT_DID_OPEN: lambda params: self.trees.document_opened(
                self.documents.open(params.text_document)
            ),
            types.TEXT_DOCUMENT_DID_CHANGE: self._did_change,
            types.TEXT_DOCUMENT_DID_CLOSE: self._did_close,
            types.TEXT_DOCUMENT_DID_SAVE: lambda params: self._look_at([params.text_document]),
            types.WORKSPACE_DID_CHANGE_WATCHED_FILES: lambda params: self._look_at(params.changes),
            types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: self._did_change_folders,
            types.WORKSPACE_DID_CHANGE_CONFIGURATION: lambda params: self.tasks.start(
                self._reconfigure(params.settings)
            ),
        }
        for method, handle in handlers.items():
            # pygls marks what it registers, and a bound method cannot be marked.
            self.feature(method)(partial(handle))

    @cached_property
    def trees(self) -> ServedTrees:
        """The served trees; nothing before ``initialized`` needs them, nor what they import."""
        from synapse_ls.lsp.served_trees import ServedTrees, TreeJobs

        return ServedTrees(self, TreeJobs(self.documents, self.renderer))

    def _register_feature(self, method: str, handler: str, options: Any = None) -> None:
        async def call(handler: str, params: Any) -> Any:
            module, _, function = handler.partition(":")
            feature = load_module(f"synapse_ls.lsp.features.{module}")
            return await getattr(feature, function)(self, method, params)

        async def handle(params: Any) -> Any:
            if getattr(params, "for_model", None):
                await call(feature_table.GATE_FOR_MODELS, params)
            return await call(handler, params)

        self.feature(method, options)(handle)

    def _register_command(self, command: str) -> None:
        async def handle(*arguments: Any) -> Any:
            feature = load_module("synapse_ls.lsp.features.execute_command")
            return await feature.handle(self, command, arguments)

        self.command(command)(handle)

    # Life

    def initialize(self, params: types.InitializeParams) -> None:
        """Take in who the client is and what it can do."""
        self.client = ClientCapabilities.from_client(params.capabilities)
        self.documents = OpenDocuments(self.client.encoding)
        if params.locale:
            from synapse_ls.lsp.sentence_translation import choose_translation

            self.translate = choose_translation(params.locale)
        self.renderer = DiagnosticRenderer(self.documents, self.client.links, self.translate)
        # Older clients name one folder, by `rootUri` or `rootPath`.
        if params.workspace_folders:
            self._change_folders(add=params.workspace_folders)
        elif params.root_uri:
            self._change_folders(add=[types.WorkspaceFolder(params.root_uri, "")])
        elif params.root_path:
            self.folders = (with_slashes(params.root_path).rstrip("/") or "/",)
        wishes = feature_table.object_fields(params.initialization_options)
        self.trusted = wishes.get("trusted") is not False
        self.client_runs_links = self.renderer.opens_pages = wishes.get("commandLinks") is True
        if (settings := wishes.get("settings")) is not None:
            self._set_settings(EditorSettings.from_section(settings))
            self._asks_for_settings = False
        if self.client.pull:
            request = types.WORKSPACE_DIAGNOSTIC_REFRESH
            self.publisher = PullPublisher(
                lambda: self.tasks.start(self.request_client(request, None))
            )
            options = types.DiagnosticOptions(
                inter_file_dependencies=True, workspace_diagnostics=True, identifier=NAME
            )
            self._register_feature(
                types.TEXT_DOCUMENT_DIAGNOSTIC, "diagnostics:answer_document_diagnostic", options
            )
            self._register_feature(
                types.WORKSPACE_DIAGNOSTIC, "diagnostics:answer_workspace_diagnostic"
            )
        else:
            self.publisher = PushPublisher(self.text_document_publish_diagnostics)
        if params.process_id is not None:
            loop = asyncio.get_running_loop()
            stdio_transport.watch_process(params.process_id, loop, lambda: self.stop(1))

    def close(self) -> None:
        """End the server's threads, for a process that goes on without it."""
        self.trees.close()
        self.worker.close()
        self.reader.close()

    async def _start(self) -> None:
        if self._asks_for_settings and self.client.configuration:
            await self._fetch_settings()
        self.trees.find_trees()
        if self.client.configuration_changes:
            change = types.Registration(
                "synapse-configuration",
                types.WORKSPACE_DID_CHANGE_CONFIGURATION,
                types.DidChangeConfigurationRegistrationOptions(section=editor_settings.SECTION),
            )
            await self.request_client(
                types.CLIENT_REGISTER_CAPABILITY, types.RegistrationParams([change])
            )

    # Documents

    def _did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        if (document := self.documents.change(params)) is None:
            logger.warning("%s was changed, but it is not open", params.text_document.uri)
            return
        self.trees.document_changed(document)

    def _did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        if (document := self.documents.close(params.text_document.uri)) is not None:
            self.trees.document_closed(document)

    def _look_at(self, files: Iterable[Any]) -> None:
        """Look again at files that may be different on disk; each has a ``uri``."""
        for path in filter(None, (uri_to_path(file.uri) for file in files)):
            self.trees.path_changed(path)

    # Folders and settings

    def _did_change_folders(self, params: types.DidChangeWorkspaceFoldersParams) -> None:
        self._change_folders(params.event.added, params.event.removed)
        self.trees.find_trees()

    def _change_folders(
        self, add: Iterable[types.WorkspaceFolder], remove: Iterable[types.WorkspaceFolder] = ()
    ) -> None:
        removed = {uri_to_path(folder.uri) for folder in remove}
        added = filter(None, (uri_to_path(folder.uri) for folder in add))
        remaining = (path for path in self.folders if path not in removed)
        self.folders = tuple(dict.fromkeys((*remaining, *added)))
        forget_foreign_folders(named=self.folders)

    async def _reconfigure(self, pushed: object) -> None:
        before = self.settings
        if self.client.configuration:
            await self._fetch_settings()
        elif isinstance(pushed, dict):
            self._set_settings(
                EditorSettings.from_section(pushed.get(editor_settings.SECTION, pushed))
            )
        if self.settings != before:
            self.trees.settings_changed(before, self.settings)
            self.refresh_views()

    async def _fetch_settings(self) -> None:
        item = types.ConfigurationItem(section=editor_settings.SECTION)
        request = self.request_client(
            types.WORKSPACE_CONFIGURATION, types.ConfigurationParams([item])
        )
        try:
            sections = await asyncio.wait_for(request, _SETTINGS_TIMEOUT)
        except TimeoutError:
            logger.warning("the client does not answer workspace/configuration")
            return
        self._set_settings(EditorSettings.from_section(sections[0] if sections else None))

    def _set_settings(self, new_settings: EditorSettings) -> None:
        self.settings = new_settings
        self.renderer.is_enabled = new_settings.diagnostics
        self.renderer.selection = new_settings.findings
        word = new_settings.log_level
        level = getattr(logging, word.upper()) if word else usual_level()
        logging.getLogger("synapse_ls").setLevel(level)

    # Asking and answering

    async def find_place(self, uri: str) -> tuple[root_discovery.Root, str] | None:
        """Return the tree that a file belongs to and the path in it, once it is known which trees
        there are.
        """
        path = uri_to_path(uri)
        return None if path is None else await self.trees.find_place(path)

    async def query_file(self, uri: str, compute: Callable[[Any], T]) -> T | None:
        """Return what ``compute`` makes of a file, computed on the reader's thread beside the
        worker; None for a foreign file.

        Raises JsonRpcContentModified where the document has another text by then.
        """
        document = self.documents.get(uri)
        if (place := await self.find_place(uri)) is None:
            return None
        if (look := await self.worker.run(self.trees.file_context, *place, document)) is None:
            return None
        request_errors.require_text(document, look.facts.text)
        return await self.reader.run(compute, look)

    async def request_client(self, method: str, params: Any) -> Any:
        """Send a request to the client and return its answer. None where the client refuses: no
        client must be able to stop us.
        """
        try:
            return await self.protocol.send_request_async(method, params)
        except Exception as error:
            logger.warning("the client refuses %s: %s", method, error)
            return None

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Report a failure; pygls calls it."""
        self.errors.report(error, answered="Request" in getattr(source, "__name__", ""))

    def refresh_views(self, *, edited: bool = False, open_files: int = 2) -> None:
        """Ask the client to request lenses, hints and tokens again, once a burst of changes is
        over; ``edited``: in a buffer, which concerns only the others that are open.

        A client asks again by itself for a document that is being edited, and for no other; but a
        rule in one file changes the figures in another, and a session all of them.
        """
        if self.previews or (self.client.refreshes and not (edited and open_files < 2)):
            self._debounced_refreshes()

    def _send_refreshes(self) -> None:
        for method in self.client.refreshes:
            self.tasks.start(self.request_client(method, None))
        for uri in tuple(self.previews)[-_MOST_PREVIEWS:]:
            params = types.TextDocumentContentRefreshParams(uri)
            request = types.WORKSPACE_TEXT_DOCUMENT_CONTENT_REFRESH
            self.tasks.start(self.request_client(request, params))

    async def show_file(self, uri: str, selection: Range | None = None) -> bool:
        """Have the client show a document; return whether it did."""
        if not self.client.show_document:
            return False
        params = types.ShowDocumentParams(uri, take_focus=True, selection=selection)
        result = await self.request_client(types.WINDOW_SHOW_DOCUMENT, params)
        return bool(getattr(result, "success", False))

    def show_message(self, sentence: str, kind: types.MessageType = types.MessageType.Info) -> None:
        """Show a sentence to the person."""
        self.window_show_message(types.ShowMessageParams(kind, sentence))

    def window_show_message(self, params: types.ShowMessageParams) -> None:
        """Show a message, in which what a repository says becomes no link."""
        params.message = feature_table.break_links(params.message)
        super().window_show_message(params)
