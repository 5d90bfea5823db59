"""Which rules past sessions followed and broke, in the records of every client."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from synapse_ls.engine.rule_account import account_for_domains
from synapse_ls.integrations import client_registry
from synapse_ls.integrations.transcript_formats import find_reader
from synapse_ls.queries.rule_audit import (
    AuditedRuleReport,
    Auditor,
    AuditReport,
)
from synapse_ls.queries.session_replay import replay_session
from synapse_ls.storage.current_plan import load_plan
from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_loader import load_tree
from tests.queries.recorded_sessions import CLIENTS, Claude, RecordedSession, VSCode
from tests.support import corpus
from tests.trees import write_tree

FILES = {
    ".synapse/config.toml": 'profile = "synapse-live"\n',
    ".synapse/manifest": """\
        GLOBAL_STATE=active
        GLOBAL_ALWAYS_ON=true
        DATABASE_STATE=active
        DATABASE_RECALL=database, migration
        AGENT_DEV_STATE=active
        AGENT_DEV_AGENT_TRIGGER=dev
        AGENT_DEVOPS_STATE=active
        AGENT_DEVOPS_AGENT_TRIGGER=devops
        """,
    ".synapse/global": """\
        GLOBAL_RULE_0=Run the tests before you commit
        GLOBAL_CHECK_0=run `npm test` before `git commit`
        GLOBAL_RULE_1=Every new module says who owns it
        GLOBAL_CHECK_1=files src/** contain "Owner:"
        """,
    ".synapse/database": """\
        DATABASE_RULE_0=Leave applied migrations alone
        DATABASE_CHECK_0=never write db/migrations/**
        """,
    ".synapse/agent-dev": "AGENT_DEV_AUTH_0=NEVER execute git push — delegate to @devops\n",
    ".synapse/agent-devops": "AGENT_DEVOPS_AUTH_0=EXCLUSIVE authority for git push to remote\n",
}
PUSH, TESTS, OWNER, MIGRATIONS = (
    "AGENT_DEV_AUTH_0",
    "GLOBAL_CHECK_0",
    "GLOBAL_CHECK_1",
    "DATABASE_CHECK_0",
)
TOLD = """\
<synapse-rules>

[GLOBAL]
  1. Run the tests before you commit
  2. Every new module says who owns it

[ACTIVE AGENT: @dev]
  AUTHORITY BOUNDARIES:
    - NEVER execute git push — delegate to @devops

</synapse-rules>"""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    found = write_tree(tmp_path / "tree", FILES)
    for path in found.rglob("*"):
        os.utime(path, (1_700_000_000, 1_700_000_000))
    return found


def audited(
    root: Path, *recorded: RecordedSession, log: Sequence[dict[str, Any]] = ()
) -> AuditReport:
    tree = Tree(load_tree(str(root), LoadScope.ALL).index.snapshot())
    auditor = Auditor(tree, load_plan(str(root)).plan)
    for number, one in enumerate(recorded):
        path = one.save(root.parent / f"s{number}.jsonl")
        reader = find_reader(path.read_bytes())
        assert reader is not None
        host = client_registry.load_client(reader.client)
        assert host is not None
        with path.open("rb") as stream:
            steps = list(replay_session(str(root), reader.read_turns(stream), host))
        auditor.add_session(str(path), steps, log)
    return auditor.report()


def rule(report: AuditReport, key: str) -> AuditedRuleReport:
    return next(one for one in report.rules if one.key == key)


def broken(report: AuditReport) -> list[tuple[str, str]]:
    return [
        (one.key, breach.standing)
        for one in report.rules
        for breach in one.breaches
    ]  # fmt: skip


@pytest.mark.parametrize("client", CLIENTS)
def test_planted_breaches_are_found_and_nothing_else(
    client: type[RecordedSession], root: Path
) -> None:
    session = client(root)
    session.asks("@dev implement the refund", TOLD)
    session.writes("src/refund.ts", "// Owner: payments\n")
    session.runs("npm test")
    session.runs("git commit -m refund")
    session.writes("src/other.ts", "export {}\n")
    session.runs("cd . && git commit -am other")
    session.runs("git push origin main")
    session.writes("db/migrations/001.sql", "drop table x;")
    standing = "told" if client.SHOWS_TEXTS else "untold"
    report = audited(root, session)
    assert sorted(broken(report)) == sorted(
        [(PUSH, standing), (TESTS, standing), (OWNER, standing), (MIGRATIONS, "asleep")]
    )
    assert all(breach.line for one in report.rules for breach in one.breaches)


@pytest.mark.parametrize("client", CLIENTS)
def test_a_session_without_breaches_has_none(client: type[RecordedSession], root: Path) -> None:
    session = client(root)
    session.asks("@dev implement the refund", TOLD)
    session.writes("src/refund.ts", "// Owner: payments\n")
    session.runs("npm test && git commit -m refund")
    session.runs("git status")
    session.asks("@devops ship it", TOLD)
    session.runs("git push origin main")
    report = audited(root, session)
    assert broken(report) == []
    assert rule(report, TESTS).applied == rule(report, TESTS).followed == 1
    assert rule(report, "AGENT_DEVOPS_AUTH_0").followed == 1


@pytest.mark.parametrize("client", [one for one in CLIENTS if one.COMPACTS])
def test_a_rule_that_a_compaction_took_is_lost(client: type[RecordedSession], root: Path) -> None:
    session = client(root)
    session.asks("@dev implement the refund", TOLD)
    session.runs("git status")
    session.compacts()
    session.asks("go on")
    session.runs("git push")
    assert broken(audited(root, session)) == [(PUSH, "lost")]


def test_a_rule_that_is_told_again_after_a_compaction_is_not_lost(root: Path) -> None:
    session = Claude(root)
    session.asks("@dev implement the refund", TOLD)
    session.compacts()
    session.asks("go on", TOLD)
    session.runs("git push")
    assert broken(audited(root, session)) == [(PUSH, "told")]


def logged(second: int, told: str, cut: str = "") -> dict[str, Any]:
    """A reply as the hook has logged it, with the names of rules."""
    return {
        "time": 1_793_610_000.0 + second,  # 2026-11-02T09:00:00Z
        "sections": [["GLOBAL", "\n".join(f"hash {name}" for name in told.split())]],
        "cut": "\n".join(f"hash {name}" for name in cut.split()),
        "limited": "",
    }


@pytest.mark.parametrize(
    ("log", "standing"),
    [
        ([logged(1, "GLOBAL_RULE_0")], "told"),
        ([logged(1, "GLOBAL_RULE_1", cut="GLOBAL_RULE_0")], "cut"),
        ([logged(1, "GLOBAL_RULE_1"), logged(40, "GLOBAL_RULE_0")], "untold"),
    ],
)
def test_where_a_transcript_shows_no_hook_its_log_says_what_was_told(
    log: list[dict[str, Any]], standing: str, root: Path
) -> None:
    session = VSCode(root)
    session.asks("@dev implement the refund")
    session.runs("git commit -m x")
    report = audited(root, session, log=log)
    assert report.evidence == ["log"]
    assert broken(report) == [(TESTS, standing)]


def test_a_rule_that_was_cut_is_said_to_be(root: Path) -> None:
    session = Claude(root)
    cut = "<synapse-rules>\n\n[GLOBAL]\n  … 2 more follow: GLOBAL_RULE_0–1\n\n</synapse-rules>"
    session.asks("@dev implement the refund", cut)
    session.runs("git commit -m x")
    assert broken(audited(root, session)) == [(TESTS, "cut")]


def test_a_rule_that_is_younger_than_the_session_is_not_held_against_it(root: Path) -> None:
    session = Claude(root)
    session.asks("@dev implement the refund", "<synapse-rules>\n[GLOBAL]\n</synapse-rules>")
    session.runs("git commit -m x")
    os.utime(root / ".synapse" / "global", (1_800_000_000, 1_800_000_000))
    assert broken(audited(root, session)) == [(TESTS, "younger")]


def test_a_rule_that_nobody_told_is_said_to_be_untold(root: Path) -> None:
    session = Claude(root)
    session.asks("@dev go on", "<synapse-rules>\n[CONTEXT BRACKET]\n</synapse-rules>")
    session.runs("git commit -m x")
    assert broken(audited(root, session)) == [(TESTS, "untold")]


def test_a_sleeping_rule_says_what_would_have_brought_it(root: Path) -> None:
    session = Claude(root)
    session.asks("@dev implement the refund", TOLD)
    session.writes("db/migrations/001.sql", "drop table x;")
    (breach,) = rule(audited(root, session), MIGRATIONS).breaches
    assert "keyword" in breach.why
    assert breach.remedy


ARTICLE = """\
<synapse-rules>

[CONSTITUTION] (NON-NEGOTIABLE)
  Art. I Agent Authority
    1. MUST: Only @devops may push to remote
    2. MUST: Only @devops may create releases

</synapse-rules>"""
WITH_ARTICLE = {
    ".synapse/constitution": """\
        CONSTITUTION_RULE_ART1_0=Agent Authority (NON-NEGOTIABLE)
        CONSTITUTION_RULE_ART1_1=MUST: Only @devops may push to remote
        CONSTITUTION_RULE_ART1_2=MUST: Only @devops may create releases
        """,
    ".synapse/agent-qa": "AGENT_QA_RULE_0=Check each criterion\n",
    ".synapse/manifest": f"{FILES['.synapse/manifest']}        AGENT_QA_AGENT_TRIGGER=qa\n",
}


def test_an_article_that_forbids_the_act_and_was_in_context_counts(root: Path) -> None:
    write_tree(root, WITH_ARTICLE)
    session = Claude(root)
    session.asks("@qa ship it", ARTICLE)
    session.runs("git push")
    (breach,) = rule(audited(root, session), "AGENT_DEVOPS_AUTH_0").breaches
    assert breach.standing == "told"
    assert breach.why == "CONSTITUTION_RULE_ART1_1 forbids it too, and was in context"
    assert "enforce" in breach.remedy


def test_an_article_counts_where_a_boundary_is_for_the_guard_alone(root: Path) -> None:
    write_tree(root, {**WITH_ARTICLE, ".synapse/agent-qa": "AGENT_QA_DENY_0=gh release create\n"})
    session = Claude(root)
    session.asks("@qa ship it", ARTICLE)
    session.runs("gh release create v1")
    (breach,) = rule(audited(root, session), "AGENT_QA_DENY_0").breaches
    assert breach.why == "CONSTITUTION_RULE_ART1_2 forbids it too, and was in context"


@pytest.mark.parametrize(
    "text",
    [
        "MUST: Only @devops may deploy",
        "MUST: Only @qa and @devops may push",
        "MUST: pushes are reviewed",
        "NEVER execute git commit",
    ],
)
def test_an_article_that_does_not_forbid_the_act_to_the_agent_counts_for_nothing(
    root: Path, text: str
) -> None:
    old = "MUST: Only @devops may push to remote"
    article = WITH_ARTICLE[".synapse/constitution"].replace(old, text)
    write_tree(root, {**WITH_ARTICLE, ".synapse/constitution": article})
    session = Claude(root)
    session.asks("@qa ship it", ARTICLE.replace(old, text))
    session.runs("git push")
    (breach,) = rule(audited(root, session), "AGENT_DEVOPS_AUTH_0").breaches
    assert breach.standing != "told"


def test_an_article_that_was_not_in_context_counts_for_nothing(root: Path) -> None:
    write_tree(root, WITH_ARTICLE)
    session = Claude(root)
    session.asks("@qa ship it", "<synapse-rules>\n[GLOBAL]\n</synapse-rules>")
    session.runs("git push")
    (breach,) = rule(audited(root, session), "AGENT_DEVOPS_AUTH_0").breaches
    assert "forbids it too" not in breach.why


def test_a_real_article_counts_in_the_words_of_its_language(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    root = tmp_path / "aiox"
    shutil.copytree(corpus() / "aiox", root, copy_function=shutil.copyfile)
    session = Claude(root)
    article = "MUST: Apenas @devops pode criar releases e tags"
    session.asks("@qa go on", f"<synapse-rules>\n[CONSTITUTION]\n  3. {article}\n</synapse-rules>")
    session.runs("gh release create v1")
    (breach,) = rule(audited(root, session), "CONSTITUTION_RULE_ART2_3").breaches
    assert breach.why == "the rule was in context"


def test_a_push_that_the_guard_stopped_is_no_breach(root: Path) -> None:
    session = Claude(root)
    session.asks("@dev implement the refund", TOLD)
    session.runs("git push")
    session.is_refused("PreToolUse:Bash hook error: AGENT_DEV_AUTH_0 forbids @dev “git push”.")
    session.runs("git push")
    session.is_refused("The user doesn't want to proceed with this tool use.")
    assert broken(audited(root, session)) == []


def test_a_breach_has_its_place(root: Path) -> None:
    session = Claude(root)
    session.asks("@dev implement the refund", TOLD)
    session.runs("git status")
    session.asks("go on")
    session.runs('git push "origin" main')
    report = audited(root, session)
    (breach,) = rule(report, PUSH).breaches
    assert (breach.turn, breach.agent, breach.line) == (2, "dev", 5)
    assert breach.time == "2026-11-02T09:00:04Z"
    assert breach.what.startswith("git push")


@pytest.mark.parametrize("client", CLIENTS)
def test_the_place_of_a_breach_is_not_that_of_the_same_words_elsewhere(
    client: type[RecordedSession], root: Path
) -> None:
    session = client(root)
    session.asks("@devops ship it with git push origin main")
    session.runs("git push origin main")
    before = len(session.records)
    session.asks("@dev now you: git push origin main")
    session.runs("git status")
    session.runs("git push origin main")
    (breach,) = rule(audited(root, session), PUSH).breaches
    assert breach.line == len(session.records) > before


def test_an_act_counts_against_each_rule_of_the_agent_that_it_breaks(root: Path) -> None:
    path = root / ".synapse" / "agent-dev"
    path.write_text(f"{path.read_text()}AGENT_DEV_AUTH_1=Never push to a remote\n")
    session = Claude(root)
    session.asks("@dev implement the refund")
    session.runs("git push")
    assert [key for key, _ in broken(audited(root, session))] == [PUSH, "AGENT_DEV_AUTH_1"]


def test_what_belongs_to_another_agent_counts_where_no_rule_of_the_own_forbids_it(
    root: Path,
) -> None:
    (root / ".synapse" / "agent-dev").write_text("AGENT_DEV_RULE_0=Tick the criteria\n")
    session = Claude(root)
    session.asks("@dev implement the refund")
    session.runs("git push")
    assert [key for key, _ in broken(audited(root, session))] == ["AGENT_DEVOPS_AUTH_0"]


def test_what_a_transcript_cannot_tell_counts_as_neither_followed_nor_broken(root: Path) -> None:
    (root / ".synapse" / "agent-dev").write_text(
        'AGENT_DEV_DENY_0=write docs/stories/*.md outside "Dev Agent Record"\n'
    )
    session = Claude(root)
    session.asks("@dev implement the refund")
    session.writes("docs/stories/1.md", "text")
    found = rule(audited(root, session), "AGENT_DEV_DENY_0")
    assert (found.applied, found.followed, found.broken, found.undecided) == (1, 0, 0, 1)


@pytest.mark.parametrize(
    ("check", "remedy"),
    [
        ("never run `npm publish`", "`GLOBAL_DENY_0=npm publish`"),
        ("never write src/**", "`GLOBAL_DENY_0=write src/**`"),
        ("run `npm test` after changes to src/**", "a job in CI"),
    ],
)
def test_a_remedy_is_one_that_can_stop_such_a_breach(check: str, remedy: str, root: Path) -> None:
    (root / ".synapse" / "global").write_text(f"GLOBAL_RULE_0=Take care\nGLOBAL_CHECK_0={check}\n")
    session = Claude(root)
    session.asks("go on", "<synapse-rules>\n[GLOBAL]\n  1. Take care\n</synapse-rules>")
    session.writes("src/a.ts", "x")
    session.runs("npm publish")
    (breach,) = rule(audited(root, session), "GLOBAL_CHECK_0").breaches
    assert remedy in breach.remedy


def test_a_rule_is_not_said_to_have_been_told_where_nothing_shows_it(root: Path) -> None:
    session = Claude(root)
    session.asks("@dev implement the refund")
    session.runs("git push")
    report = audited(root, session)
    assert report.evidence == ["replay"]
    assert broken(report) == [(PUSH, "untold")]
    os.utime(root / ".synapse" / "agent-dev", (1_800_000_000, 1_800_000_000))
    assert broken(audited(root, session)) == [(PUSH, "younger")]


def test_what_no_session_was_about_never_applied(root: Path) -> None:
    session = Claude(root)
    session.asks("hello", TOLD)
    report = audited(root, session)
    assert rule(report, MIGRATIONS).applied == 0
    assert "about it" in rule(report, MIGRATIONS).remedy


def test_checks_are_told_to_nobody(root: Path) -> None:
    session = Claude(root)
    session.asks("@dev look at the migration")
    path = session.save(root.parent / "s.jsonl")
    host = client_registry.load_client("claude")
    reader = find_reader(path.read_bytes())
    assert host and reader
    with path.open("rb") as stream:
        (step,) = replay_session(str(root), reader.read_turns(stream), host)
    assert "Leave applied migrations alone" in step.full
    assert "never write" not in step.full
    assert "run `npm test`" not in step.full
    assert step.assembly is not None
    plan = load_plan(str(root)).plan
    told = {
        one.key
        for domain in account_for_domains(plan, step.assembly)
        for one in domain.rules
        if one.is_rendered
    }
    assert not any("_CHECK_" in key for key in told)
