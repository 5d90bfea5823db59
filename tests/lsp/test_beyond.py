"""What the server says that it can beyond the standard."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from synapse_ls.lsp import feature_table
from synapse_ls.setup import mcp_sdk


def test_it_can_be_started_for_mcp_where_the_sdk_is() -> None:
    found = feature_table.experimental_capabilities()
    assert found is not None
    done = subprocess.run(
        [sys.executable, "-m", "synapse_ls", *found["mcp"]["args"]], input=b"", capture_output=True
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_it_says_nothing_where_the_sdk_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp_sdk, "find_spec", lambda _: None)
    assert feature_table.experimental_capabilities() is None


def test_without_the_sdk_the_command_says_what_to_install(tmp_path: Path) -> None:
    code = (
        "import sys, importlib.util as u\n"
        "find = u.find_spec\n"
        "u.find_spec = lambda name, *more: None if name == 'mcp' else find(name, *more)\n"
        "from synapse_ls.cli.main import main\n"
        "sys.exit(main(['mcp']))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], input=b"", capture_output=True)
    assert done.returncode == 2
    assert b'pipx install --force "FOLDER[mcp]"' in done.stderr


@pytest.mark.parametrize(
    ("found", "problem"), [("2.3.0", ""), ("10.0", ""), ("1.9.4", "is 1.9.4, older than 2.3")]
)
def test_an_sdk_that_is_too_old_is_told(
    found: str, problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mcp").mkdir()
    (tmp_path / "mcp/__init__.py").write_text("")
    (tmp_path / f"mcp-{found}.dist-info").mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "mcp", raising=False)
    assert problem in mcp_sdk.sdk_problem()
    assert bool(mcp_sdk.sdk_problem()) is bool(problem)
