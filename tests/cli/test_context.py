from __future__ import annotations

from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.cli.conftest import Synapse
from tests.trees import write_tree


def hook(synapse: Synapse, root: Path, prompt: str) -> None:
    """A prompt of session ``s-1``, as a client would report it."""
    from synapse_ls.hooks.event_dispatch import dispatch_event
    from synapse_ls.integrations.claude import CLIENT

    raw = {"hook_event_name": "UserPromptSubmit", "session_id": "s-1", "prompt": prompt}
    event = CLIENT.parse_event({**raw, "cwd": str(root)}, "")
    dispatch_event(event, CLIENT, lambda _: None, clock=lambda: 1_790_000_000.0)


def test_the_block_and_nothing_else(
    synapse: Synapse, team: Path, snapshot: SnapshotAssertion
) -> None:
    done = synapse("context", "--agent", "dev", "--remaining", "50", "more coverage")
    assert (done.code, done.err) == (0, "")
    assert done.out == snapshot


@pytest.mark.parametrize(
    "given",
    [
        ["*brief"],
        ["--prompt", "*brief"],
        ["--prompt=*brief"],
        ["--prompt-file", "prompt.txt"],
        ["-"],
        ["--prompt", "-"],
        ["--", "*brief"],
    ],
)
def test_a_prompt_can_be_given_in_every_way(synapse: Synapse, team: Path, given: list[str]) -> None:
    (team / "prompt.txt").write_text("*brief")
    assert "[*brief] COMMAND:" in synapse("context", *given, stdin="*brief").out


def test_a_prompt_is_given_once(synapse: Synapse, team: Path) -> None:
    done = synapse("context", "x", "--prompt", "y")
    assert done.code == 2
    assert "The prompt is given twice, as PROMPT and as --prompt." in done.err


def test_a_prompt_file_that_is_not_there_is_an_error(synapse: Synapse, team: Path) -> None:
    done = synapse("context", "--prompt-file", "nowhere.txt")
    assert done.code == 2
    assert done.err.startswith("error: Cannot read nowhere.txt: no such file or directory.\n")


def test_notes_go_to_standard_error(synapse: Synapse, team: Path) -> None:
    done = synapse("context", "--agent", "nobody")
    assert done.code == 0
    assert done.err == "note: no domain or definition is known for agent @nobody\n"


def test_notes_can_be_silenced(synapse: Synapse, team: Path) -> None:
    done = synapse("context", "--agent", "nobody", "--quiet")
    assert (done.code, done.err) == (0, "")


def test_a_bracket_that_the_profile_lacks_is_an_error(synapse: Synapse, team: Path) -> None:
    done = synapse("context", "--bracket", "STALE")
    assert (done.code, done.out) == (2, "")
    assert "FRESH, MODERATE, DEPLETED, CRITICAL" in done.err


def test_a_profile_that_does_not_exist_is_an_error(synapse: Synapse, team: Path) -> None:
    done = synapse("context", "--profile", "live")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith('error: There is no profile "live".')


def test_json_holds_the_block_and_its_parts(
    synapse: Synapse, team: Path, snapshot: SnapshotAssertion
) -> None:
    done = synapse("context", "--agent", "qa", "*brief", "--format", "json")
    assert (done.code, done.err) == (0, "")
    assert done.json == snapshot


def test_json_and_text_hold_the_same_block(synapse: Synapse, team: Path) -> None:
    text = synapse("context", "--remaining", "30").out
    assert synapse("context", "--remaining", "30", "--format", "json").json["block"] == text


def test_json_has_the_notes_and_standard_error_has_none(synapse: Synapse, team: Path) -> None:
    done = synapse("context", "--agent", "nobody", "--format", "json")
    assert done.err == ""
    assert done.json["notes"] == ["no domain or definition is known for agent @nobody"]


def test_asking_writes_nothing_into_the_tree(synapse: Synapse, team: Path) -> None:
    before = sorted(team.rglob("*"))
    synapse("context", "@dev *brief")
    assert sorted(team.rglob("*")) == before


def test_delivery_needs_a_session(synapse: Synapse, team: Path) -> None:
    done = synapse("context", "--delivery")
    assert done.code == 2
    assert done.err.startswith("error: --delivery needs a session")


def test_delivery_is_what_the_window_does_not_hold_yet(synapse: Synapse, team: Path) -> None:
    hook(synapse, team, "hello there")
    done = synapse("context", "--delivery", "--session", "s-1", "@dev go on")
    assert "[ACTIVE AGENT: @dev]" in done.out and "[CONSTITUTION]" not in done.out
    assert done.err == "note: only what the window does not hold yet\n"


def test_delivery_of_nothing_says_so(synapse: Synapse, team: Path) -> None:
    hook(synapse, team, "hello there")
    done = synapse("context", "--delivery", "--session", "s", "hello again")
    assert done.out == ""
    assert done.err.startswith("note: nothing to inject: ")


def test_a_session_that_does_not_exist_is_an_error(synapse: Synapse, team: Path) -> None:
    done = synapse("context", "--session", "s-1")
    assert done.code == 2
    assert done.err.startswith('error: There is no session "s-1".')


def test_no_session_is_current_without_activity(synapse: Synapse, team: Path) -> None:
    hook(synapse, team, "hello there")  # long ago
    done = synapse("context", "--session", "current")
    assert done.code == 2
    assert "There is no current session" in done.err


@pytest.mark.parametrize(
    ("option", "told"),
    [
        ("--workflow", 'note: no workflow is called "nobody"\n'),
        ("--story", 'note: no story is called "nobody"\n'),
    ],
)
def test_a_name_nobody_knows_gets_a_note(
    synapse: Synapse, team: Path, option: str, told: str
) -> None:
    done = synapse("context", option, "nobody")
    assert done.code == 0
    assert told in done.err


def test_a_file_that_cannot_be_read_is_named_in_its_note(synapse: Synapse, team: Path) -> None:
    (team / ".synapse/global").unlink()
    (team / ".synapse/global").symlink_to(team.parent / "elsewhere")
    (team.parent / "elsewhere").write_text("x")
    assert "note: .synapse/global: " in synapse("context").err


def test_a_session_that_only_carl_knows_is_answered_as_the_hook_would(
    synapse: Synapse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        ".carl/manifest": "GLOBAL_STATE=active\n",
        ".carl/global": "GLOBAL_RULE_0=Tune first\n",
        ".carl/sessions/tour.json": '{"uuid": "tour", "overrides": {"GLOBAL_STATE": false}}',
    }
    root = write_tree(tmp_path / "band", files)
    monkeypatch.chdir(root)
    assert "Tune first" in synapse("context").out
    done = synapse("context", "--session", "tour")
    assert (done.code, done.err) == (0, "")
    assert "Tune first" not in done.out
    assert not (root / ".synapse").exists()
    assert 'There is no session "tours"' in synapse("context", "--session", "tours").err
