"""The examples of ``docs/log.md``, run one after the other in one tree.

``SYNAPSE_UPDATE_DOCS=1 pytest tests/cli/test_log_page.py`` writes what they say into the page.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from synapse_ls.storage.current_plan import load_plan
from tests.cli import transcript
from tests.cli.conftest import Synapse
from tests.cli.test_docs import REPOSITORY, SHOWCASE, UPDATE, blocks, posix
from tests.cli.test_docs import transcript as shell
from tests.cli.transcript import COMPACTED

PAGE = REPOSITORY / "docs" / "log.md"
SESSION = (
    "What does this service do?",
    "@dev add a unit test for the webhook",
    "go on",
    COMPACTED,
    "@qa check the log lines",
)
_WHEN = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")


@posix
def test_the_examples_say_what_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "tillway-api"
    shutil.copytree(SHOWCASE, root, ignore=shutil.ignore_patterns("sessions"))
    monkeypatch.setenv("TZ", "UTC")
    load_plan(str(root))  # the hook of a busy machine would otherwise leave sources for later
    text = PAGE.read_text(encoding="utf-8")
    for block in blocks(PAGE):
        commands = [line[2:] for line in block.splitlines() if line.startswith("$ ")]
        said = _WHEN.sub("2026-03-02 09:30:00", shell(commands, root))
        if os.environ.get(UPDATE):
            text = text.replace(f"console\n{block}``", f"console\n{said}``", 1)
        else:
            assert said == block
    if os.environ.get(UPDATE):
        PAGE.write_text(text, encoding="utf-8")


@pytest.mark.parametrize("command", [("log", "--json"), ("replay", "session.jsonl", "--json")])
def test_the_page_has_every_field(synapse: Synapse, team: Path, command: tuple[str, ...]) -> None:
    transcript.write(team / "session.jsonl", SESSION)
    event = {"session_id": "s", "cwd": str(team), "prompt": "hello"}
    subprocess.run(
        [sys.executable, "-m", "synapse_ls", "hook", "--event", "UserPromptSubmit"],
        input=json.dumps(event).encode(),
        capture_output=True,
        check=True,
    )
    text = PAGE.read_text(encoding="utf-8")
    fields = {name for line in synapse(*command).out.splitlines() for name in json.loads(line)}
    assert len(fields) > 10
    assert not [name for name in fields if f"`{name}`" not in text and name != "type"]
