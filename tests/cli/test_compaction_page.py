"""The examples of ``docs/compaction.md``: its commands in one folder, its Python by doctest.

``SYNAPSE_UPDATE_DOCS=1 pytest tests/cli/test_compaction_page.py`` writes what the commands say into it.
"""

from __future__ import annotations

import doctest
import json
import re
from pathlib import Path
from typing import Any

from synapse_ls import compaction
from synapse_ls.queries.history_compaction import STRATEGIES
from tests.cli.conftest import Synapse
from tests.cli.page_examples import (
    REPOSITORY,
    blocks,
    commands_of,
    compare_with_page,
    posix,
    shell_transcript,
)

PAGE = REPOSITORY / "docs" / "compaction.md"


def session(path: Path) -> None:
    """Three turns of Claude Code; in each a command says a lot."""
    lines: list[dict[str, Any]] = []

    def put(kind: str, content: object) -> None:
        message = {"role": kind, "content": content, "id": f"m{len(lines)}"}
        lines.append({"type": kind, "uuid": f"u{len(lines)}", "sessionId": "s", "message": message})

    for number, prompt in enumerate(("Fix the refund", "Run the tests again", "Tidy up")):
        put("user", prompt)
        use = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": "make"}}
        put("assistant", [{"type": "text", "text": "Let me look."}, use])
        said = "All tests of the refund have passed.\n" * 30
        put("user", [{"type": "tool_result", "tool_use_id": f"t{number}", "content": said}])
        put("assistant", [{"type": "text", "text": "That is done."}])
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


@posix
def test_the_commands_say_what_the_page_says(tmp_path: Path) -> None:
    session(tmp_path / "session.jsonl")
    for block in blocks(PAGE):
        said = shell_transcript(commands_of(block), tmp_path)
        compare_with_page(PAGE, block, said)


def test_the_python_says_what_the_page_says() -> None:
    done = doctest.testfile(str(PAGE), module_relative=False)
    assert done.attempted > 20
    assert not done.failed


def test_the_page_has_every_strategy_and_every_field(synapse: Synapse, tmp_path: Path) -> None:
    session(tmp_path / "session.jsonl")
    text = PAGE.read_text(encoding="utf-8")
    report = synapse("compact", str(tmp_path / "session.jsonl"), "--format", "json").json
    assert not [name for name in (*STRATEGIES, *report) if f"`{name}`" not in text]


def test_all_that_is_public_has_a_docstring_and_is_on_the_page() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for name in compaction.__all__:
        value = getattr(compaction, name)
        assert not isinstance(value, type) or value.__doc__, name
        assert re.search(rf"\b{name}\b", text), name
