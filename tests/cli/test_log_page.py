"""The examples of ``docs/log.md``, run one after the other in one tree.

``SYNAPSE_UPDATE_DOCS=1 pytest tests/cli/test_log_page.py`` writes what they say into the page.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from synapse_ls.storage.current_plan import load_plan
from tests.cli import transcript
from tests.cli.conftest import Synapse
from tests.cli.page_examples import (
    REPOSITORY,
    SHOWCASE,
    blocks,
    commands_of,
    compare_with_page,
    posix,
    shell_transcript,
)
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
    for block in blocks(PAGE):
        said = _WHEN.sub("2026-03-02 09:30:00", shell_transcript(commands_of(block), root))
        compare_with_page(PAGE, block, said)


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
