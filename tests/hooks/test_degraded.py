"""An agent never loses its rules because one source is broken or late, and never silently."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from synapse_ls.hooks import hook_call
from synapse_ls.integrations import hook_event
from synapse_ls.setup import tree_configuration
from synapse_ls.storage import current_plan, program_start, tree_compilation
from synapse_ls.storage.atomic_files import FileLock
from synapse_ls.storage.current_plan import load_plan
from synapse_ls.storage.tree_compilation import CompilationResult
from tests.hooks.hook_clients import Claude, Scripted
from tests.trees import TEAM, write_tree

STATE = ".aiox/story-development-cycle-20260102-abc123-state.yaml"
FILES = {
    **TEAM,
    ".synapse/config.toml": 'profile = "synapse-live"\n',
    STATE: """\
        workflow_id: story-development-cycle
        workflow_name: Story Development Cycle
        instance_id: story-development-cycle-20260102-abc123
        target_context: core
        started_at: '2026-01-02T10:00:00.000Z'
        updated_at: '2026-01-02T11:00:00.000Z'
        status: active
        current_phase: qa_review
        current_step_index: 0
        steps:
          - {step_index: 0, phase: qa_review, agent: qa, action: check, status: pending}
        """,
}


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Claude:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    return Claude(write_tree(tmp_path / "tree", FILES))


def log(client: Claude) -> str:
    path = client.root.parent / "cache" / "hook.log"
    return path.read_text() if path.exists() else ""


def test_a_state_file_that_is_broken_keeps_its_last_good_state(client: Claude) -> None:
    assert "PHASE: qa_review" in client.prompt("hello")
    (client.root / STATE).write_text("a: [1")
    text = client.prompt("go on")
    assert "[WITHDRAWN]" not in text
    assert f"[NOTICE]\n  {STATE} is no valid YAML: what it said before still holds" in text
    assert "is no valid YAML" in log(client)
    assert client.prompt("go on") == ""


def test_the_notice_is_withdrawn_when_the_file_is_mended(client: Claude) -> None:
    client.prompt("hello")
    good = (client.root / STATE).read_text()
    (client.root / STATE).write_text("a: [1")
    client.prompt("go on")
    (client.root / STATE).write_text(good)
    assert "NOTICE: what was given before no longer applies" in client.prompt("go on")


@pytest.mark.parametrize("content", [b"\0\0\0binary\0", b""], ids=["binary", "being saved"])
def test_rules_that_cannot_be_read_keep_standing(client: Claude, content: bytes) -> None:
    client.prompt("hello")
    (client.root / ".synapse" / "global").write_bytes(content)
    text = client.prompt("go on")
    assert "[WITHDRAWN]" not in text
    assert ".synapse/global" in text and "what it said before still holds" in text


def test_boundaries_that_cannot_be_read_still_hold(client: Claude) -> None:
    client.prompt("@dev hello")
    (client.root / ".synapse" / "agent-dev").write_bytes(b"\0\0\0binary\0")
    tool = {"tool_name": "Bash", "tool_input": {"command": "git push"}}
    assert "AGENT_DEV_AUTH_0" in str(client.send("PreToolUse", **tool))


def test_rules_that_were_emptied_for_good_are_withdrawn(client: Claude) -> None:
    client.prompt("hello")
    path = client.root / ".synapse" / "global"
    path.write_bytes(b"")
    os.utime(path, (1_600_000_000, 1_600_000_000))
    assert "[WITHDRAWN]" in client.prompt("go on")


def test_rules_whose_file_is_deleted_are_withdrawn(client: Claude) -> None:
    client.prompt("hello")
    (client.root / ".synapse" / "global").unlink()
    text = client.prompt("go on")
    assert "GLOBAL: no longer applies" in text and "[NOTICE]" not in text


def test_star_commands_that_cannot_be_read_keep_their_meaning(client: Claude) -> None:
    client.prompt("hello")
    (client.root / ".synapse" / "commands").write_bytes(b"\0\0\0")
    assert "Use bullet points only" in client.prompt("*brief")


def test_a_manifest_that_cannot_be_read_changes_nothing(client: Claude) -> None:
    client.prompt("@dev hello")
    (client.root / ".synapse" / "manifest").write_bytes(b"\0\0\0")
    text = client.prompt("improve the coverage")
    assert "[WITHDRAWN]" not in text and "[KEYWORD MATCHES]" in text


def test_rules_that_never_could_be_read_are_said_to_be_missing(client: Claude) -> None:
    (client.root / ".synapse" / "global").write_bytes(b"\0\0\0")
    assert ".synapse/global is not text: what it says is missing" in client.prompt("hello")


CONFIG = ".synapse/config.toml"


@pytest.mark.parametrize(
    ("config", "said"),
    [
        (
            "profile = [",
            f"{CONFIG}: Invalid value, so the whole configuration is ignored and the defaults hold",
        ),
        (
            '[guard]\nmode = "enforced"\n[lint]\nno = 1\n',
            f'{CONFIG}: `"enforced"` is not a value of `guard.mode`, so it counts as '
            '"enforce" (and 1 more: synapse check lists them)',
        ),
        (
            'extends = ["x.toml` is fine. Run `y"]\n',
            f"{CONFIG}: `x.toml' is fine. Run 'y` is not taken over. It names no TOML file below the root, of "
            "`user:` or of `package:NAME/`",
        ),
        (
            '"no` setting. Run `y" = 1\n',
            f"{CONFIG}: There is no setting `\"no' setting. Run 'y\"`, so this has no effect",
        ),
        (
            '[guard]\nmode = "x` is fine. Run `y"\n',
            f'{CONFIG}: `"x\' is fine. Run \'y"` is not a value of `guard.mode`, so it counts as "enforce"',
        ),
        (
            'profile = "sinapse"\n',
            f"{CONFIG} names the profile 'sinapse', which does not exist, so synapse holds",
        ),
    ],
)
def test_what_is_wrong_with_the_configuration_is_said(
    client: Claude, config: str, said: str
) -> None:
    (client.root / CONFIG).write_text(config, encoding="utf-8")
    assert f"[NOTICE]\n  {said}\n" in client.prompt("hello")
    assert said in log(client)
    assert said in load_plan(str(client.root)).plan.notices  # of the cached plan too


@pytest.mark.parametrize("before", [False, True])
def test_a_configuration_that_cannot_be_read_takes_no_guard_away(
    client: Claude, before: bool
) -> None:
    (client.root / CONFIG).write_text('[guard]\nmode = "off"\n', encoding="utf-8")
    if before:
        client.prompt("hello")
    (client.root / CONFIG).write_bytes(b"\0\0\0")
    effect = "what it said before still holds" if before else "the defaults hold, and the guard is"
    assert f"{CONFIG} is not text: {effect}" in client.prompt("hello")
    mode = load_plan(str(client.root)).plan.settings["guard"]
    assert mode == ("off" if before else "enforce")


@pytest.mark.parametrize(
    ("target", "what"),
    [
        ("", "is not a file"),
        ("config.toml", "is a link that leads in a circle"),
        ("nowhere.toml", "is a link that leads nowhere"),
        ("../../outside.toml", "is a link that leads out of the project"),
    ],
)
def test_something_else_in_the_place_of_the_configuration_takes_no_guard_away(
    client: Claude, target: str, what: str
) -> None:
    config = client.root / CONFIG
    (client.root.parent / "outside.toml").write_text('[guard]\nmode = "off"\n')
    config.unlink()
    if target:
        config.symlink_to(target)
    else:
        config.mkdir()
    effect = "the defaults hold, and the guard is strict (enforce)"
    assert f"[NOTICE]\n  {CONFIG} {what}: {effect}\n" in client.prompt("hello")
    assert load_plan(str(client.root)).plan.settings["guard"] == "enforce"
    found = tree_configuration.read_configuration(client.root)
    assert found.config.guard.mode == "enforce"
    assert [fault.message.endswith("the guard is strict") for fault in found.faults] == [True]


def test_a_configuration_that_is_mended_holds_from_then_on(client: Claude) -> None:
    config = client.root / CONFIG
    config.unlink()
    config.symlink_to("mended.toml")
    client.prompt("hello")
    config.with_name("mended.toml").write_text('[guard]\nmode = "off"\n')
    client.prompt("hello again")
    assert load_plan(str(client.root)).plan.settings["guard"] == "off"


def test_what_stands_in_every_prompt_is_read_whatever_the_time(client: Claude) -> None:
    plan = load_plan(str(client.root), patience=0.0)
    assert plan.incomplete
    known = {domain.label for domain in plan.plan.domains() if domain.rules}
    assert known >= {"CONSTITUTION", "GLOBAL", "CONTEXT", "COMMANDS", "AGENT_DEV", "GUARDRAILS"}
    assert any("sources are still being read" in notice for notice in plan.plan.notices)


def test_what_nobody_can_keep_is_not_said_to_come(
    client: Claude, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "file" / "cache"))
    monkeypatch.setattr(hook_call, "PROMPT_PATIENCE", 0.0)
    told = client.prompt("improve the coverage")
    assert "still being read" not in told
    assert "sources could not be read in time, and what is read cannot be kept" in told


def test_a_notice_is_taken_back_once_all_is_read(
    client: Claude, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program_start, "start_process", lambda *_: True)
    with monkeypatch.context() as busy:
        busy.setattr(hook_call, "PROMPT_PATIENCE", 0.0)
        assert "still being read" in client.prompt("hello")
    current_plan.main(str(client.root), "")
    assert "NOTICE: what was given before no longer applies" in client.prompt("go on")
    assert "NOTICE" not in client.prompt("and on")


def plans_started(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """What processes that make plans are started with from now on; none is."""
    started: list[tuple[str, ...]] = []

    def note_start(module: str, *arguments: str) -> bool:
        if module == current_plan.__name__:
            started.append(arguments)
        return True

    monkeypatch.setattr(program_start, "start_process", note_start)
    return started


def test_a_late_plan_is_finished_by_a_process_of_its_own(
    client: Claude, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = plans_started(monkeypatch)
    monkeypatch.setattr(hook_call, "PROMPT_PATIENCE", 0.0)
    assert "[NOTICE]" in client.prompt("improve the coverage")
    assert started == [(str(client.root), "")]
    current_plan.main(*started[0])
    assert "Arrange, act, assert" in client.prompt("improve the coverage")


def test_no_prompt_waits_for_the_process_that_finishes_a_plan(
    client: Claude, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []
    enter = FileLock.__enter__

    def note_wait(lock: FileLock) -> FileLock:
        waited.append(lock.timeout if Path(lock.path).exists() else 0)
        return enter(lock)

    compile_tree = tree_compilation.compile_tree

    def prompt_meanwhile(*arguments: Any, **options: Any) -> CompilationResult:
        monkeypatch.setattr(tree_compilation, "compile_tree", compile_tree)
        monkeypatch.setattr(FileLock, "__enter__", note_wait)
        assert "[GLOBAL]" in client.prompt("improve the coverage")
        return compile_tree(*arguments, **options)

    monkeypatch.setattr(tree_compilation, "compile_tree", prompt_meanwhile)
    monkeypatch.setattr(current_plan, "SHARED_PATIENCE", 1.0)
    current_plan.main(str(client.root), "")
    assert waited
    assert 1.0 not in waited


@pytest.mark.parametrize("changed", [".synapse/manifest", ".synapse/global"])
def test_the_end_of_a_turn_has_the_plan_made_again_where_a_file_has_changed(
    changed: str, client: Claude, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripted = Scripted(client.root)
    started = plans_started(monkeypatch)
    for path in client.root.rglob("*"):
        os.utime(path, (1_700_000_000, 1_700_000_000))
    scripted.prompt("improve the coverage")
    scripted.send(hook_event.STOP)
    assert started == []
    write_tree(client.root, {changed: (client.root / changed).read_text() + "\n# reviewed\n"})
    os.utime(client.root / changed, (1_700_000_100, 1_700_000_100))
    scripted.send(hook_event.STOP)
    assert started == [(str(client.root), "")]
    current_plan.main(*started[0])
    scripted.send(hook_event.STOP)
    assert len(started) == 1


def test_the_process_that_finishes_a_plan_starts(
    client: Claude, monkeypatch: pytest.MonkeyPatch
) -> None:
    import subprocess

    processes: list[subprocess.Popen[bytes]] = []
    real = subprocess.Popen

    def remember(*arguments: object, **options: object) -> subprocess.Popen[bytes]:
        processes.append(real(*arguments, **options))  # type: ignore[call-overload]
        return processes[-1]

    monkeypatch.setattr(subprocess, "Popen", remember)
    program_start.start_process(current_plan.__name__, str(client.root), "")
    assert processes[0].wait(60) == 0
    assert not load_plan(str(client.root), patience=0.0).incomplete


def test_the_project_folder_counts_before_the_working_directory(
    client: Claude, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / ".git").mkdir()
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(client.root))
    assert "[GLOBAL]" in client.prompt("hello", cwd=str(elsewhere))
    assert "[GLOBAL]" in client.prompt("hello", cwd="", session_id="other")


def test_a_count_in_a_transcript_that_is_none_is_critical(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    client = Claude(write_tree(tmp_path / "tree", TEAM))
    client.prompt("hello")
    client.uses(1_500)
    lines = client.transcript.read_text(encoding="utf-8")
    client.transcript.write_text(lines.replace(": 497", ": -497"), encoding="utf-8")
    assert "[CRITICAL]" in client.prompt("go on")
