"""The first screen of a tree in an editor, in numbers: what is underlined, what is shown between the
lines, and how long a hover is.

    .venv/bin/python -m tests.lsp.first_minute TREE … [--server FOLDER]

FOLDER has the package ``synapse_ls`` of another version, to compare with.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from synapse_ls.lsp.convert import path_to_uri

LINES = 28
"""Lines of the first screen: an editor of 1,100 × 660 pixels shows as many."""

FIRST_FILES = (
    *(".synapse/manifest", ".carl/manifest", "chati.dev/config.yaml", "squads/*/.synapse/manifest"),
    *(".synapse/constitution", "squads/*/squad.yaml"),
)
"""What somebody who has found the tree opens first; the first that there is."""

HINT = 4
CAPABILITIES = {
    "textDocument": {
        "publishDiagnostics": {"relatedInformation": True},
        "hover": {"contentFormat": ["markdown"]},
        "documentLink": {},
    },
    "window": {},
}
Message = dict[str, Any]


class FirstScreen(NamedTuple):
    """The figures of one tree. ``findings`` are lines with a squiggle, ``links`` lines with a line
    below a name; ``longest_hover`` is in lines of text, the block included.
    """

    tree: str
    file: str
    findings: int
    links: int
    lenses: int
    hints: int
    longest_hover: int


class Client:
    """The smallest editor."""

    def __init__(self, root: Path, server: Path | None) -> None:
        path = os.pathsep.join(filter(None, (str(server or ""), os.environ.get("PYTHONPATH"))))
        self._server = subprocess.Popen(
            [sys.executable, "-m", "synapse_ls", "serve", "--stdio"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": path},
        )
        self._count = 0
        self.diagnostics: dict[str, list[Message]] = {}
        self.request(
            "initialize",
            {
                "processId": None,
                "rootUri": path_to_uri(str(root)),
                "capabilities": CAPABILITIES,
                "initializationOptions": {"commandLinks": True},
            },
        )
        self.notify("initialized", {})

    def notify(self, method: str, params: Any) -> None:
        self._write({"jsonrpc": "2.0", "method": method, "params": params})

    def request(self, method: str, params: Any) -> Any:
        """The answer; what is said meanwhile is kept, what is asked is answered with null."""
        self._count += 1
        self._write({"jsonrpc": "2.0", "id": self._count, "method": method, "params": params})
        while True:
            message = self._read()
            if message.get("method") == "textDocument/publishDiagnostics":
                told = message["params"]
                self.diagnostics[told["uri"]] = told["diagnostics"]
            elif "method" in message and "id" in message:
                self._write({"jsonrpc": "2.0", "id": message["id"], "result": None})
            elif message.get("id") == self._count:
                return message.get("result")

    def close(self) -> None:
        self.request("shutdown", None)
        self.notify("exit", None)
        self._server.wait(30)

    def _write(self, message: Message) -> None:
        assert self._server.stdin is not None
        body = json.dumps(message).encode()
        self._server.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._server.stdin.flush()

    def _read(self) -> Message:
        assert self._server.stdout is not None
        length = 0
        while line := self._server.stdout.readline().strip():
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        found: Message = json.loads(self._server.stdout.read(length))
        return found


def first_file(root: Path) -> Path | None:
    """The file that somebody opens first."""
    for pattern in FIRST_FILES:
        for path in sorted(root.glob(pattern)):
            return path
    return None


def measure(root: Path, server: Path | None = None) -> FirstScreen:
    """Opens the first file of a tree and counts what is on its first screen."""
    file = first_file(root)
    assert file is not None, root
    uri, text = path_to_uri(str(file)), file.read_text("utf-8")
    shown = text.splitlines()[:LINES]
    here = {"textDocument": {"uri": uri}}
    end = {"line": len(shown), "character": 0}
    client = Client(root, server)
    try:
        client.request("synapse/status", {"uri": uri})  # the tree is read by then
        item = {"uri": uri, "languageId": "synapse", "version": 1, "text": text}
        client.notify("textDocument/didOpen", {"textDocument": item})
        links = client.request("textDocument/documentLink", here) or []
        lenses = client.request("textDocument/codeLens", here) or []
        whole = {"start": {"line": 0, "character": 0}, "end": end}
        hints = client.request("textDocument/inlayHint", {**here, "range": whole}) or []
        hovers = [
            client.request("textDocument/hover", {**here, "position": {"line": at, "character": 2}})
            for at, line in enumerate(shown)
            if line.strip() and not line.startswith("#")
        ]
        found = client.diagnostics.get(uri, [])
    finally:
        client.close()
    squiggles = {one["range"]["start"]["line"] for one in found if one.get("severity") != HINT}
    return FirstScreen(
        root.name,
        file.relative_to(root).as_posix(),
        _count_shown(squiggles),
        _count_shown({one["range"]["start"]["line"] for one in links}),
        _count_shown(one["range"]["start"]["line"] for one in lenses),
        _count_shown(one["position"]["line"] for one in hints),
        max((_hover_lines(one) for one in hovers), default=0),
    )


def _count_shown(lines: Iterable[int]) -> int:
    return sum(line < LINES for line in lines)


def _hover_lines(hover: Message | None) -> int:
    """Lines of text that a person sees."""
    if not hover:
        return 0
    lines = hover["contents"]["value"].splitlines()
    return sum(bool(line.strip()) and not line.startswith("```") for line in lines)


def main() -> None:
    """Prints a row for each tree."""
    parser = ArgumentParser(description="The first screen of trees in an editor, in numbers.")
    parser.add_argument("trees", nargs="+", type=Path)
    parser.add_argument("--server", type=Path)
    given = parser.parse_args()
    print("| tree | file | squiggles | links | lenses | hints | longest hover |")
    print("|---|---|---|---|---|---|---|")
    for root in given.trees:
        print(f"| {' | '.join(map(str, measure(root.absolute(), given.server)))} |")


if __name__ == "__main__":
    main()
