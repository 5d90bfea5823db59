"""What an editor is told while a large tree is read, and what a server needs until then."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from synapse_ls.lsp.convert import path_to_uri
from tests.bench.bench_check import ours
from tests.lsp.editor import COMMAND, Editor
from tests.lsp.test_pipe import CAPABILITIES

pytestmark = pytest.mark.slow

FILES = 1_000
BROKEN = "squads/squad-7/.synapse/area-7-3"
LOST = ".synapse/lost"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree that takes seconds to be read, with two findings."""
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    root = tmp_path / "team"
    ours(root, FILES)
    (root / BROKEN).write_text("area_7_3_RULE_0=x\n", encoding="utf-8")
    (root / LOST).write_text("LOST_RULE_0=Say why.\n", encoding="utf-8")
    return root


@asynccontextmanager
async def served(root: Path) -> AsyncIterator[Editor]:
    """An editor with a server of its own."""
    editor = Editor()
    await editor.start_io(*COMMAND, env=dict(os.environ))
    folders = [types.WorkspaceFolder(path_to_uri(str(root)), root.name)]
    await editor.initialize_session(types.InitializeParams(CAPABILITIES, workspace_folders=folders))
    yield editor
    await editor.shutdown_session()
    await editor.stop()  # type: ignore[no-untyped-call]


def is_loaded(change: dict[str, Any]) -> bool:
    return bool(change["reason"] == "loaded")


def shown(editor: Editor) -> dict[str, Any]:
    return {uri: found for uri, found in editor.diagnostics.items() if found}


async def test_the_progress_of_reading_a_large_tree_is_shown(root: Path) -> None:
    async with served(root) as editor:
        uri = editor.open(root / BROKEN)
        await editor.told(root, is_loaded)
        await editor.ask("status")
        assert editor.codes(uri)
        assert {path_to_uri(str(root / path)) for path in (BROKEN, LOST)} <= set(shown(editor))
        [reports] = editor.progress_reports.values()
        told = [getattr(report, "message", None) or "" for report in reports]
        assert any(message.startswith("squads read:") for message in told)
        assert any(message.startswith("files checked:") for message in told)
        percents = [p for r in reports if (p := getattr(r, "percentage", None)) is not None]
        assert percents == sorted(percents)


def test_the_answer_to_initialize_needs_no_rule_and_no_parser() -> None:
    code = (
        "import sys\n"
        "from synapse_ls.lsp import feature_table, stdio_server\n"
        "stdio_server.Server()\n"
        "feature_table.experimental_capabilities()\n"
        "print(*sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name for name in done.stdout.split() if name.startswith("synapse_ls.")}
    packages = ("lint", "formats", "queries", "live", "edits", "lsp.custom_messages")
    wrong = [name for name in loaded if name.startswith(tuple(f"synapse_ls.{p}" for p in packages))]
    assert wrong == []
    assert not {"importlib.metadata", "_ssl", "_hashlib"} & set(done.stdout.split())


def test_a_server_at_rest_holds_no_openssl_and_one_copy_of_the_protocol_s_names() -> None:
    code = (
        "import sys\n"
        "from synapse_ls.lsp import stdio_server, served_trees\n"
        "from synapse_ls.lint.rule_registry import all_rules\n"
        "all_rules()\n"
        "import lsprotocol, lsprotocol.types as types\n"
        "assert types is lsprotocol.types is sys.modules['lsprotocol.types']\n"
        "types.Position(1, 2)\n"
        "print('Hover' in types.Position.__init__.__globals__)\n"
        "print(sys.modules.keys() & {'ssl', '_ssl', '_hashlib'})\n"
        "import ssl, hashlib\n"
        "print(ssl.create_default_context().check_hostname)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["False", "set()", "True"]
