"""Trees of Chati.dev on the command line and behind the hook."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from synapse_ls.formats.continuation_file import parse as parse_continuation
from tests.chati_trees import BOARD, DOCUMENT, LINTED, SAME
from tests.cli.conftest import Synapse
from tests.hooks.hook_clients import Claude
from tests.trees import TEAM, write_tree

MEMORIES = {
    f".chati/memories/shared/durable/{name}.md": f"""\
---
id: {name}
type: lesson
agent: brief
tags: [brief]
confidence: 1.0
sector: episodic
tier: hot
created_at: 2999-01-01T00:00:00Z
---

# {name.replace("-", " ").capitalize()}

Keep this in mind.
"""
    for name in ("auth-pattern", "db-migration-gotcha", "user-preference-dark-mode")
}


@pytest.fixture
def board(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project that is being built; it is where commands run."""
    root = write_tree(tmp_path / "board", BOARD)
    monkeypatch.chdir(root)
    return root


def test_the_document_comes_out_of_files_on_disk(
    synapse: Synapse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(write_tree(tmp_path / "team", {**SAME, **MEMORIES}))
    done = synapse("context", "--remaining", "50")
    assert (done.code, done.out, done.err) == (0, DOCUMENT, "")


@pytest.mark.parametrize("bracket", ["FRESH", "MODERATE", "DEPLETED", "CRITICAL"])
def test_the_profile_may_be_named(synapse: Synapse, board: Path, bracket: str) -> None:
    done = synapse("context", "--profile", "chati", "--bracket", bracket)
    assert done.out.startswith(f'<chati-context bracket="{bracket}">\n')
    assert done.out == synapse("context", "--bracket", bracket).out


def test_rules_of_synapse_come_first_and_the_profile_may_still_be_named(
    synapse: Synapse, board: Path
) -> None:
    write_tree(board, TEAM)
    assert synapse("context").out.startswith("<synapse-rules>")
    assert synapse("context", "--profile", "chati").out.startswith("<chati-context ")


@pytest.mark.parametrize("mark", ["chati.dev/config.yaml", ".chati/session.yaml"])
def test_either_folder_makes_a_tree(
    synapse: Synapse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mark: str
) -> None:
    root = write_tree(tmp_path / "one", {mark: BOARD[mark], "src/deep/x": ""})
    monkeypatch.chdir(root / "src" / "deep")
    assert "profile chati\n" in synapse("status").out


def test_status_tells_who_is_at_work(synapse: Synapse, board: Path) -> None:
    out = synapse("status").out
    assert "@dev" in out
    assert "T1.1" in out
    assert "greenfield-fullstack" in out
    assert "(from .chati/session.yaml)" in out
    assert "state file" not in out


def test_an_active_task_of_a_file_has_its_criteria(synapse: Synapse, board: Path) -> None:
    out = synapse("context").out
    assert '<task id="T1.1">\n    Upload an avatar\n    - [ ] Given a signed-in user, when ' in out


def test_a_task_in_markdown_is_found_by_its_name(synapse: Synapse, board: Path) -> None:
    text = "---\nid: dev-implement\nagent: dev\ncriteria: [Tests pass]\n---\n# Implement\n"
    write_tree(board, {"chati.dev/tasks/dev-implement.md": text})
    out = synapse("context", "--task", "dev-implement").out
    assert '<task id="dev-implement">\n    Implement\n    - [ ] Tests pass\n  </task>' in out


def test_turns_of_the_session_make_the_bracket(synapse: Synapse, board: Path) -> None:
    session = board / ".chati/session.yaml"
    session.write_text(session.read_text("utf-8") + "turn_count: 31\n", "utf-8")
    assert synapse("context").out.startswith('<chati-context bracket="CRITICAL">')
    assert "22% of the context window left" in synapse("status").out


def test_broken_rules_are_an_error_and_the_rest_is_told(synapse: Synapse, board: Path) -> None:
    path = board / "chati.dev/domains/global.yaml"
    path.write_text(path.read_text("utf-8").replace("modes:", "  stray: key\nmodes:"), "utf-8")
    checked = synapse("check")
    assert checked.code == 1
    assert "chati.dev/domains/global.yaml:7:1: error SYN117 invalid-yaml" in checked.out
    told = synapse("context").out
    assert "chati.dev/domains/global.yaml is no valid YAML" in told
    assert "<constitution>" in told


def test_what_broke_keeps_what_it_said(synapse: Synapse, board: Path) -> None:
    assert '<rule id="english">' in synapse("context").out
    path = board / "chati.dev/domains/global.yaml"
    path.write_text(path.read_text("utf-8").replace("modes:", "  stray: key\nmodes:"), "utf-8")
    again = synapse("context").out
    assert '<rule id="english">' in again
    assert "what it said before still holds" in again


def test_check_finds_nothing_in_a_sound_tree(
    synapse: Synapse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(write_tree(tmp_path / "sound", LINTED))
    assert synapse("check").code == 0


def test_memories_of_the_tree_are_told(synapse: Synapse, board: Path) -> None:
    write_tree(board, MEMORIES)
    out = synapse("context", "--agent", "brief", "--remaining", "50").out
    names = "auth-pattern, db-migration-gotcha, user-preference-dark-mode"
    assert '<memory bracket="MODERATE" level="metadata">' in out
    assert f"[3 HOT memories available: {names}]" in out


TAGGED = {
    path: text.replace("tags: [brief]", "tags: [brief, requirements, elicitation, phase-two]")
    for path, text in MEMORIES.items()
}


def test_what_is_not_shown_of_a_memory_costs_nothing(synapse: Synapse, board: Path) -> None:
    write_tree(board, TAGGED)
    out = synapse("context", "--agent", "brief", "--remaining", "50").out
    names = "auth-pattern, db-migration-gotcha, user-preference-dark-mode"
    assert f"[3 HOT memories available: {names}]" in out


def test_a_memory_that_a_line_names_is_told(synapse: Synapse, board: Path) -> None:
    write_tree(board, TAGGED)
    asked = ("--agent", "brief", "--remaining", "50")
    said = synapse("explain", *asked).out
    assert "Memories · metadata, up to 50 tokens\n" in said
    assert "the budget has cut it" not in said
    assert said.count("  +  ") == len(TAGGED)
    assert synapse("why", "auth-pattern", *asked).out.startswith("auth-pattern is in")


def test_a_memory_that_found_no_room_says_so(synapse: Synapse, board: Path) -> None:
    path, text = next(iter(MEMORIES.items()))
    many = {
        path.replace("auth", f"auth-{number}"): text.replace(
            "auth-pattern", f"auth-{number}-pattern"
        )
        for number in range(20)
    }
    write_tree(board, many)
    asked = ("--agent", "brief", "--remaining", "50")
    told = synapse("context", *asked).out.partition("[")[2].partition("]")[0]
    count = int(told.partition(" ")[0])
    assert len(told) + len("    []\n") <= 200 < len(told) + len("    [, auth-10-pattern]\n")
    out = synapse("explain", "--verbose", *asked).out
    assert out.count("  +  ") == count
    assert out.count("the 50 tokens for memories are used up") == 20 - count


def test_memories_that_the_block_tells_are_listed_found_and_shown(
    synapse: Synapse, board: Path
) -> None:
    write_tree(board, TAGGED)
    listed = synapse("memory", "list").out
    assert all(name in listed for name in ("auth-pattern", "db-migration-gotcha", "dark-mode"))
    (found,) = synapse("memory", "search", "auth", "--format", "json").json
    assert found["id"] == "auth-pattern"
    assert found["file"] == ".chati/memories/shared/durable/auth-pattern.md"
    assert "Keep this in mind." in synapse("memory", "show", "auth-pattern").out
    assert synapse("memory", "stats", "--format", "json").json["total"] == len(TAGGED)


def test_a_memory_of_an_agents_own_folder_is_listed_for_that_agent(
    synapse: Synapse, board: Path
) -> None:
    path, text = next(iter(MEMORIES.items()))
    write_tree(board, {path.replace("shared", "dev"): text.replace("agent: brief", "agent: dev")})
    assert "auth-pattern" in synapse("memory", "list", "--agent", "dev").out
    assert "auth-pattern" not in synapse("memory", "list", "--agent", "brief").out


@pytest.mark.parametrize("verb", ["forget", "confirm"])
def test_a_memory_of_chati_is_never_changed(synapse: Synapse, board: Path, verb: str) -> None:
    write_tree(board, MEMORIES)
    path = board / ".chati/memories/shared/durable/auth-pattern.md"
    before = path.read_bytes()
    refused = synapse("memory", verb, "auth-pattern")
    assert refused.code == 2
    assert "auth-pattern.md is a file of Chati.dev" in refused.err
    assert path.read_bytes() == before
    assert synapse("memory", "gc").code == 0
    assert path.read_bytes() == before


def test_what_chati_remembers_may_be_remembered_here_too(synapse: Synapse, board: Path) -> None:
    write_tree(board, MEMORIES)
    assert synapse("memory", "add", "Keep this in mind.", "--title", "Auth pattern").code == 0
    files = sorted(seen["file"] for seen in synapse("memory", "list", "--format", "json").json)
    assert len(files) == len(MEMORIES) + 1
    assert any(re.match(r"\.chati/memories/shared/durable/mem-[-\d]+\.md$", file) for file in files)


def test_a_continuation_has_the_pipeline_and_the_backlog(synapse: Synapse, board: Path) -> None:
    write_tree(board, MEMORIES)
    client = Claude(board)
    client.prompt("go on")
    assert synapse("handoff").code == 0
    path = board / ".chati/continuation/latest.md"
    found = parse_continuation(path.read_text("utf-8"))
    assert found.pipeline == (
        "brief (completed, 98%)",
        "qa-planning (completed, 97%)",
        "dev (in_progress, 60%) ← here",
        "qa-implementation (pending)",
    )
    assert found.open_items[-2:] == (
        "BL-001 (low, pending): Tune the search",
        "BL-002 (high, in_progress): Limit uploads",
    )
    assert [line.split()[0] for line in found.memories] == sorted(
        Path(path).stem for path in MEMORIES
    )


def test_the_hook_tells_the_block_once_and_then_what_changed(
    process: Synapse, synapse: Synapse, board: Path
) -> None:
    def told(prompt: str) -> str:
        synapse("context")  # makes the plan, so that no deadline has a say
        event = {
            "session_id": "b1",
            "hook_event_name": "UserPromptSubmit",
            "prompt": prompt,
            "cwd": str(board),
        }
        done = process("hook", "--client", "claude", stdin=json.dumps(event))
        said = json.loads(done.out or "{}").get("hookSpecificOutput", {})
        return str(said.get("additionalContext", ""))

    assert told("begin").startswith("<chati-context bracket=")
    assert told("go on") == ""
    session = board / ".chati/session.yaml"
    session.write_text(session.read_text("utf-8").replace("agent: dev", "agent: brief"), "utf-8")
    changed = told("and now")
    assert "agent dev: what was given before no longer applies" in changed
    assert '<agent name="brief"' in changed
    assert "<constitution>" not in changed


def test_a_file_for_agents_holds_what_no_session_decides(synapse: Synapse, board: Path) -> None:
    done = synapse("sync", "agents")
    assert done.code == 0
    lines = (board / "AGENTS.md").read_text("utf-8").splitlines()
    assert [line for line in lines if line.startswith(("#", "-", "These"))] == [
        "These rules are kept in `chati.dev/`; change them there, then run `synapse sync`.",
        "## Constitution (NON-NEGOTIABLE)",
        "- Article I: Agent Governance",
        "- Article II: Quality Standards",
        "## Rules for everything",
        "- All code & comments are in English.",
        "- Follow the conventions that are there.",
    ]


@pytest.mark.parametrize(
    ("id", "key"),
    [
        ("dev-lint", "AGENT_DEV_RULES_DEV_LINT"),
        ("english", "GLOBAL_ENGLISH"),
        ("BL-001", "BACKLOG_BL_001"),
        ("gf-gate", "WORKFLOW_GREENFIELD_FULLSTACK_GF_GATE"),
        ("Article II", "ARTICLE_II"),
        ("criteria", "AGENT_DEV_CRITERIA"),
        ("dev", "AGENT_DEV"),
        ("greenfield-fullstack", "WORKFLOW_GREENFIELD_FULLSTACK"),
    ],
)
def test_why_knows_the_ids_that_stand_in_the_block(
    synapse: Synapse, board: Path, id: str, key: str
) -> None:
    assert synapse("why", id).out.startswith(f"{key} is in: ")


def test_what_stands_in_the_place_of_another_source_is_said(synapse: Synapse, board: Path) -> None:
    text = "summary: Short.\nrules:\n  - {id: art-i, text: Agents follow their role.}\n"
    write_tree(board, {"chati.dev/domains/constitution.yaml": text})
    asked = ("Article II", "art-i", "chati.dev/config.yaml:3")
    reasons = [synapse("why", one).out.split("\n")[0].partition(" is out: ")[2] for one in asked]
    assert reasons == [
        "the summary of chati.dev/domains/constitution.yaml says it instead.",
        "the summary says it instead.",
        ".chati/session.yaml says it instead.",
    ]
