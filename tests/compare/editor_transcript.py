"""What an editor asks the language server of a tree over its pipe, and what it is answered.

Each request waits for its answer, so that the same is said in the same order. What the server asks the
editor meanwhile (an edit to apply, a file to show) belongs to the answer.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from synapse_ls.formats import config_file
from synapse_ls.lsp.custom_messages import PARAMS
from synapse_ls.lsp.feature_table import COMMANDS, FEATURES
from synapse_ls.workspace.path_classification import classify_path
from tests.compare.differences import Answers
from tests.compare.spoken_server import FramedServer
from tests.lsp.declared import capabilities

Message = dict[str, Any]

TELLING = (
    "workspace/applyEdit",
    "window/showMessage",
    "window/showMessageRequest",
    "window/showDocument",
)
"""What the server says to the editor that is a part of an answer."""
LINES = 6  # of a document at which is asked
FILES_OF_A_KIND = 2
QUICK_DOCUMENTS = 4
RESOLVED = 3  # items of a list whose rest is asked for
AT_A_PLACE = (
    "hover", "completion", "definition", "declaration", "references", "documentHighlight",
    "prepareRename", "rename", "linkedEditingRange", "prepareCallHierarchy", "onTypeFormatting",
)  # fmt: skip
OF_A_DOCUMENT = (
    "documentSymbol", "semanticTokens/full", "inlayHint", "codeLens", "foldingRange", "documentLink",
    "formatting", "diagnostic",
)  # fmt: skip
ELSEWHERE = (
    "textDocument/codeAction", "textDocument/rangeFormatting", "textDocument/rangesFormatting",
    "textDocument/selectionRange", "callHierarchy/incomingCalls", "callHierarchy/outgoingCalls",
    "textDocument/semanticTokens/full/delta", "textDocument/semanticTokens/range",
    "completionItem/resolve", "codeAction/resolve", "inlayHint/resolve", "codeLens/resolve",
    "workspace/symbol", "workspace/willRenameFiles", "workspace/didRenameFiles",
    "workspace/textDocumentContent", *PARAMS,
)  # fmt: skip
"""The methods that are asked for in a way of their own."""
ARGUMENTS: dict[str, tuple[Message, ...]] = {
    "synapse/context": (
        {"prompt": "@dev a unit test, then *brief", "remaining": 30},
        {"agent": "qa", "bracket": "CRITICAL", "delivery": True},
    ),
    "synapse/explain": ({"prompt": "a unit test", "agent": "dev"},),
    "synapse/why": (
        {"rule": "GLOBAL_RULE_0"},
        {"rule": "TESTING", "prompt": "a unit test"},
        {"rule": ""},
    ),
    "synapse/guard": ({"command": "git push", "agent": "dev"}, {"write": [".synapse/global"]}),
    "synapse/compare": ({"before": {"agent": "dev"}, "after": {"agent": "qa", "remaining": 20}},),
    "synapse/injections": ({"limit": 5, "texts": True},),
    "synapse/activation": ({"agent": "dev"}, {"agent": "nobody"}),
    "synapse/rulePage": ({"rule": "SYN201"}, {"rule": "nothing"}, {}),
    "synapse/memory": ({"query": "deploy"}, {"archived": True}),
    "synapse/compact": ({"messages": [{"role": "user", "content": "Deploy"}], "limit": 100},),
    "synapse/audit": ({"days": 30},),
}
"""What is sent with our own requests; those that are not here are sent the address alone."""
COMMAND_ARGUMENTS: dict[str, Message] = {
    "synapse.preview": {"agent": "dev", "prompt": "a unit test"},
    "synapse.references": {"position": {"line": 1, "character": 2}},
    "synapse.runTest": {"case": 0},
    "synapse.newDomain": {"name": "extra", "keywords": ["extra"], "rules": ["Be brief"]},
    "synapse.newRule": {"domain": "TESTING", "text": "Tests are small"},
    "synapse.toggleDomain": {"domain": "TESTING"},
    "synapse.setSession": {"session": "s1", "agent": "dev"},
    "synapse.activate": {"agent": "dev"},
    "synapse.sync": {"targets": ["agents"]},
    "synapse.migrate": {"step": "plan"},
}
TYPED = "X_STATE=perhaps\n[half\n"


def missing_methods() -> list[str]:
    """The requests of the table that nothing here sends."""
    asked = {f"textDocument/{name}" for name in (*AT_A_PLACE, *OF_A_DOCUMENT)} | set(ELSEWHERE)
    return [method for method in FEATURES if method not in asked]


def choose_documents(project: Path) -> list[Path]:
    """Some files of each kind that a tree has."""
    paths = config_file.parse("").document.paths
    chosen: dict[object, list[Path]] = {}
    for path in sorted(project.rglob("*")):
        relative = path.relative_to(project).as_posix()
        if relative.startswith(".git/") or not path.is_file() or path.stat().st_size > 40_000:
            continue
        if (kind := classify_path(relative, paths)) is not None:
            chosen.setdefault(kind, []).append(path)
    return [path for files in chosen.values() for path in files[:FILES_OF_A_KIND]]


class Editing:
    """A session of an editor in a tree. answers: what was answered so far."""

    def __init__(self, server: FramedServer, project: Path) -> None:
        self.server = server
        self.project = project
        self.root = project.as_uri()
        self.answers: Answers = {}

    def ask(self, name: str, method: str, params: Message | None) -> Any:
        """Sends a request; returns its result, None for an error."""
        response, said = self.server.request(method, params)
        parts = {"response": _to_text(response.get("result", response.get("error")))}
        if told := [message for message in said if message.get("method") in TELLING]:
            parts["what it tells the editor"] = _to_text(
                [{"method": one["method"], "params": one["params"]} for one in told]
            )
        while name in self.answers:
            name += " again"
        self.answers[name] = parts
        return response.get("result")

    def play(self, *, is_quick: bool) -> Answers:
        """All that is asked of the tree."""
        self.ask(
            "initialize",
            "initialize",
            {
                "processId": None,
                "rootUri": self.root,
                "capabilities": capabilities("vscode"),
                "workspaceFolders": [{"uri": self.root, "name": self.project.name}],
                "initializationOptions": {"trusted": True},
            },
        )
        self.server.notify("initialized", {})
        self._ask_about_tree()
        documents = choose_documents(self.project)
        for path in documents[:QUICK_DOCUMENTS] if is_quick else documents:
            self._ask_about_document(path, lines=2 if is_quick else LINES)
        for command in COMMANDS:
            uri = (documents[0] if documents else self.project).as_uri()
            argument = {"uri": uri, **COMMAND_ARGUMENTS.get(command, {})}
            params = {"command": command, "arguments": [argument]}
            answer = self.ask(f"executeCommand {command}", "workspace/executeCommand", params)
            if command == "synapse.preview":
                preview = {"uri": (answer or {}).get("uri") or "synapse-block:/block"}
                self.ask("textDocumentContent", "workspace/textDocumentContent", preview)
        self.ask("shutdown", "shutdown", None)
        self.server.notify("exit", None)
        return self.answers

    def _ask_about_tree(self) -> None:
        for query in ("", "test", "GLOBAL"):
            self.ask(f"workspace/symbol {query!r}", "workspace/symbol", {"query": query})
        for method in PARAMS:
            for more in ({}, *ARGUMENTS.get(method, ())):
                name = f"{method} {json.dumps(more)}" if more else method
                self.ask(name, method, {"uri": self.root, **more})
        renamed = {
            "oldUri": f"{self.root}/.synapse/testing",
            "newUri": f"{self.root}/.synapse/trying",
        }
        self.ask("willRenameFiles", "workspace/willRenameFiles", {"files": [renamed]})

    def _ask_about_document(self, path: Path, lines: int) -> None:
        text = path.read_bytes().decode("utf-8", "replace")
        uri = path.as_uri()
        name = path.relative_to(self.project).as_posix()
        item = {"uri": uri, "languageId": "synapse", "version": 1, "text": text}
        self.server.notify("textDocument/didOpen", {"textDocument": item})
        self._ask_about_whole(name, uri, text)
        for line, character in _places(text, lines):
            self._ask_at(name, uri, line, character)
        half = len(text.splitlines()) // 2
        here = {"line": half, "character": 0}
        change = {"range": {"start": here, "end": here}, "text": TYPED}
        self._change(uri, 2, change)
        self._ask_about_whole(f"{name} (changed)", uri, text)
        self._ask_at(f"{name} (changed)", uri, half, 4)
        self._change(uri, 3, {"text": text})
        self.server.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def _change(self, uri: str, version: int, change: Message) -> None:
        params = {"textDocument": {"uri": uri, "version": version}, "contentChanges": [change]}
        self.server.notify("textDocument/didChange", params)

    def _ask_about_whole(self, name: str, uri: str, text: str) -> None:
        end = {"line": len(text.splitlines()), "character": 0}
        whole = {"start": {"line": 0, "character": 0}, "end": end}
        about = {"textDocument": {"uri": uri}, "range": whole}
        options = {"options": {"tabSize": 4, "insertSpaces": True}}
        results = {
            method: self.ask(f"{method} {name}", f"textDocument/{method}", {**about, **options})
            for method in OF_A_DOCUMENT
        }
        self.ask(f"semanticTokens/range {name}", "textDocument/semanticTokens/range", about)
        for method, ranges in (("range", {}), ("ranges", {"ranges": [whole]})):
            params = {**about, **ranges, **options}
            self.ask(f"{method}Formatting {name}", f"textDocument/{method}Formatting", params)
        tokens = results["semanticTokens/full"] or {}
        params = {"textDocument": {"uri": uri}, "previousResultId": tokens.get("resultId", "0")}
        self.ask(f"semantic tokens delta {name}", "textDocument/semanticTokens/full/delta", params)
        found = (results["diagnostic"] or {}).get("items", [])
        context = {"context": {"diagnostics": found, "triggerKind": 1}}
        actions = self.ask(f"codeAction {name}", "textDocument/codeAction", {**about, **context})
        self._resolve(f"codeAction/resolve {name}", "codeAction/resolve", actions)
        self._resolve(f"codeLens/resolve {name}", "codeLens/resolve", results["codeLens"])
        self._resolve(f"inlayHint/resolve {name}", "inlayHint/resolve", results["inlayHint"])

    def _ask_at(self, name: str, uri: str, line: int, character: int) -> None:
        place = {"line": line, "character": character}
        about = {
            "textDocument": {"uri": uri},
            "position": place,
            "context": {"includeDeclaration": True, "triggerKind": 1},
            "newName": "OTHER_NAME",
            "ch": "\n",
            "options": {"tabSize": 4, "insertSpaces": True},
        }
        where = f"{name}:{line + 1}:{character + 1}"
        for method in AT_A_PLACE:
            result = self.ask(f"{method} {where}", f"textDocument/{method}", about)
            if method == "completion":
                items = result["items"] if isinstance(result, dict) else result
                self._resolve(f"completionItem/resolve {where}", "completionItem/resolve", items)
            if method == "prepareCallHierarchy":
                for calls in ("incomingCalls", "outgoingCalls"):
                    for item in result or ():
                        self.ask(f"{calls} {where}", f"callHierarchy/{calls}", {"item": item})
        params = {"textDocument": {"uri": uri}, "positions": [place]}
        self.ask(f"selectionRange {where}", "textDocument/selectionRange", params)

    def _resolve(self, name: str, method: str, items: list[Message] | None) -> None:
        for item in (items or [])[:RESOLVED]:
            self.ask(name, method, item)


def _places(text: str, number: int) -> Iterator[tuple[int, int]]:
    """Places in a text, as line and character: the begin and the middle of lines all over it."""
    lines = text.splitlines()
    for line in range(0, len(lines), max(1, len(lines) // number)):
        if lines[line].strip():
            yield line, min(3, len(lines[line]))
            yield line, len(lines[line]) * 2 // 3


def _to_text(value: object) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False, sort_keys=False) + "\n"
