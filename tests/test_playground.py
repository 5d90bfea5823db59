"""The Python half of the playground, outside the browser; ``scripts/test-site`` tries it in one."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

CLIENT = Path(__file__).parents[1] / "clients" / "playground"
EXAMPLES = json.loads((CLIENT / "examples" / "examples.json").read_text(encoding="utf-8"))
Ask = Callable[..., Any]
MISSING = ("fcntl", "grp", "msvcrt", "pwd", "resource", "syslog", "termios", "winreg")
"""Modules of Python that Pyodide does not have."""


@pytest.fixture
def ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Asks the playground, whose file system is a folder of the test, and whose Python has no accounts."""
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    for name in ("HOME", "SYNAPSE_LS_CONFIG", "XDG_CONFIG_HOME"):  # a browser has none that counts
        monkeypatch.delenv(name, raising=False)
    for name in MISSING:
        monkeypatch.setitem(sys.modules, name, None)
    code = (CLIENT / "src" / "playground.py").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    exec(code.replace('"/project', f'"{tmp_path}'), names)

    def ask(method: str, *params: object) -> Any:
        reply = json.loads(names["answer"](json.dumps({"method": method, "params": params})))
        assert "error" not in reply, reply
        return reply["result"]

    return ask


def files_of(example: dict[str, Any]) -> dict[str, str]:
    folder = CLIENT.parents[1] / example["folder"]
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in folder.rglob("*")
        if path.is_file() and "sessions" not in path.parts
    }


@pytest.mark.parametrize("example", EXAMPLES, ids=[example["title"] for example in EXAMPLES])
def test_an_example_of_the_playground_brings_a_block_and_a_day(
    example: dict[str, Any], ask: Ask
) -> None:
    state = ask("open", files_of(example))
    assert example["shown"] in state["files"]
    assert bool(state["findings"]) == (example["title"] == "Mistakes to mend")
    assert "[GLOBAL]" in ask("ask", example["question"])["context"]["block"]
    told = [ask("send", turn["prompt"], turn["used"])["text"] for turn in example["day"]]
    assert "[GLOBAL]" in told[0]
    assert told[1] != told[0]


def test_a_fix_of_the_playground_mends_what_it_is_offered_for(ask: Ask) -> None:
    state = ask("open", files_of(EXAMPLES[2]))
    finding = next(one for one in state["findings"] if one["code"] == "SYN105")
    titles = ask("fixes", finding["path"], finding["start"], finding["end"])
    state = ask("fix", 0)
    assert titles[0].startswith("Write")
    assert "GLOBAL_STATE=active" in state["files"][".synapse/manifest"]
    assert "SYN105" not in {one["code"] for one in state["findings"]}
