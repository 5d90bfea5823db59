"""Proposals: what could be made a rule, and how each decision can be taken back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from synapse_ls.memory.attention_score import confidence_after
from synapse_ls.memory.memory_record import Record
from synapse_ls.memory.memory_store import MemoryStore
from synapse_ls.memory.rule_proposals import (
    REJECTED,
    accept_proposal,
    find_proposals,
    past_decisions,
    pending_proposals,
    reject_proposal,
    revert_decision,
    rule_text,
    word_overlap,
)
from synapse_ls.queries.context_question import Question, answer_question
from synapse_ls.storage.current_plan import load_plan
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_loader import load_tree
from tests.trees import TEAM, write_tree

NOW = 1_800_000_000.0
TEXT = "No, use pnpm instead of npm in the billing service."


def correction(text: str = TEXT, evidence: int = 7, **more: Any) -> Record:
    fields: dict[str, Any] = {
        "id": f"mem-2026-11-20-{len(text):03}",
        "created": "2026-11-20",
        **more,
    }
    return Record(
        text=text,
        type="user_correction",
        evidence=evidence,
        confidence=confidence_after(evidence),
        **fields,
    )


def test_what_was_corrected_often_enough_is_proposed() -> None:
    (proposal,) = find_proposals([correction()])
    assert proposal.text == "Use pnpm instead of npm in the billing service."
    assert (proposal.kind, proposal.evidence, proposal.agent) == ("rule", 7, "")
    assert proposal.confidence > 0.9


@pytest.mark.parametrize("evidence", [1, 4, 6])
def test_less_is_not(evidence: int) -> None:
    assert find_proposals([correction(evidence=evidence)]) == []


def test_corrections_that_share_their_words_count_together() -> None:
    other = "use pnpm, not npm, in the billing service please"
    (proposal,) = find_proposals([correction(evidence=4), correction(other, 3)])
    assert proposal.evidence == 7
    assert len(proposal.records) == 2


def test_those_of_two_agents_do_not() -> None:
    mine = correction(evidence=4, scope="private", agent="dev")
    theirs = correction(evidence=4, scope="private", agent="qa")
    assert find_proposals([mine, theirs]) == []


def test_a_lesson_that_nobody_said_is_no_correction() -> None:
    assert find_proposals([correction().with_fields(type="lesson")]) == []


def test_a_refused_proposal_waits_for_more_and_then_for_ever() -> None:
    records = [correction()]
    (proposal,) = find_proposals(records)

    def proposed_again(refusals: int, evidence: int) -> bool:
        refused = replace(proposal, state=REJECTED, refusals=refusals, evidence=evidence)
        return find_proposals(records, {proposal.id: refused}) != []

    assert not proposed_again(1, 7)
    assert proposed_again(1, 2)
    assert not proposed_again(3, 0)


def test_a_proposal_keeps_its_id_when_it_grows() -> None:
    assert find_proposals([correction()])[0].id == find_proposals([correction(evidence=20)])[0].id


@pytest.mark.parametrize(
    ("said", "rule"),
    [
        ("No, never commit to main.", "Never commit to main."),
        ("Actually, the port is 5433.", "The port is 5433."),
        ("Não, use o adaptador aqui.", "Use o adaptador aqui."),
        ("Não use emojis nos commits.", "Não use emojis nos commits."),
        ("No uses emojis en los commits.", "No uses emojis en los commits."),
        ("No floats: use cents.", "No floats: use cents."),
        ("En realidad, el puerto es 5433.", "El puerto es 5433."),
        ("No, wrong.", "No, wrong."),
        ("Notes go into docs/", "Notes go into docs/"),
    ],
)
def test_a_rule_does_not_contradict_anybody(said: str, rule: str) -> None:
    assert rule_text(said) == rule


def test_the_overlap_is_that_of_words() -> None:
    assert word_overlap(["a", "b"], ["b", "c"]) == pytest.approx(1 / 3)
    assert word_overlap([], []) == 0


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    root = str(write_tree(tmp_path / "app", TEAM))
    store = MemoryStore(root)
    record = store.remember(TEXT, now=NOW, type="user_correction", agent="dev", scope="private")
    for _ in range(6):
        store.confirm(record.id, now=NOW)
    return root


def tree(root: str) -> Tree:
    return Tree(load_tree(root, LoadScope.PROMPT).index.snapshot())


def test_an_accepted_proposal_is_a_rule_of_its_agent(root: str) -> None:
    (one,) = pending_proposals(root, load_plan(root).plan)
    file = Path(root, ".synapse/agent-dev")
    before = file.read_bytes()
    made = accept_proposal(root, tree(root), one, now=NOW)
    assert (made.target, made.file, made.key) == (
        "AGENT_DEV",
        ".synapse/agent-dev",
        "AGENT_DEV_RULE_1",
    )
    assert file.read_text() == before.decode() + f"AGENT_DEV_RULE_1={one.text}\n"
    assert pending_proposals(root, load_plan(root).plan) == []
    (kept,) = past_decisions(root)
    assert kept == made


def test_what_was_accepted_is_taken_back_to_the_byte(root: str) -> None:
    file = Path(root, ".synapse/agent-dev")
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes().replace(b"\n", b"\r\n"))
    before = file.read_bytes()
    (one,) = pending_proposals(root, load_plan(root).plan)
    made = accept_proposal(root, tree(root), one, now=NOW)
    assert file.read_bytes() != before
    assert revert_decision(root, tree(root), made, now=NOW).state == "reverted"
    assert file.read_bytes() == before


@pytest.mark.parametrize("file", [".env", ".git/config", ".synapse/../.env", "/etc/passwd", ""])
def test_a_decision_that_names_another_file_takes_nothing_out(root: str, file: str) -> None:
    Path(root, ".env").write_text("AGENT_DEV_RULE_1=secret\n")
    (one,) = pending_proposals(root, load_plan(root).plan)
    made = accept_proposal(root, tree(root), one, now=NOW)
    forged = replace(made, file=file, key="AGENT_DEV_RULE_1", text="secret")
    with pytest.raises(UserError, match="has no rule of the tree"):
        revert_decision(root, tree(root), forged, now=NOW)
    assert Path(root, ".env").read_text() == "AGENT_DEV_RULE_1=secret\n"


def test_a_decision_takes_out_rules_alone(root: str) -> None:
    line = '[guard]\nmode = "enforce"\n'
    Path(root, ".synapse/config.toml").write_text(line)
    (one,) = pending_proposals(root, load_plan(root).plan)
    made = accept_proposal(root, tree(root), one, now=NOW)
    forged = replace(made, file=".synapse/config.toml", key="mode ", text=' "enforce"')
    with pytest.raises(UserError, match="has no rule of the tree"):
        revert_decision(root, tree(root), forged, now=NOW)
    assert Path(root, ".synapse/config.toml").read_text() == line


@pytest.mark.parametrize("is_declared", [False, True])
@pytest.mark.parametrize("name", [".env", "notes.txt"])
def test_nor_does_one_that_names_a_link_in_the_folder_of_rules(
    root: str, name: str, is_declared: bool
) -> None:
    line = "PEOPLE_RULE_0=Never say no.\n"
    Path(root, name).write_text(line)
    Path(root, ".synapse/people").symlink_to(f"../{name}")
    if is_declared:
        with Path(root, ".synapse/manifest").open("a") as manifest:
            manifest.write("PEOPLE_STATE=active\n")
    (one,) = pending_proposals(root, load_plan(root).plan)
    made = accept_proposal(root, tree(root), one, now=NOW)
    forged = replace(made, file=".synapse/people", key="PEOPLE_RULE_0", text="Never say no.")
    with pytest.raises(UserError):
        revert_decision(root, tree(root), forged, now=NOW)
    assert Path(root, name).read_text() == line


def test_a_decision_is_known_by_the_name_of_its_file_alone(root: str) -> None:
    (one,) = pending_proposals(root, load_plan(root).plan)
    accept_proposal(root, tree(root), one, now=NOW)
    (path,) = Path(root, ".synapse/memory/proposals").glob("*.json")
    path.write_text(path.read_text().replace(one.id, "../../../package"))
    assert past_decisions(root) == []


def test_no_file_has_a_proposal_that_waits_for_a_decision(root: str) -> None:
    (one,) = pending_proposals(root, load_plan(root).plan)
    accept_proposal(root, tree(root), one, now=NOW)
    (path,) = Path(root, ".synapse/memory/proposals").glob("*.json")
    path.write_text(path.read_text().replace('"accepted"', '"pending"'))
    assert past_decisions(root) == []


def test_what_an_accepted_rule_says_is_told_once(root: str) -> None:
    store = MemoryStore(root)
    more = store.remember(
        f"{TEXT} There pnpm 9 is needed.",
        now=NOW,
        type="user_correction",
        agent="dev",
        scope="private",
    )
    question = Question(root, "pnpm in the billing service", agent="dev")
    assert answer_question(question).assembly.text.count("[correction, ") == 2
    (one,) = pending_proposals(root, load_plan(root).plan)
    assert more.id in one.records
    made = accept_proposal(root, tree(root), one, now=NOW)
    told = answer_question(question).assembly.text
    assert (told.count(one.text), told.count("[correction, ")) == (1, 1)
    assert [record.id for record in store.records()] == [more.id]
    revert_decision(root, tree(root), made, now=NOW)
    assert len(store.records()) == 2


def test_a_rule_is_taken_out_of_a_file_that_was_changed_meanwhile(root: str) -> None:
    (one,) = pending_proposals(root, load_plan(root).plan)
    made = accept_proposal(root, tree(root), one, now=NOW)
    file = Path(root, ".synapse/agent-dev")
    file.write_text(file.read_text() + "AGENT_DEV_RULE_2=Mine\n")
    revert_decision(root, tree(root), made, now=NOW)
    assert "pnpm" not in file.read_text()
    assert file.read_text().endswith("AGENT_DEV_RULE_2=Mine\n")


def test_a_rule_that_somebody_has_changed_is_left_alone(root: str) -> None:
    (one,) = pending_proposals(root, load_plan(root).plan)
    made = accept_proposal(root, tree(root), one, now=NOW)
    file = Path(root, ".synapse/agent-dev")
    file.write_text(file.read_text().replace("pnpm", "yarn"))
    with pytest.raises(UserError, match="AGENT_DEV_RULE_1"):
        revert_decision(root, tree(root), made, now=NOW)
    assert "yarn" in file.read_text()


def test_a_rejected_proposal_can_be_proposed_again(root: str) -> None:
    (one,) = pending_proposals(root, load_plan(root).plan)
    made = reject_proposal(root, one, now=NOW)
    assert pending_proposals(root, load_plan(root).plan) == []
    revert_decision(root, tree(root), made, now=NOW)
    assert len(pending_proposals(root, load_plan(root).plan)) == 1


def test_what_is_rejected_already_is_not_refused_once_more(root: str) -> None:
    (one,) = pending_proposals(root, load_plan(root).plan)
    made = reject_proposal(root, one, now=NOW)
    with pytest.raises(UserError, match="was rejected already"):
        reject_proposal(root, made, now=NOW)


@pytest.mark.parametrize("spoiled", ["", "{", "[]", '{"id": 3}', "\0"])
def test_a_decision_that_cannot_be_read_is_none(root: str, spoiled: str) -> None:
    folder = Path(root, ".synapse/memory/proposals")
    folder.mkdir(parents=True)
    (folder / "prop-x.json").write_text(spoiled)
    assert past_decisions(root) == []
    assert len(pending_proposals(root, load_plan(root).plan)) == 1
