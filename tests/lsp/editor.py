"""An editor at the other end of a real pipe, made of pytest-lsp's client."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from lsprotocol import types
from lsprotocol.converters import get_converter
from pygls.protocol import default_converter
from pytest_lsp import LanguageClient
from pytest_lsp.client import register_lsp_features

from synapse_ls.formats.session_file import ActiveSquad, SessionState
from synapse_ls.lsp.convert import path_to_uri
from synapse_ls.storage.session_store import SessionStore
from tests.lsp.wire import PATIENCE, connected

COMMAND = [sys.executable, "-m", "synapse_ls", "serve", "--stdio"]
QUESTIONS = ("context", "explain", "status", "domains", "sessions")


class Editor(LanguageClient):
    """Keeps what it is told and wakes whoever waits for it."""

    def __init__(self) -> None:
        super().__init__(converter_factory=default_converter)
        register_lsp_features(self)
        self.published: list[types.PublishDiagnosticsParams] = []
        self.changes: list[dict[str, Any]] = []
        self.registered: list[types.RegistrationParams] = []
        self._news = asyncio.Event()
        self.protocol.fm.features.pop(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        self.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(self._keeping(self._publish))
        self.feature("synapse/didChangeContext")(self._keeping(self._change))
        self.feature(types.CLIENT_REGISTER_CAPABILITY)(self._keeping(self.registered.append))
        self.feature(types.CLIENT_UNREGISTER_CAPABILITY)(self._keeping(id))

    def _keeping(self, keep: Callable[[Any], object]) -> Callable[[Any], None]:
        def handle(params: Any) -> None:
            keep(params)
            self._news.set()

        return handle

    def _publish(self, params: types.PublishDiagnosticsParams) -> None:
        self.published.append(params)
        self.diagnostics[params.uri] = params.diagnostics

    def _change(self, params: Any) -> None:
        self.changes.append(plain(params))

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait for a condition, looked at with every message."""
        async with asyncio.timeout(PATIENCE):
            while not condition():
                self._news.clear()
                await self._news.wait()

    # What a person does

    def add(self, *roots: Path) -> None:
        """Add folders to the workspace."""
        self._folders([types.WorkspaceFolder(path_to_uri(str(r)), r.name) for r in roots], [])

    def remove(self, *roots: Path) -> None:
        """Take folders out of the workspace."""
        self._folders([], [types.WorkspaceFolder(path_to_uri(str(r)), r.name) for r in roots])

    def _folders(
        self, added: list[types.WorkspaceFolder], removed: list[types.WorkspaceFolder]
    ) -> None:
        event = types.WorkspaceFoldersChangeEvent(added=added, removed=removed)
        self.workspace_did_change_workspace_folders(
            types.DidChangeWorkspaceFoldersParams(event=event)
        )

    def open(self, path: Path, version: int = 1) -> str:
        """Open a file as it is; its URI."""
        uri = path_to_uri(str(path))
        text = path.read_bytes().decode()
        item = types.TextDocumentItem(uri, "synapse", version, text)
        self.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return uri

    def replace(self, uri: str, version: int, line: int, text: str) -> None:
        """Give a line, all but its break, another text."""
        whole = types.Range(types.Position(line, 0), types.Position(line, 10_000))
        self.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(version, uri),
                [types.TextDocumentContentChangePartial(whole, text)],
            )
        )

    def close(self, uri: str) -> None:
        """Close a file."""
        self.text_document_did_close(
            types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri))
        )

    # What is known

    async def ask(self, question: str, **params: Any) -> Any:
        """The answer to a ``synapse/*`` request, as plain values."""
        protocol: Any = self.protocol
        return plain(await protocol.send_request_async(f"synapse/{question}", params))

    async def told(self, root: Path, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The wanted ``synapse/didChangeContext`` of a tree: the latest, or the first from now on.

        Two may come at once, and the second of them says only what is different from the first.
        """
        uri = path_to_uri(str(root))
        before = [change for change in self.changes if change["root"] == uri][-1:]
        begin = len(self.changes)

        def found() -> dict[str, Any] | None:
            of_tree = (change for change in self.changes[begin:] if change["root"] == uri)
            return next((change for change in (*before, *of_tree) if wanted(change)), None)

        await self.until(lambda: found() is not None)
        change = found()
        assert change is not None
        return change

    def codes(self, uri: str) -> list[object]:
        """The codes of what was last published for a document."""
        return [one.code for one in self.diagnostics.get(uri, ())]

    def findings(self, root: Path) -> dict[str, list[str]]:
        """All that is said about the files of a tree at present: URI -> the diagnostics."""
        start = f"{path_to_uri(str(root))}/"
        return {
            uri: [str(one) for one in found]
            for uri, found in self.diagnostics.items()
            if found and uri.startswith(start)
        }


async def same_as_after_a_fresh_start(
    editor: Editor, root: Path, questions: tuple[str, ...] = QUESTIONS
) -> None:
    """Whatever can be asked about a tree is answered as by a server that has just begun."""
    answers = {q: await editor.ask(q, uri=path_to_uri(str(root))) for q in questions}
    async with connected(root) as wire:
        for question in questions:
            fresh = await wire.request(f"synapse/{question}", {"uri": path_to_uri(str(root))})
            assert answers[question] == fresh, question
        converter = get_converter()
        published = [
            converter.structure(params, types.PublishDiagnosticsParams)
            for params in wire.notifications("textDocument/publishDiagnostics")
        ]
        fresh_findings = {
            one.uri: [str(diagnostic) for diagnostic in one.diagnostics]
            for one in published
            if one.diagnostics
        }
    await editor.until(lambda: editor.findings(root) == fresh_findings)


def plain(value: Any) -> Any:
    """What pygls makes of JSON that it has no type for, as JSON again."""
    if hasattr(value, "_asdict"):
        return {name: plain(item) for name, item in value._asdict().items()}
    if isinstance(value, Mapping):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


def begin_session(root: Path, session: str, *, used: int, squad: str = "") -> None:
    """Write a session with activity just now and a window of which so much is used."""

    def change(state: SessionState) -> None:
        state.context.figures = {"used": used, "window": 200_000}
        state.prompt_count = 3
        if squad:
            state.squad = ActiveSquad({"name": squad, "path": f"squads/{squad}"})
        state.last_activity = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())

    store = SessionStore(str(root / ".synapse" / "sessions"))
    store.update(session, change, cwd=str(root), now=time.time())
