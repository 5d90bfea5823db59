"""``synapse memory``: what it prints, and what it refuses."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.conftest import Synapse


@pytest.fixture
def added(synapse: Synapse, team: Path) -> str:
    """The id of a correction."""
    found: str = synapse(
        "memory", "add", "--correction", "Use tabs.", "--tag", "style", "--format", "json"
    ).json["id"]
    return found


def test_what_is_added_is_listed_shown_and_searched(synapse: Synapse, added: str) -> None:
    (listed,) = synapse("memory", "list", "--format", "json").json
    shown = synapse("memory", "show", added, "--format", "json").json
    (searched,) = synapse("memory", "search", "STYLES", "--format", "json").json
    assert listed == shown
    assert (listed["tier"], listed["lifted"], listed["confidence"]) == ("hot", True, 0.9)
    assert searched["matches"] == [{"word": "styles", "place": "tag"}]
    assert "Use tabs." in synapse("memory", "show", added, "--explain").out


def test_forgotten_and_restored(synapse: Synapse, added: str) -> None:
    assert synapse("memory", "forget", added).code == 0
    assert synapse("memory", "list", "--format", "json").json == []
    assert synapse("memory", "show", added, "--format", "json").json["archived"] is True
    assert added in synapse("memory", "list", "--archived").out
    assert synapse("memory", "restore", added).code == 0
    assert len(synapse("memory", "list", "--format", "json").json) == 1


@pytest.mark.parametrize("id", ["--help", "--root=x", "-v"])
def test_an_id_that_looks_like_an_option_is_one_behind_two_dashes(
    synapse: Synapse, team: Path, id: str
) -> None:
    folder = team / ".synapse/memory/shared/durable"
    folder.mkdir(parents=True)
    (folder / "odd.md").write_text(f'---\nid: "{id}"\n---\nDeploys wait.\n')
    assert synapse("memory", "forget", "--", id).code == 0
    assert synapse("memory", "list", "--format", "json").json == []


def test_each_piece_of_evidence_raises_the_confidence(synapse: Synapse, team: Path) -> None:
    id = synapse("memory", "add", "Slow.", "--inferred", "--format", "json").json["id"]
    (confirmed,) = synapse("memory", "confirm", id, "--format", "json").json
    assert (confirmed["evidence"], confirmed["confidence"]) == (2, 0.51)
    again = synapse("memory", "add", "slow", "--inferred", "--format", "json").json
    assert (again["id"], again["evidence"]) == (id, 3)


def test_an_agent_is_shown_only_what_it_may_see(synapse: Synapse, team: Path) -> None:
    id = synapse("memory", "add", "Mine.", "--agent", "@dev", "--private", "--format", "json").json[
        "id"
    ]
    assert len(synapse("memory", "list", "--format", "json").json) == 1
    assert synapse("memory", "list", "--agent", "qa", "--format", "json").json == []
    assert synapse("memory", "stats", "--agent", "qa", "--format", "json").json["total"] == 0
    for command in ("show", "forget", "confirm"):
        refused = synapse("memory", command, id, "--agent", "qa")
        assert refused.code == 2
        assert f"There is no memory {id}" in refused.err


def test_a_text_can_come_from_standard_input(synapse: Synapse, team: Path) -> None:
    text = "First line.\n\nMore of it.\n"
    added = synapse("memory", "add", "-", "--format", "json", stdin=text).json
    assert (added["title"], added["text"]) == ("First line", "First line.\n\nMore of it.")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("add", "  "), "says nothing"),
        (("add", "x", "--private"), "--agent"),
        (("add", "x", "--expires", "soon"), "is no date"),
        (("add", "x", "--type", "decison"), 'did you mean "decision"'),
        (("list", "--tier", "boiling"), "hot, warm or cold"),
        (("show", "mem-2020-01-01-001"), "There is no memory"),
        (("restore", "mem-2020-01-01-001"), "was forgotten"),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(
    arguments: tuple[str, ...], told: str, synapse: Synapse, team: Path
) -> None:
    refused = synapse("memory", *arguments)
    assert refused.code == 2
    assert told in refused.err


def test_nothing_is_written_by_looking(synapse: Synapse, team: Path) -> None:
    for command in (("list",), ("stats",), ("search", "x"), ("gc",), ("migrate", "--dry-run")):
        assert synapse("memory", *command).code == 0
    assert not (team / ".synapse/memory").exists()


def test_gc_says_first_what_it_would_do(synapse: Synapse, team: Path) -> None:
    synapse("memory", "add", "Over.", "--expires", "2020-01-01")
    (would,) = synapse("memory", "gc", "--dry-run", "--format", "json").json
    assert would["reason"] == "it expired on 2020-01-01"
    assert len(synapse("memory", "list", "--format", "json").json) == 1
    assert "1 memory went to the archive" in synapse("memory", "gc").out
    assert synapse("memory", "list", "--format", "json").json == []


def test_explain_and_context_say_what_a_memory_is_worth(synapse: Synapse, added: str) -> None:
    explained = synapse("explain", "the style", "--verbose").out
    heading = (
        "Memories · FRESH wants none beside those that begin a window (summary, up to 200 tokens)"
    )
    assert heading in explained
    assert "score 0.75 (lifted) = evidence 0.10 × recency 1.00" in explained
    told = synapse("context", "the style", "--explain")
    assert f"{added}: HOT with a score of 0.75" in told.err
    assert "Use tabs." in told.out
    report = synapse("explain", "the style", "--format", "json").json["memory"]
    assert report["told"][0]["factors"]["relevance"] == 1


def test_an_agent_that_is_renamed_keeps_what_it_remembers(synapse: Synapse, team: Path) -> None:
    synapse("memory", "add", "Mine.", "--agent", "dev", "--private")
    synapse("memory", "add", "Learned.", "--agent", "dev")
    assert synapse("rename", "agent", "dev", "developer").code == 0
    found = synapse("memory", "list", "--agent", "developer", "--format", "json").json
    assert {memory["agent"] for memory in found} == {"developer"}
    assert synapse("memory", "list", "--agent", "dev", "--of", "dev", "--format", "json").json == []


def test_what_has_expired_is_marked(synapse: Synapse, team: Path) -> None:
    add = synapse("memory", "add", "Over.", "--expires", "2020-01-01", "--format", "json").json
    assert synapse("memory", "list").out.splitlines()[1].split()[1] == "expired"
    told = synapse("memory", "show", add["id"]).out
    assert "expires     2020-01-01, so no agent gets it\n" in told


def test_a_day_that_is_none_is_not_when_a_memory_was_used(synapse: Synapse, team: Path) -> None:
    file = team / ".synapse/memory/shared/durable/x.md"
    file.parent.mkdir(parents=True)
    file.write_text("---\ncreated: tomorrow\n---\nBy hand.\n")
    assert "last used nobody knows when" in synapse("memory", "list", "--explain").out


def test_a_secret_that_is_to_be_remembered_is_pointed_out(synapse: Synapse, team: Path) -> None:
    done = synapse("memory", "add", "The password is " + "R7kQ2mZx9LwT")
    assert done.code == 0
    assert "A password seems to be in it" in done.err
    assert synapse("memory", "add", "Deploys wait for QA.").err == ""


def test_a_memory_is_for_its_user_alone(synapse: Synapse, team: Path) -> None:
    synapse("memory", "add", "Deploys wait for QA.")
    (file,) = (team / ".synapse/memory/shared").glob("*/*.md")
    assert os.name == "nt" or file.stat().st_mode & 0o777 == 0o600
