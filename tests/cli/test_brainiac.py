"""Brainiac's memory and plain sections on the command line, on whole trees."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from synapse_ls.engine.systems.brainiac.profile import PROCESSES
from tests.cli.conftest import Synapse
from tests.hooks.hook_clients import Claude

TREES = Path(__file__).parent.parent / "workspaces"
ASKED = "Why do ticket machines cache reservations?"


@pytest.fixture
def brainiac(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the Brainiac tree; it is where commands run."""
    root = shutil.copytree(TREES / "brainiac", tmp_path / "memory of Mira")
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def plain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the tree with sections; it is where commands run."""
    root = shutil.copytree(TREES / "plain", tmp_path / "sections")
    monkeypatch.chdir(root)
    return root


@pytest.mark.parametrize("process", PROCESSES)
def test_the_text_of_each_process(
    process: str, synapse: Synapse, brainiac: Path, snapshot: SnapshotAssertion
) -> None:
    done = synapse("context", "--process", process, ASKED)
    assert (done.code, done.err) == (0, "")
    assert done.out == snapshot


def test_a_profile_is_detected(synapse: Synapse, brainiac: Path) -> None:
    assert "profile brainiac\n" in synapse("status").out


def test_a_tree_is_found_from_below(
    synapse: Synapse, brainiac: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(brainiac / "memory" / "long_term")
    assert synapse("context").out.startswith("## Core Identity\n")


def test_every_memory_is_explained(
    synapse: Synapse, brainiac: Path, snapshot: SnapshotAssertion
) -> None:
    assert synapse("explain", ASKED).out == snapshot


def test_a_process_is_explained(synapse: Synapse, brainiac: Path) -> None:
    out = synapse("explain", "--process", "organization").out
    assert "ACCESS access patterns" in out
    assert "the process of brainiac-organization does not inject it" in out


def test_a_process_and_a_profile_exclude_each_other(synapse: Synapse, brainiac: Path) -> None:
    assert synapse("context", "--process", "reflection", "--profile", "plain").code == 2


def test_a_process_that_does_not_exist(synapse: Synapse, brainiac: Path) -> None:
    done = synapse("context", "--process", "dream")
    assert done.code == 2
    assert "takes core-loop, reflection, promotion or organization" in done.err


def test_the_configuration_beside_a_memory_counts(synapse: Synapse, brainiac: Path) -> None:
    (brainiac / ".synapse").mkdir()
    (brainiac / ".synapse" / "config.toml").write_text("[brainiac]\nbudget = 600\n")
    found = synapse("context", ASKED, "--format", "json").json
    assert found["budget"] == 600
    assert [cut["key"] for cut in found["cuts"]] == [
        "skills/migrations.md",
        "concrete/ticket-machines.md",
    ]


def test_what_an_organization_reads_is_as_it_is_now(synapse: Synapse, brainiac: Path) -> None:
    before = synapse("context", "--process", "organization").out
    log = brainiac / "logs" / "access.log"
    line = "[2026-03-13T08:00:00Z] | READ | memory/long_term/concrete/team.md\n"
    log.write_text(log.read_text() + line)
    after = synapse("context", "--process", "organization").out
    assert "- memory/long_term/concrete/team.md: read 1\n" in after
    assert before != after


def test_a_log_of_something_else_is_nobodys(synapse: Synapse, brainiac: Path) -> None:
    (brainiac / "logs" / "access.log").write_text('127.0.0.1 - - "GET / HTTP/1.1" 200\n')
    assert synapse("check").out.count("access.log") == 0
    assert "No access has been recorded" in synapse("context", "--process", "organization").out


def test_links_out_of_the_memory_are_not_followed(synapse: Synapse, brainiac: Path) -> None:
    (brainiac / "notes").mkdir()
    (brainiac / "notes" / "secret.md").write_text("The lighthouse code is 1234.\n")
    link = brainiac / "memory" / "long_term" / "secret.md"
    try:
        link.symlink_to(brainiac / "notes" / "secret.md")
    except OSError:
        pytest.skip("this system makes no links")
    assert (
        "1234" not in synapse("context", "What is the lighthouse code?").out.partition("## User")[0]
    )
    out = synapse("check").out
    assert "SYN802" in out
    assert "leads out of memory/long_term" in out


def test_an_unreadable_identity_is_said_and_stands_on(synapse: Synapse, brainiac: Path) -> None:
    assert "You are Mira" in synapse("context").out
    (brainiac / "system" / "core_identity.md").write_bytes(b"\0\1\2\3" * 100)
    out = synapse("context").out
    assert "You are Mira" in out
    assert "- system/core_identity.md is not text: what it said before still holds" in out


def test_memories_that_no_prompt_has_asked_for_are_told_as_such(
    synapse: Synapse, brainiac: Path
) -> None:
    client = Claude(brainiac)
    client.prompt("Go on")
    out = synapse("coverage").out
    assert "concrete/team.md: neither the prompt nor the work at hand has a word" in out
    assert "memory/long_term/concrete/team.md:1 · name it in the prompt" in out


def test_files_for_agents_hold_the_identity_and_no_memory(synapse: Synapse, brainiac: Path) -> None:
    assert synapse("sync", "agents").code == 0
    written = (brainiac / "AGENTS.md").read_text(encoding="utf-8")
    assert "You are Mira" in written
    assert not any(
        line in written
        for memory in (brainiac / "memory").rglob("*.md")
        for line in memory.read_text(encoding="utf-8").splitlines()
        if line.strip("- ")
    )


def test_the_findings_of_the_tree(
    synapse: Synapse, brainiac: Path, snapshot: SnapshotAssertion
) -> None:
    assert synapse("check").out == snapshot


def test_sections_of_the_configuration(
    synapse: Synapse, plain: Path, snapshot: SnapshotAssertion
) -> None:
    assert synapse("context").out == snapshot
    assert synapse("explain").out == snapshot


def test_sections_of_a_json_file_need_no_tree(
    synapse: Synapse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    sections = [
        {"label": "Constraints", "content": "Be brief.", "priority": 5},
        {"label": "Identity", "file": "identity.md"},
    ]
    (tmp_path / "sections.json").write_text(json.dumps(sections))
    (tmp_path / "identity.md").write_text("You are Mira.")
    done = synapse("context", "--sections", "sections.json")
    assert (done.code, done.out) == (0, "## Identity\nYou are Mira.\n\n## Constraints\nBe brief.")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[", "It is not valid JSON"),
        ("3", "It is no list of sections."),
        ('[{"label": "A"}]', "Section 1 needs either `content` or `file`."),
        ('[{"content": "A"}]', "Section 1 has no `label`."),
        ('[{"label": 1, "content": ""}]', "`label` of section 1 is not a text."),
        ('[{"label": "A", "content": "", "prio": 1}]', "Section 1 has no field `prio`"),
        ('[{"label": "A", "file": "../x"}]', "leads out of its folder"),
        ('[{"label": "A", "file": ".env"}]', "or holds secrets"),
        ('[{"label": "A", "file": ".git/config"}]', "or holds secrets"),
        ('[{"label": "A", "file": "x"}]', "does not exist"),
    ],
)
def test_a_json_file_that_cannot_be_read(
    content: str, message: str, synapse: Synapse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sections.json").write_text(content)
    done = synapse("context", "--sections", "sections.json")
    assert done.code == 2
    assert message in done.err


def test_sections_may_come_through_standard_input(
    synapse: Synapse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "identity.md").write_text("You are Mira.")
    sections = json.dumps([{"label": "Identity", "file": "identity.md"}])
    done = synapse("context", "--sections", "-", stdin=sections)
    assert (done.code, done.out, done.err) == (0, "## Identity\nYou are Mira.", "")
    done = synapse("context", "--sections", "-", stdin="[")
    assert done.err.startswith("error: standard input: It is not valid JSON")


def test_standard_input_is_read_once(synapse: Synapse) -> None:
    done = synapse("context", "-", "--sections", "-", stdin="[]")
    assert done.code == 2
    assert "the prompt and the sections" in done.err


def test_an_empty_list_of_sections_is_named(
    synapse: Synapse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sections.json").write_text("[]")
    done = synapse("context", "--sections", "sections.json")
    assert (done.code, done.out) == (0, "")
    assert done.err == "note: sections.json lists no sections\n"


def test_a_section_that_cannot_be_used_is_reported_at_its_place(
    synapse: Synapse, plain: Path
) -> None:
    config = plain / ".synapse" / "config.toml"
    config.write_text(
        'profile = "plain"\n[[section]]\nlabel = "A"\n[[section]]\nlabel = "B"\ncontent = "b"\n'
        'file = "c.md"\n[[section]]\nlabel = "C"\nfile = "../c.md"\n[[section]]\nlabel = "D"\n'
        'content = "d"\npriority = "high"\n'
    )
    out = synapse("check", "--format", "concise").out
    assert "config.toml:2:3: " in out
    assert "`section` has neither `content` nor `file`" in out
    assert "config.toml:4:3: " in out
    assert "`section` has both `content` and `file`" in out
    assert "config.toml:10:8: " in out
    assert "config.toml:14:12: " in out
    assert out.count("config.toml:") == 4
    assert synapse("context").out.startswith("## D\nd")


LIST = f"""\
- 2026-03-12T16:40:00Z Four reservations differ.
- [2026-03-11] Planned the switch{", and again" * 20}.
- Wrote the first note{", and again" * 20}.
"""


@pytest.fixture
def listed(brainiac: Path) -> Path:
    """The Brainiac tree with an event log that is a list; it is where commands run."""
    file = brainiac / "memory" / "short_term.md"
    file.write_text(file.read_text().partition("### 2026-03-12T16")[0] + LIST)
    return brainiac


def test_the_oldest_event_of_a_list_goes_first(synapse: Synapse, listed: Path) -> None:
    whole = synapse("context", "Go on").out
    assert f"{LIST}\n## Relevant" in whole
    (listed / ".synapse").mkdir()
    config = listed / ".synapse" / "config.toml"
    config.write_text("[brainiac]\nbudget = 480\n")
    found = synapse("context", "Go on", "--format", "json").json
    oldest = "Wrote the first note, and again, and aga"
    assert [cut["key"] for cut in found["cuts"]] == ["skills/migrations.md", oldest]


def test_a_reflection_is_about_the_newest_event_of_a_list(synapse: Synapse, listed: Path) -> None:
    done = synapse("context", "--quiet", "--process", "reflection").out
    assert done.endswith("## New Event\n- 2026-03-12T16:40:00Z Four reservations differ.")
    assert done.count("Four reservations differ") == 1
    assert LIST.partition("\n")[2] in done


def test_a_promotion_sees_the_events_of_a_list(synapse: Synapse, listed: Path) -> None:
    assert f"## STM Event Log\n{LIST}" in synapse("context", "--process", "promotion").out
