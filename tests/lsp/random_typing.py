"""Somebody types at random in a file of a served tree, and what is said of it is compared with a fresh parse."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

from synapse_ls.formats import authority_boundary, rule_file_lines
from synapse_ls.lint.lint_rule import TreeRule
from synapse_ls.lint.rule_registry import all_rules
from synapse_ls.live.live_tree import LiveTree
from synapse_ls.lsp.convert import path_to_uri
from synapse_ls.text.finding import Finding
from synapse_ls.workspace.file_facts import analyze_file
from synapse_ls.workspace.file_kinds import FileKind
from tests.lsp import reference
from tests.lsp.reference import Typist
from tests.lsp.wire import WATCHES, Message, Wire

MANIFEST, RULES = ".synapse/manifest", ".synapse/global"
KINDS = {MANIFEST: FileKind.MANIFEST, RULES: FileKind.RULES}
LINE_CACHES: tuple[Any, ...] = (
    rule_file_lines._split_rule_line,
    authority_boundary._begins_with_effect,
)
WIDE = frozenset(rule.code for rule in all_rules() if isinstance(rule, TreeRule))
"""Rules that need other files: while somebody types, new findings of theirs may come later."""


def typing_capabilities(encoding: str) -> Message:
    """A client that comes for diagnostics, in this encoding of positions."""
    return {
        "general": {"positionEncodings": [encoding]},
        "textDocument": {"diagnostic": {}},
        "workspace": {"diagnostics": {"refreshSupport": True}, **WATCHES},
    }


class Typing:
    """Random edits of one open file, the same for the same seed; ``text`` is what the client has."""

    def __init__(self, wire: Wire, root: Path, path: str, encoding: str, seed: int) -> None:
        self.wire, self.root, self.path, self.encoding = wire, root, path, encoding
        self.uri = path_to_uri(str(root / path))
        self.text = (root / path).read_text(encoding="utf-8")
        self.edits = 0
        self._typist = Typist(seed, encoding, longest=1500)
        wire.open(self.uri, self.text, 0)

    def edit(self) -> None:
        """Send one edit, without waiting for anything."""
        self.edits += 1
        change = self._typist.change(self.text)
        self.text = reference.apply(self.text, change, self.encoding)
        self.wire.change(self.uri, self.edits, change)

    async def burst(self, edits: int) -> None:
        """Send so many edits; the server gets a turn now and then."""
        for number in range(edits):
            self.edit()
            if number % 20 == 19:
                await asyncio.sleep(0)

    async def ask_findings(self) -> list[Message]:
        """The findings of the file that the server answers now."""
        params = {"textDocument": {"uri": self.uri}}
        report = await self.wire.request("textDocument/diagnostic", params)
        items: list[Message] = report["items"]
        return items

    def read_fresh(self) -> LiveTree:
        """The tree as a program reads it that knows no line of it yet."""
        for keeper in LINE_CACHES:
            keeper.cache_clear()
        fresh = LiveTree(str(self.root))
        fresh.load()
        fresh.open(self.path, self.text)
        return fresh

    def positions_of(self, found: Finding) -> tuple[Any, ...]:
        """A finding as it is to be told: code, message, and both ends in the client's units."""
        ends = (found.span.start, found.span.end)
        return (*as_worded(found), *(self._position(end) for end in ends))

    def _position(self, offset: int) -> tuple[int, int]:
        place = reference.position(self.text, offset, self.encoding)
        return place["line"], place["character"]

    async def differences_at_rest(self) -> list[str]:
        """What is not as in a fresh parse when everything is worked off."""
        await self.wire.settled()
        (kept,) = self.wire.server.trees.roots.values()
        fresh = self.read_fresh()
        told = sorted(map(as_told, await self.ask_findings()))
        wanted = sorted(map(self.positions_of, fresh.diagnostics(self.path)))
        snapshot, other = kept.tree.view().tree.snapshot, fresh.view().tree.snapshot
        facts, again = (
            snapshot.facts(self.path),
            analyze_file(self.path, KINDS[self.path], self.text),
        )
        pairs: dict[str, tuple[object, object]] = {
            "text": (self.wire.text(self.uri), self.text),
            "answered findings": (told, wanted),
            "files with findings": (
                kept.tree.paths_with_diagnostics(),
                fresh.paths_with_diagnostics(),
            ),
            "paths": (list(snapshot.paths()), list(other.paths())),
            "block": (kept.tree.view().assembly.text, fresh.view().assembly.text),
        }
        for path in fresh.paths_with_diagnostics():
            pairs[f"findings of {path}"] = kept.tree.diagnostics(path), fresh.diagnostics(path)
        for part in ("document", "problems", "definitions", "references"):
            pairs[part] = getattr(facts, part, None), getattr(again, part)
        return [
            f"{self.path} after {self.edits} edits: {what}: {live!r:.300} != {anew!r:.300}"
            for what, (live, anew) in pairs.items()
            if live != anew
        ]

    async def differences_on_the_way(self, at_rest: list[Message]) -> list[str]:
        """Findings that hold and that an answer just after an edit lacks: the file's own, and those that need
        others where they stood before.
        """
        answered = Counter(map(as_said, await self.ask_findings()))
        holding = Counter(map(as_worded, self.read_fresh().diagnostics(self.path)))
        before = Counter(map(as_said, at_rest))
        lacking = {
            said: count
            for said, count in (holding - answered).items()
            if said[0] not in WIDE or (before & holding)[said] > answered[said]
        }
        return [
            f"{self.path} just after edit {self.edits}: lacks {count} × {code}: {message}"
            for (code, message), count in lacking.items()
        ]


def as_worded(found: Finding) -> tuple[str, str]:
    """Code and message of a finding, as a client is to be told them."""
    return found.code, f"{found.message} {found.remedy}".rstrip()


def as_told(item: Message) -> tuple[Any, ...]:
    """A diagnostic of the protocol as code, message and both ends."""
    ends = (item["range"][side] for side in ("start", "end"))
    return (*as_said(item), *((end["line"], end["character"]) for end in ends))


def as_said(item: Message) -> tuple[str, str]:
    """Code and message of a diagnostic of the protocol."""
    return item["code"], item["message"]
