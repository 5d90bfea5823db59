"""What a person at an editor waits for, over the real pipe.

Run as a script: ``python -m tests.bench.bench_server``. The bars: ``initialize`` at most 1.15 times a
bare pygls server's, a hover or completion within 8 ms, the own diagnostics of a 2,000-line manifest
within 30 ms of the key stroke and those of rules that need other files within 250 ms (p95), in a tree of 1,000 rule files
50 ms after a key stroke and 2.5 s after the start, where a bare interpreter takes 7 ms: all are judged as multiples of one
started in between. 50 MB idle and 90 MB with 1,000 rule files.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from itertools import count
from pathlib import Path
from textwrap import dedent

from lsprotocol import types
from pygls.protocol import default_converter

from synapse_ls.lsp.convert import path_to_uri
from tests.bench.bench_index import manifest
from tests.bench.measure import (
    BAR_START,
    STARTS,
    Figure,
    percentile,
    print_figures,
    start_interpreter,
)
from tests.lsp.declared import capabilities
from tests.lsp.editor import COMMAND, Editor, begin_session
from tests.lsp.test_pipe import CAPABILITIES, SYNAPSE, phase
from tests.trees import write_tree

BARE = dedent("""\
    from pygls.lsp.server import LanguageServer
    LanguageServer("bare", "1").start_io()
    """)
VSCODE = default_converter().structure(capabilities("vscode"), types.ClientCapabilities)  # type: ignore[no-untyped-call]
"""What VS Code says that it can."""
ROUNDS = 11
KEYS = 200
SQUADS = 100  # of ten rule files each
BROKEN = 20  # files of them with a finding
LINES = 2_000
REPEAT = 1 / 30  # seconds between two strokes of a key that is held down
SYNAPSE_PROFILE = 'profile = "synapse"\n'


def figures() -> Iterator[Figure]:
    """All figures, in the order of the report."""
    return (Figure(*row) for row in asyncio.run(measured()))


async def measured() -> list[tuple[str, float, str, float | None]]:
    """(what, figure, unit, bar or None) in the order of the report."""
    ours: list[float] = []
    bare: list[float] = []
    for _ in range(ROUNDS):  # in turn, so that whatever else the machine does hits both
        bare.append(await start([sys.executable, "-c", BARE]))
        ours.append(await start(COMMAND))
    rows: list[tuple[str, float, str, float | None]] = [
        ("start to initialize, bare pygls, median", percentile(bare, 50), "ms", None),
        ("start to initialize, median", percentile(ours, 50), "ms", None),
        ("  times the bare server", percentile(ours, 50) / percentile(bare, 50), "×", 1.15),
    ]
    with tempfile.TemporaryDirectory() as folder:
        rows += await typing(Path(folder, "typing"))
        rows += await disk(Path(folder, "disk"))
        rows += await large(Path(folder, "large"))
    return rows


async def start(command: list[str]) -> float:
    """Milliseconds from starting a server to its answer to ``initialize``."""
    editor = Editor()
    begun = time.perf_counter()
    await editor.start_io(*command)
    await editor.initialize_session(types.InitializeParams(VSCODE))
    took = (time.perf_counter() - begun) * 1000
    await leave(editor)
    return took


async def begun(root: Path) -> Editor:
    """An editor that works in ``root``, with the first index behind it."""
    editor = Editor()
    await editor.start_io(*COMMAND)
    await editor.initialize_session(
        types.InitializeParams(
            CAPABILITIES,
            workspace_folders=[types.WorkspaceFolder(path_to_uri(str(root)), root.name)],
        )
    )
    await editor.told(root, lambda change: change["reason"] == "loaded")
    return editor


async def leave(editor: Editor) -> None:
    """End the session."""
    await editor.shutdown_session()
    await editor.stop()  # type: ignore[no-untyped-call]


async def typing(root: Path) -> list[tuple[str, float, str, float | None]]:
    """Hovers and key strokes in a manifest of 2,000 lines, and the memory meanwhile."""
    names = [f"AREA_{number}" for number in range(LINES // 2)]
    text = "".join(f"{name}_STATE=active\n{name}_RECALL={name.lower()}, check\n" for name in names)
    files = {
        f".synapse/{name.lower().replace('_', '-')}": f"{name}_RULE_0=Check\n" for name in names
    }
    write_tree(root, {".synapse/manifest": text, **files, ".synapse/config.toml": SYNAPSE_PROFILE})
    editor = await begun(root)
    uri = editor.open(root / ".synapse" / "manifest")
    await editor.ask("status")
    idle = resident(editor)

    async def hover(turn: int) -> None:
        place = types.Position(turn * 9 % LINES, 3)
        await editor.text_document_hover_async(
            types.HoverParams(types.TextDocumentIdentifier(uri), place)
        )

    async def complete(turn: int) -> None:
        place = types.Position(turn * 9 % LINES, 3 + turn % 9)
        await editor.text_document_completion_async(
            types.CompletionParams(types.TextDocumentIdentifier(uri), place)
        )

    version = count(2)

    def typed(line: str, code: str) -> Callable[[int], Awaitable[None]]:
        """Breaking a line and mending it in turn, until what is said of it follows."""

        async def press(turn: int) -> None:
            broken = turn % 2 == 0
            editor.replace(
                uri, next(version), LINES // 2, line if broken else "AREA_500_STATE=active"
            )
            await editor.until(lambda: (code in editor.codes(uri)) == broken)

        return press

    await hover(0)
    hovers = await multiples(hover, KEYS)
    await complete(0)
    completions = await multiples(complete, KEYS)
    own = await multiples(typed("AREA_500_STATE actve", "SYN103"), KEYS, REPEAT)
    wide = await multiples(typed("AREA_5OO_STATE=active", "SYN201"), KEYS, REPEAT)  # without a file
    await leave(editor)
    return [
        ("hover in a manifest of 2,000 lines, p50", percentile(hovers, 50), "×", None),
        ("hover in a manifest of 2,000 lines, p95", percentile(hovers, 95), "×", round(8 / BAR_START, 2)),
        ("completion in it, p50", percentile(completions, 50), "×", None),
        ("completion in it, p95", percentile(completions, 95), "×", round(8 / BAR_START, 2)),
        ("key stroke to the file's own diagnostics, 2,000 lines, p50", percentile(own, 50), "×", None),
        ("key stroke to the file's own diagnostics, 2,000 lines, p95", percentile(own, 95), "×", round(30 / BAR_START, 2)),
        ("key stroke to those that need other files, p50", percentile(wide, 50), "×", None),
        ("key stroke to those that need other files, p95", percentile(wide, 95), "×", round(250 / BAR_START, 2)),
        ("memory with that manifest open", idle, "MB", None),
    ]  # fmt: skip


async def disk(root: Path) -> list[tuple[str, float, str, float | None]]:
    """From a change on disk to what is told of it, and the memory of a server at rest."""
    write_tree(root, SYNAPSE)
    phase(root, "in_development", 0)
    begin_session(root, "half", used=100_000)
    editor = await begun(root)
    await editor.ask("status")
    idle = resident(editor)

    async def go_on(turn: int) -> None:
        before = len(editor.changes)
        phase(root, *(("in_development", 0) if turn % 2 else ("qa_review", 1)))
        await editor.until(lambda: len(editor.changes) > before)

    async def broken(turn: int) -> None:
        path = root / ".synapse" / "docs"
        text = "no rule\n" if turn % 2 == 0 else ""
        path.write_text(f"{text}DOCS_RULE_0=x\n", encoding="utf-8")
        await editor.until(lambda: bool(editor.codes(path_to_uri(str(path)))) == (turn % 2 == 0))

    states, files = await multiples(go_on, 20), await multiples(broken, 20)
    await leave(editor)
    return [
        ("workflow state on disk to synapse/didChangeContext, p95", percentile(states, 95), "×", round(250 / BAR_START, 2)),
        ("rule file on disk to diagnostics, p95", percentile(files, 95), "×", round(250 / BAR_START, 2)),
        ("memory idle", idle, "MB", 50),
    ]  # fmt: skip


async def large(root: Path) -> list[tuple[str, float, str, float | None]]:
    """A tree of 1,000 rule files."""
    write_tree(root, SYNAPSE)
    for number in range(SQUADS):
        folder = root / "squads" / f"squad-{number}" / ".synapse"
        folder.mkdir(parents=True)
        (folder / "manifest").write_text(manifest(number), encoding="utf-8")
        for n in range(1, 11):
            rule = f"AREA_{number}_{n}_RULE_0=Check the input of {number} {n}\n"
            (folder / f"area-{number}-{n}").write_text(rule, encoding="utf-8")
    for number in range(BROKEN):
        name = f"area-{number}-1"
        (root / "squads" / f"squad-{number}" / ".synapse" / name).write_text("area_RULE_0=x\n")
    await asyncio.sleep(0.1)  # what was written just now is not believed to be finished
    os.environ["SYNAPSE_LS_CACHE"] = str(root.parent / "cache")
    bare = percentile([start_interpreter() for _ in range(STARTS)], 50)
    own, everything = (milliseconds / bare for milliseconds in await to_findings(root))
    started = time.perf_counter()
    editor = await begun(root)
    loaded = (time.perf_counter() - started) * 1000 / bare
    memory = resident(editor)
    path = root / "squads" / "squad-3" / ".synapse" / "area-3-4"
    uri = editor.open(path)

    async def press(turn: int) -> None:
        editor.replace(
            uri, turn + 2, 0, "AREA_3_4_RULE_0=" if turn % 2 == 0 else "AREA_3_4_RULE_0=x"
        )
        await editor.until(lambda: bool(editor.codes(uri)) == (turn % 2 == 0))

    keys = await multiples(press, 40)
    await leave(editor)
    return [
        ("start to the open file's own findings, 1,000 rule files", own, "×", None),
        ("start to all findings, 1,000 rule files", everything, "×", round(2_500 / BAR_START, 2)),
        ("start to the index, 1,000 rule files", loaded, "×", None),
        ("key stroke to diagnostics, 1,000 rule files, p95", percentile(keys, 95), "×", round(50 / BAR_START, 2)),
        ("memory with 1,000 rule files", memory, "MB", 90),
    ]  # fmt: skip


async def to_findings(root: Path) -> tuple[float, float]:
    """Milliseconds from starting a server to the findings of an open file, and to those of all."""
    editor = Editor()
    started = time.perf_counter()
    await editor.start_io(*COMMAND)
    folder = types.WorkspaceFolder(path_to_uri(str(root)), root.name)
    await editor.initialize_session(
        types.InitializeParams(CAPABILITIES, workspace_folders=[folder])
    )
    uri = editor.open(root / "squads" / "squad-1" / ".synapse" / "area-1-1")
    await editor.until(lambda: bool(editor.codes(uri)))
    own = (time.perf_counter() - started) * 1000
    await editor.until(lambda: sum(map(bool, editor.diagnostics.values())) >= BROKEN)
    everything = (time.perf_counter() - started) * 1000
    await leave(editor)
    return own, everything


async def timed(
    action: Callable[[int], Awaitable[None]], rounds: int, pause: float = 0.0
) -> list[float]:
    """Milliseconds of each round; ``pause`` is in seconds between two rounds."""
    taken = []
    for turn in range(rounds):
        begun_at = time.perf_counter()
        await action(turn)
        taken.append((time.perf_counter() - begun_at) * 1000)
        await asyncio.sleep(pause)
    return taken


async def multiples(
    action: Callable[[int], Awaitable[None]], rounds: int, pause: float = 0.0
) -> list[float]:
    """Each round as a multiple of bare interpreters that are started in between."""
    taken: list[float] = []
    bare = []
    count = rounds // STARTS
    for first in range(0, rounds, count):
        bare.append(start_interpreter())
        taken += await timed(lambda turn, first=first: action(first + turn), count, pause)  # type: ignore[misc]
    return [milliseconds / percentile(bare, 50) for milliseconds in taken]


def resident(editor: Editor) -> float:
    """Megabytes that the server keeps in memory."""
    assert editor._server is not None
    pid = str(editor._server.pid)
    told = subprocess.run(["ps", "-o", "rss=", "-p", pid], capture_output=True, check=True)
    return int(told.stdout) / 1024


if __name__ == "__main__":
    raise SystemExit(print_figures(figures()))
