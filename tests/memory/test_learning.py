"""Proposals: what could be made a rule, and how each decision can be taken back."""

from __future__ import annotations

from pathlib import Path

import pytest

from synapse_ls.manage.plan import ManageError
from synapse_ls.memory.decisions import accept, decided, pending, reject, revert
from synapse_ls.memory.learning import Refused, as_rule, overlap, proposals
from synapse_ls.memory.record import Record
from synapse_ls.memory.score import confidence_after
from synapse_ls.memory.store import MemoryStore
from synapse_ls.service.answer import Question, answer
from synapse_ls.service.plans import planned
from synapse_ls.workspace.loader import Scope, load
from synapse_ls.workspace.tree import Tree
from tests.trees import TEAM, write_tree

NOW = 1_800_000_000.0
TEXT = "No, use pnpm instead of npm in the billing service."


def correction(text: str = TEXT, evidence: int = 7, **more: object) -> Record:
    fields = {"id": f"mem-2026-11-20-{len(text):03}", "created": "2026-11-20", **more}
    return Record(
        text=text,
        type="user_correction",
        evidence=evidence,
        confidence=confidence_after(evidence),
        **fields,
    )


def test_what_was_corrected_often_enough_is_proposed() -> None:
    (proposal,) = proposals([correction()])
    assert proposal.text == "Use pnpm instead of npm in the billing service."
    assert (proposal.kind, proposal.evidence, proposal.agent) == ("rule", 7, "")
    assert proposal.confidence > 0.9


@pytest.mark.parametrize("evidence", [1, 4, 6])
def test_less_is_not(evidence: int) -> None:
    assert proposals([correction(evidence=evidence)]) == []


def test_corrections_that_share_their_words_count_together() -> None:
    other = "use pnpm, not npm, in the billing service please"
    (proposal,) = proposals([correction(evidence=4), correction(other, 3)])
    assert proposal.evidence == 7
    assert len(proposal.records) == 2


def test_those_of_two_agents_do_not() -> None:
    mine = correction(evidence=4, scope="private", agent="dev")
    theirs = correction(evidence=4, scope="private", agent="qa")
    assert proposals([mine, theirs]) == []


def test_a_lesson_that_nobody_said_is_no_correction() -> None:
    assert proposals([correction().replaced(type="lesson")]) == []


def test_a_refused_proposal_waits_for_more_and_then_for_ever() -> None:
    records = [correction()]
    assert proposals(records, lambda _: Refused(1, 7)) == []
    assert len(proposals(records, lambda _: Refused(1, 2))) == 1
    assert proposals(records, lambda _: Refused(3, 0)) == []


def test_a_proposal_keeps_its_id_when_it_grows() -> None:
    assert proposals([correction()])[0].id == proposals([correction(evidence=20)])[0].id


@pytest.mark.parametrize(
    ("said", "rule"),
    [
        ("No, never commit to main.", "Never commit to main."),
        ("Actually, the port is 5433.", "The port is 5433."),
        ("Não, use o adaptador aqui.", "Use o adaptador aqui."),
        ("No, wrong.", "No, wrong."),
        ("Notes go into docs/", "Notes go into docs/"),
    ],
)
def test_a_rule_does_not_contradict_anybody(said: str, rule: str) -> None:
    assert as_rule(said) == rule


def test_the_overlap_is_that_of_words() -> None:
    assert overlap(["a", "b"], ["b", "c"]) == pytest.approx(1 / 3)
    assert overlap([], []) == 0


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    root = str(write_tree(tmp_path / "app", TEAM))
    store = MemoryStore(root)
    record = store.add(TEXT, now=NOW, type="user_correction", agent="dev", scope="private")
    for _ in range(6):
        store.confirm(record.id, now=NOW)
    return root


def tree(root: str) -> Tree:
    return Tree(load(root, Scope.PROMPT).index.snapshot())


def test_an_accepted_proposal_is_a_rule_of_its_agent(root: str) -> None:
    (one,) = pending(root, planned(root).plan)
    file = Path(root, ".synapse/agent-dev")
    before = file.read_bytes()
    made = accept(root, tree(root), one, now=NOW)
    assert (made.target, made.file, made.key) == (
        "AGENT_DEV",
        ".synapse/agent-dev",
        "AGENT_DEV_RULE_1",
    )
    assert file.read_text() == before.decode() + f"AGENT_DEV_RULE_1={one.proposal.text}\n"
    assert (
        Path(root, ".synapse/memory/proposals", one.proposal.id, made.file).read_bytes() == before
    )
    assert pending(root, planned(root).plan) == []
    (kept,) = decided(root)
    assert kept == made


def test_what_was_accepted_is_taken_back_to_the_byte(root: str) -> None:
    file = Path(root, ".synapse/agent-dev")
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes().replace(b"\n", b"\r\n"))
    before = file.read_bytes()
    (one,) = pending(root, planned(root).plan)
    made = accept(root, tree(root), one, now=NOW)
    assert file.read_bytes() != before
    assert revert(root, made, now=NOW).state == "reverted"
    assert file.read_bytes() == before


def test_what_an_accepted_rule_says_is_told_once(root: str) -> None:
    store = MemoryStore(root)
    more = store.add(
        f"{TEXT} There pnpm 9 is needed.",
        now=NOW,
        type="user_correction",
        agent="dev",
        scope="private",
    )
    question = Question(root, "pnpm in the billing service", agent="dev")
    assert answer(question).assembly.text.count("[correction, ") == 2
    (one,) = pending(root, planned(root).plan)
    assert more.id in one.proposal.records
    made = accept(root, tree(root), one, now=NOW)
    told = answer(question).assembly.text
    assert (told.count(one.proposal.text), told.count("[correction, ")) == (1, 1)
    assert [record.id for record in store.records()] == [more.id]
    revert(root, made, now=NOW)
    assert len(store.records()) == 2


def test_a_rule_is_taken_out_of_a_file_that_was_changed_meanwhile(root: str) -> None:
    (one,) = pending(root, planned(root).plan)
    made = accept(root, tree(root), one, now=NOW)
    file = Path(root, ".synapse/agent-dev")
    file.write_text(file.read_text() + "AGENT_DEV_RULE_2=Mine\n")
    revert(root, made, now=NOW)
    assert "pnpm" not in file.read_text()
    assert file.read_text().endswith("AGENT_DEV_RULE_2=Mine\n")


def test_a_rule_that_somebody_has_changed_is_left_alone(root: str) -> None:
    (one,) = pending(root, planned(root).plan)
    made = accept(root, tree(root), one, now=NOW)
    file = Path(root, ".synapse/agent-dev")
    file.write_text(file.read_text().replace("pnpm", "yarn"))
    with pytest.raises(ManageError, match="AGENT_DEV_RULE_1"):
        revert(root, made, now=NOW)
    assert "yarn" in file.read_text()


def test_a_rejected_proposal_can_be_proposed_again(root: str) -> None:
    (one,) = pending(root, planned(root).plan)
    made = reject(root, one, now=NOW)
    assert pending(root, planned(root).plan) == []
    revert(root, made, now=NOW)
    assert len(pending(root, planned(root).plan)) == 1


def test_what_is_rejected_already_is_not_refused_once_more(root: str) -> None:
    (one,) = pending(root, planned(root).plan)
    made = reject(root, one, now=NOW)
    with pytest.raises(ManageError, match="was rejected already"):
        reject(root, made, now=NOW)


@pytest.mark.parametrize("spoiled", ["", "{", "[]", '{"id": 3}', "\0"])
def test_a_decision_that_cannot_be_read_is_none(root: str, spoiled: str) -> None:
    folder = Path(root, ".synapse/memory/proposals")
    folder.mkdir(parents=True)
    (folder / "prop-x.json").write_text(spoiled)
    assert decided(root) == []
    assert len(pending(root, planned(root).plan)) == 1
