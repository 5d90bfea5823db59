"""The server: where the parts of the shell meet."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcContentModified
from pygls.lsp.server import LanguageServer
from pygls.protocol import default_converter

from synapse_ls.lsp import configuration, convert, parent
from synapse_ls.lsp.capabilities import Capabilities
from synapse_ls.lsp.commands import COMMANDS
from synapse_ls.lsp.configuration import Settings
from synapse_ls.lsp.diagnostics import Publisher, Pull, Push, Renderer
from synapse_ls.lsp.documents import Documents
from synapse_ls.lsp.errors import Errors
from synapse_ls.lsp.folders import Folders
from synapse_ls.lsp.given import fields
from synapse_ls.lsp.protocol import Protocol
from synapse_ls.lsp.refresh import Refresh
from synapse_ls.lsp.registrations import ANSWERED
from synapse_ls.lsp.schedule import Tasks, Worker
from synapse_ls.lsp.token_results import TokenResults
from synapse_ls.lsp.uris import path_of
from synapse_ls.text.lazy import load
from synapse_ls.version import VERSION

if TYPE_CHECKING:
    from synapse_ls.lsp.roots import Root
    from synapse_ls.lsp.trees import Trees

T = TypeVar("T")
logger = logging.getLogger(__name__)

NAME = "synapse"
_PULLED: Mapping[str, str] = {
    types.TEXT_DOCUMENT_DIAGNOSTIC: "document_diagnostic",
    types.WORKSPACE_DIAGNOSTIC: "workspace_diagnostic",
}
_PATIENCE = 2.0  # seconds that a client has to answer what the start depends on


class Server(LanguageServer):
    """One connection to one client."""

    protocol: Protocol

    def __init__(self) -> None:
        super().__init__(NAME, VERSION, protocol_cls=Protocol, converter_factory=default_converter)
        self.errors = Errors(self._tell)
        self.tasks = Tasks(self.errors.report)
        self.worker = Worker("synapse-worker")
        self.reader = Worker("synapse-reader")
        self.settings = Settings()
        self.trusted = True
        self.leave: Callable[[int], object] = int
        self.client: Capabilities
        self.documents: Documents
        self.renderer: Renderer
        self.publisher: Publisher
        self.folders = Folders()
        self.tokens = TokenResults()
        self.refresh = Refresh(self)
        for name in COMMANDS:
            self._run(name)
        for method, (module, options) in ANSWERED.items():
            self._answer(method, module, options)
        self._on(types.INITIALIZE, self._initialize)
        self._on(types.INITIALIZED, self._initialized)
        self._on(types.TEXT_DOCUMENT_DID_SAVE, self._did_save)
        self._on(types.WORKSPACE_DID_CHANGE_WATCHED_FILES, self._did_change_watched_files)
        self._on(types.WORKSPACE_DID_CHANGE_CONFIGURATION, self._did_change_configuration)

    @cached_property
    def trees(self) -> Trees:
        """The trees; nothing before ``initialized`` needs them, nor what they import."""
        from synapse_ls.lsp.trees import Trees
        from synapse_ls.lsp.work import Jobs

        return Trees(self, Jobs(self.documents, self.renderer))

    def _answer(self, method: str, name: str, options: Any = None) -> None:
        async def handle(params: Any) -> Any:
            return await load(f"synapse_ls.lsp.features.{name}").handle(self, method, params)

        self.feature(method, options)(handle)

    def _run(self, command: str) -> None:
        async def handle(*arguments: Any) -> Any:
            feature = load("synapse_ls.lsp.features.execute_command")
            return await feature.handle(self, command, arguments)

        self.command(command)(handle)

    def _on(self, method: str, handle: Callable[[Any], None]) -> None:
        # pygls marks what it registers, and a bound method cannot be marked.
        self.feature(method)(partial(handle))

    # Life

    def _initialize(self, params: types.InitializeParams) -> None:
        self.client = Capabilities.of(params.capabilities)
        self.documents = Documents(self.client.encoding)
        self.renderer = Renderer(self.documents, links=self.client.links)
        self.folders.set(params)
        self.trusted = fields(params.initialization_options).get("trusted") is not False
        if self.client.pull:
            self.publisher = Pull(self._refresh_diagnostics)
            options = types.DiagnosticOptions(
                inter_file_dependencies=True, workspace_diagnostics=True, identifier=NAME
            )
            for method, name in _PULLED.items():
                self._answer(
                    method, name, options if method == types.TEXT_DOCUMENT_DIAGNOSTIC else None
                )
        else:
            self.publisher = Push(self.text_document_publish_diagnostics)
        if params.process_id is not None:
            loop = asyncio.get_running_loop()
            parent.watch(params.process_id, loop, lambda: self.leave(1))

    def _initialized(self, _: types.InitializedParams) -> None:
        self.tasks.start(self._start())

    async def _start(self) -> None:
        await self._fetch_settings()
        self.trees.start()
        if self.client.configuration_changes:
            change = types.Registration(
                "synapse-configuration",
                types.WORKSPACE_DID_CHANGE_CONFIGURATION,
                types.DidChangeConfigurationRegistrationOptions(section=configuration.SECTION),
            )
            await self.ask(types.CLIENT_REGISTER_CAPABILITY, types.RegistrationParams([change]))

    # Documents

    def did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        """A document was opened."""
        given = params.text_document
        self.trees.opened(self.documents.open(given.uri, given.version, given.text))

    def did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        """A document was changed; what follows from that is the worker's."""
        given = params.text_document
        changes = convert.changes_of(params)
        document = self.documents.change(given.uri, given.version, changes)
        if document is None:
            logger.warning("%s was changed, but it is not open", given.uri)
            return
        self.trees.edited(document)

    def did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        """A document was closed."""
        document = self.documents.close(params.text_document.uri)
        if document is not None:
            self.trees.closed(document)

    def _did_save(self, params: types.DidSaveTextDocumentParams) -> None:
        self._on_disk(params.text_document.uri)

    def _did_change_watched_files(self, params: types.DidChangeWatchedFilesParams) -> None:
        for event in params.changes:
            self._on_disk(event.uri)

    def _on_disk(self, uri: str) -> None:
        path = path_of(uri)
        if path is not None:
            self.trees.on_disk(path)

    # Folders and settings

    def did_change_folders(self, params: types.DidChangeWorkspaceFoldersParams) -> None:
        """Workspace folders were added or removed."""
        self.folders.change(params.event)
        self.trees.find()

    def _did_change_configuration(self, params: types.DidChangeConfigurationParams) -> None:
        self.tasks.start(self._reconfigure(params.settings))

    async def _reconfigure(self, pushed: object) -> None:
        before = self.settings
        if self.client.configuration:
            await self._fetch_settings()
        elif isinstance(pushed, dict):
            self._set(Settings.of(pushed.get(configuration.SECTION, pushed)))
        if self.settings != before:
            self.trees.reconfigured(before, self.settings)
            self.refresh()

    async def _fetch_settings(self) -> None:
        if not self.client.configuration:
            return
        item = types.ConfigurationItem(section=configuration.SECTION)
        asked = self.ask(types.WORKSPACE_CONFIGURATION, types.ConfigurationParams([item]))
        try:
            given = await asyncio.wait_for(asked, _PATIENCE)
        except TimeoutError:
            logger.warning("the client does not answer workspace/configuration")
            return
        self._set(Settings.of(given[0] if given else None))

    def _set(self, settings: Settings) -> None:
        self.settings = settings
        self.renderer.enabled = settings.diagnostics

    # Asking and answering

    async def place_of(self, uri: str) -> tuple[Root, str] | None:
        """The tree that a file belongs to, once it is known which trees there are."""
        path = path_of(uri)
        return None if path is None else await self.trees.place_of(path)

    async def look(self, uri: str, answer: Callable[[Any], T]) -> T | None:
        """What ``answer`` makes of a file, worked out beside the worker; None for a foreign file."""
        document = self.documents.get(uri)
        place = await self.place_of(uri)
        if place is None:
            return None
        look = await self.worker.run(self.trees.look, *place, document)
        if look is None:
            return None
        if document is not None and look.facts.text != document.text:
            raise JsonRpcContentModified("The document was changed meanwhile.")
        return await self.reader.run(answer, look)

    async def ask(self, method: str, params: Any) -> Any:
        """A request to the client. None where it refuses: no client must be able to stop us."""
        try:
            return await self.protocol.send_request_async(method, params)
        except Exception as error:
            logger.warning("the client refuses %s: %s", method, error)
            return None

    @property
    def pull(self) -> Pull:
        """The diagnostics that are pulled; only for who has registered pulling."""
        assert isinstance(self.publisher, Pull)
        return self.publisher

    def report_server_error(self, error: Exception, source: Any) -> None:
        """pygls' way to report a failure."""
        self.errors.report(error, answered="Request" in getattr(source, "__name__", ""))

    def _refresh_diagnostics(self) -> None:
        self.tasks.start(self.ask(types.WORKSPACE_DIAGNOSTIC_REFRESH, None))

    def _tell(self, sentence: str) -> None:
        self.window_show_message(types.ShowMessageParams(types.MessageType.Error, sentence))
