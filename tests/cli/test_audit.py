"""`synapse audit` as a person calls it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from synapse_ls.hooks import hook_command
from synapse_ls.storage.editor_cache import read_histories
from tests.cli.conftest import Synapse
from tests.queries.recorded_sessions import Claude
from tests.queries.test_audit import FILES, TOLD
from tests.trees import write_tree

HOOK = Path(hook_command.__file__).parent.parent / "hook.py"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "tree", FILES)


def pushed(root: Path) -> Path:
    """A transcript in which @dev pushes although it was told not to."""
    session = Claude(root)
    session.asks("@dev implement the refund", TOLD)
    session.runs("git push origin main | tee `log`")
    return session.save(root.parent / "s.jsonl")


def test_a_breach_is_told_with_place_reason_and_remedy(root: Path, synapse: Synapse) -> None:
    done = synapse("--root", str(root), "audit", str(pushed(root)))
    assert done.code == 0
    assert "AGENT_DEV_AUTH_0  applied 1 time, broken 1 time" in done.out
    assert "s.jsonl:3, @dev, prompt 1 of 2026-11-02T09:00:01Z" in done.out
    assert "why: the rule was in context" in done.out
    assert "remedy: " in done.out


def test_a_job_can_fail_where_a_rule_was_broken(root: Path, synapse: Synapse) -> None:
    assert synapse("--root", str(root), "audit", str(pushed(root)), "--exit-code").code == 1


def test_a_summary_for_a_job_is_a_table_that_no_command_breaks(
    root: Path, synapse: Synapse
) -> None:
    done = synapse("--root", str(root), "audit", str(pushed(root)), "--format", "markdown")
    assert "| `AGENT_DEV_AUTH_0` | 1 | 0 | 1 | `git push` |" in done.out
    assert "tee `log`" not in done.out


def test_without_a_name_the_sessions_that_the_tree_knows_are_audited(
    root: Path, synapse: Synapse
) -> None:
    transcript = pushed(root)
    event = {
        "session_id": "s",
        "transcript_path": str(transcript),
        "cwd": str(root),
        "prompt": "go on",
    }
    subprocess.run(
        [sys.executable, str(HOOK), "--event", "UserPromptSubmit", "--client", "claude"],
        input=json.dumps(event).encode(),
        stdout=subprocess.DEVNULL,
        check=True,
    )
    done = synapse("--root", str(root), "audit", "--json")
    assert done.err == ""
    found = json.loads(done.out)
    assert found["transcripts"] == [str(transcript)]
    assert [one["key"] for one in found["rules"] if one["broken"]] == ["AGENT_DEV_AUTH_0"]
    assert read_histories(str(root))[".synapse/agent-dev", "AGENT_DEV_AUTH_0"].broken == 1
    long_ago = synapse("--root", str(root), "audit", "--json", "--since", "2099-01-01")
    assert json.loads(long_ago.out)["transcripts"] == []


def test_a_tree_without_sessions_says_so(root: Path, synapse: Synapse) -> None:
    done = synapse("--root", str(root), "audit")
    assert done.code == 2
    assert "No transcript of a session of this tree was found." in done.err
    assert synapse("--root", str(root), "audit", "--format", "markdown").code == 2


def test_a_file_that_is_no_transcript_is_an_error_with_a_remedy(
    root: Path, synapse: Synapse
) -> None:
    done = synapse("--root", str(root), "audit", str(root / ".synapse" / "manifest"))
    assert done.code == 2
    assert "no transcript" in done.err


def test_the_name_of_a_transcript_is_no_markup(root: Path, synapse: Synapse) -> None:
    odd = "x\n## x\x1b[31m\u202e<img src=x> [l](javascript:x) `.jsonl"
    transcript = pushed(root).rename(root / odd)
    done = synapse("--root", str(root), "audit", str(transcript), "--format", "markdown")
    assert "\x1b" not in done.out and "\u202e" not in done.out
    assert "\n## x" not in done.out
    assert "- `` x ## x\\x1b[31m\\u202e<img src=x> [l](javascript:x) `.jsonl:" in done.out
