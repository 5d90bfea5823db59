from __future__ import annotations

import os
from pathlib import Path

import pytest

from synapse_ls.engine.rule_account import account_for_domains
from synapse_ls.queries.answer_lines import answer_notes
from synapse_ls.queries.context_question import Answer, Question, answer_question
from synapse_ls.queries.context_report import context_report, explain_report
from synapse_ls.queries.report_model import to_json
from synapse_ls.queries.situation_report import situation_report
from tests.trees import TEAM, write_tree


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    return write_tree(tmp_path / "root", TEAM)


def ask(root: Path, prompt: str = "", **more: str) -> Answer:
    return answer_question(Question(str(root), prompt, **more))  # type: ignore[arg-type]


def test_sections_hold_every_line_of_the_block(root: Path) -> None:
    found = ask(root, "*brief", agent="dev")
    report = context_report(found)
    texts = [entry.text for section in report.sections for entry in section.entries]
    assert all(text in report.block for text in texts)
    assert "Use bullet points only" in texts


def test_an_entry_names_its_place_from_line_1(root: Path) -> None:
    sections = context_report(ask(root)).sections
    [first, *_] = next(s.entries for s in sections if s.id == "GLOBAL")
    assert (first.file, first.line) == (".synapse/global", 1)


def test_an_entry_of_no_file_has_no_line(root: Path) -> None:
    sections = context_report(ask(root, bracket="CRITICAL")).sections
    [first, *_] = next(s.entries for s in sections if s.id == "HANDOFF")
    assert (first.file, first.line) == ("", None)


def test_what_did_not_fit_is_named(root: Path) -> None:
    with (root / ".synapse/global").open("a") as rules:
        rules.writelines(f"GLOBAL_RULE_{n}={'long ' * 40}{n}\n" for n in range(3, 40))
    report = context_report(ask(root))
    assert {cut.domain for cut in report.cuts} >= {"GLOBAL"}
    assert report.tokens <= report.budget


def test_what_is_said_twice_is_named_with_what_stays(root: Path) -> None:
    (root / ".synapse/guardrails").write_text("GUARDRAILS_RULE_0=Name things well\n")
    [pair] = context_report(ask(root)).duplicates
    assert pair.left_out.key == "GUARDRAILS_RULE_0"
    assert pair.stays.key == "GLOBAL_RULE_1"


def test_what_is_not_known_is_none(root: Path) -> None:
    report = situation_report(ask(root).assembly.situation)
    assert (report.agent, report.workflow, report.task, report.squad) == (None,) * 4


def test_what_is_known_has_its_source(root: Path) -> None:
    report = situation_report(
        ask(root, "@qa go on", workflow="story_development").assembly.situation
    )
    assert to_json(report.agent) == {"id": "qa", "source": "prompt"}
    assert to_json(report.workflow) == {"id": "story_development", "source": "given", "phase": None}


def test_a_task_that_has_no_file_is_noted(root: Path) -> None:
    assert any(note.startswith("task pay: ") for note in answer_notes(ask(root, task="pay")))


def test_the_account_has_every_rule(root: Path) -> None:
    found = ask(root)
    report = explain_report(found, account_for_domains(found.plan, found.assembly))
    counts = {domain.label: len(domain.rules) for domain in report.domains}
    assert counts == {domain.label: len(domain.rules) for domain in found.plan.domains()}


def test_a_rule_out_of_the_block_is_accounted_for_as_its_file_is_now(root: Path) -> None:
    for path in sorted(root.rglob("*")):
        os.utime(path, (1_700_000_000, 1_700_000_000))
    ask(root)  # leaves a plan in the cache
    docs = root / ".synapse" / "docs"
    docs.write_text("DOCS_RULE_0=Every example runs\n")
    os.utime(docs, (1_700_000_500, 1_700_000_500))
    found = ask(root)
    accounts = {domain.label: domain for domain in account_for_domains(found.plan, found.assembly)}
    assert [rule.text for rule in accounts["DOCS"].rules] == ["Every example runs"]
