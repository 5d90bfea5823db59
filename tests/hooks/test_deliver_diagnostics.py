"""What an agent is told of the rule files that it edits."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from synapse_ls.hooks import hook_call, lint_feedback
from synapse_ls.hooks.hook_call import HookCall
from synapse_ls.integrations import hook_event
from synapse_ls.storage.atomic_files import FileLock, LockTimeoutError
from synapse_ls.storage.trusted_trees import trust_tree
from synapse_ls.workspace.user_folders import forget_foreign_folders
from tests.activation.crew import git
from tests.hooks.hook_clients import Scripted, headings
from tests.trees import TEAM, write_tree


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scripted:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("SYNAPSE_LS_CONFIG", str(tmp_path / "config"))
    monkeypatch.setattr(lint_feedback, "LINT_SECONDS", 120.0)  # on a busy machine as well
    client = Scripted(write_tree(tmp_path / "tree", TEAM))
    client.prompt()
    return client


def edit(client: Scripted, path: str, text: str) -> str:
    (client.root / path).parent.mkdir(parents=True, exist_ok=True)
    (client.root / path).write_text(text)
    return client.send(hook_event.TOOL, files=(path,), edited=(path,))


def test_findings_come_with_place_code_effect_and_remedy(client: Scripted) -> None:
    text = edit(client, ".synapse/testing", "TESTING_RULE_0=\nTESTING_RULE_1=Assert\n")
    (line,) = [line for line in text.splitlines() if line.startswith(".synapse/testing:1:")]
    place, severity, code, *words = line.split()
    assert place == ".synapse/testing:1:1"
    assert severity in ("error", "warning")
    assert code.startswith("SYN") and len(words) > 5
    assert text.startswith(lint_feedback.HEADING)


def test_an_edit_that_leaves_nothing_to_say_brings_only_the_new_rules(client: Scripted) -> None:
    text = edit(client, ".synapse/global", "GLOBAL_RULE_0=Write tiny functions\n")
    assert headings(text) == ["[WITHDRAWN]", "[GLOBAL]"]
    assert lint_feedback.HEADING not in text


def test_findings_stand_beside_the_rules_that_changed(client: Scripted) -> None:
    text = edit(client, ".synapse/global", "GLOBAL_RULE_0=Write tiny functions\nGLOBAL_RULE_1=\n")
    assert headings(text) == ["[WITHDRAWN]", "[GLOBAL]"]
    assert text.index("</synapse-rules>") < text.index(lint_feedback.HEADING)


def test_findings_are_made_once_and_told_while_another_process_holds_the_session(
    client: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    sent: list[str] = []
    report, reply = lint_feedback.lint_report, client.context_reply

    def note_report(call: HookCall, edited: list[str]) -> str:
        made.append(report(call, edited))
        return made[-1]

    def note_reply(event: hook_event.Event, text: str) -> dict[str, Any]:
        sent.append(text)
        return reply(event, text)

    monkeypatch.setattr(lint_feedback, "lint_report", note_report)
    monkeypatch.setattr(client, "context_reply", note_reply)
    monkeypatch.setattr(hook_call, "LOCK_SECONDS", 0.0)
    session = client.root / ".synapse/sessions/session-1.json"
    with FileLock(str(session), 1.0, within=str(client.root)), pytest.raises(LockTimeoutError):
        edit(client, ".synapse/testing", "TESTING_RULE_0=\n")
    assert len(made) == 1 and sent[-1] == made[0]


def test_another_registration_does_not_say_it_again(client: Scripted) -> None:
    bad = "TESTING_RULE_0=\nTESTING_RULE_1=Assert\n"
    assert lint_feedback.HEADING in edit(client, ".synapse/testing", bad)
    assert client.tool(".synapse/testing", edited=(".synapse/testing",), later=0.1) == ""


def test_what_an_edit_leaves_wrong_is_said_with_the_next(client: Scripted) -> None:
    edit(client, ".synapse/testing", "TESTING_RULE_0=\nTESTING_RULE_1=Assert\n")
    text = edit(client, ".synapse/testing", "TESTING_RULE_0=\nTESTING_RULE_1=Assert that\n")
    assert ".synapse/testing:1:1" in text


def test_mild_findings_are_told_when_an_edit_brings_them(
    client: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    mild = {
        "path": ".synapse/docs", "line": 1, "column": 1, "severity": "info",
        "code": "SYN999", "message": "It is long.", "remedy": "", "identity": "1",
    }  # fmt: skip
    found: list[dict[str, object]] = [mild]
    monkeypatch.setattr(lint_feedback, "_run_linter", lambda *_: found)
    assert edit(client, ".synapse/docs", "DOCS_RULE_0=One\n") == ""
    found.append({**mild, "message": "It is longer.", "identity": "2"})
    text = edit(client, ".synapse/docs", "DOCS_RULE_0=One two\n")
    assert "It is longer." in text and "It is long." not in text


def test_with_the_first_edit_of_a_file_mild_findings_are_those_since_its_last_commit(
    client: Scripted,
) -> None:
    old, new = "TESTING_RULE_7 = Foo", "TESTING_RULE_8 = Bar"
    (client.root / ".synapse/testing").write_text(f"TESTING_RULE_0=Assert\n{old}\n")
    git(client.root, "init", "--quiet")
    git(client.root, "add", ".synapse/testing")
    git(client.root, "commit", "--quiet", "--message", "Rules")
    text = edit(client, ".synapse/testing", f"TESTING_RULE_0=Assert\n{old}\n{new}\n")
    assert ".synapse/testing:3:" in text and "SYN113" in text
    assert ".synapse/testing:2:" not in text


@pytest.mark.skipif(sys.platform == "win32", reason="a script as a program")
def test_no_program_of_the_sessions_project_is_run_to_lint_a_file_of_another_tree(
    client: Scripted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = write_tree(tmp_path / "other", TEAM)
    git(other, "init", "--quiet")
    git(other, "add", ".")
    git(other, "commit", "--quiet", "--message", "Rules")
    trust_tree(str(other))
    program = client.root / "tools" / "git"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join((str(program.parent), os.environ["PATH"])))
    monkeypatch.chdir(tmp_path)
    forget_foreign_folders(str(client.root))
    assert "SYN113" in edit(client, f"{other}/.synapse/testing", "TESTING_RULE_7 = Foo\n")
    assert not (tmp_path / "ran").exists()


def test_many_findings_are_cut_short(client: Scripted) -> None:
    text = edit(client, ".synapse/testing", "".join(f"TESTING_RULE_{i}=\n" for i in range(50)))
    lines = text.splitlines()
    assert lines[-1].startswith("… ") and lines[-1].endswith("more: run `synapse check`.")
    assert (
        len([line for line in lines if line.startswith(".synapse/testing:")])
        == lint_feedback.MAX_FINDINGS
    )


def test_all_of_it_keeps_within_the_limit_of_the_client(client: Scripted) -> None:
    client.reply_limit = 6_000
    rules = "".join(f"GLOBAL_RULE_{i}={'x' * 300} {i}\n" for i in range(20))
    text = edit(client, ".synapse/global", rules + "GLOBAL_RULE_30=\n" * 30)
    assert lint_feedback.HEADING in text and len(text) <= 6_000


def test_a_linter_that_is_too_slow_is_given_up_and_that_is_said(
    client: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lint_feedback, "LINT_SECONDS", 0.001)
    text = edit(client, ".synapse/testing", "TESTING_RULE_0=\n")
    assert "could not be checked in time" in text


@pytest.mark.parametrize(
    "path", ["src/app.py", ".synapse/sessions/s.json", "docs/manifest", ".synapse/cache/x"]
)
def test_other_files_are_not_linted(
    client: Scripted, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lint_feedback, "lint_report", None)
    assert edit(client, path, "{}") == ""


def test_a_file_of_a_tree_further_down_is_linted_there(client: Scripted) -> None:
    write_tree(client.root / "packages" / "web", TEAM)
    text = edit(client, "packages/web/.synapse/testing", "TESTING_RULE_0=\n")
    assert "\npackages/web/.synapse/testing:1:1 " in text


def test_a_file_of_another_tree_is_linted_only_where_that_is_trusted(
    client: Scripted, tmp_path: Path
) -> None:
    bad = "TESTING_RULE_0=\nTESTING_RULE_1=Assert\n"
    other = write_tree(tmp_path / "other", TEAM)
    assert edit(client, str(other / ".synapse/testing"), bad) == ""
    trust_tree(str(other))
    assert lint_feedback.HEADING in edit(client, str(other / ".synapse/testing"), f"{bad}\n")


@pytest.mark.parametrize("way", ["link", "clone"])
def test_nor_is_what_a_link_or_a_clone_brings_into_the_project(
    client: Scripted, tmp_path: Path, way: str
) -> None:
    inner = client.root / "vendor"
    other = write_tree(tmp_path / "other" if way == "link" else inner, TEAM)
    if way == "link":
        inner.symlink_to(other)
    else:
        git(inner, "init", "-q")
    bad = "TESTING_RULE_0=\nTESTING_RULE_1=Assert\n"
    kept = {path.name for path in (tmp_path / "cache").iterdir()}
    assert edit(client, "vendor/.synapse/testing", bad) == ""
    assert {path.name for path in (tmp_path / "cache").iterdir()} == kept
    trust_tree(str(other))
    assert lint_feedback.HEADING in edit(client, "vendor/.synapse/testing", f"{bad}\n")


def test_of_a_trusted_tree_those_within_are_not_trusted_too(client: Scripted) -> None:
    trust_tree(str(client.root))
    write_tree(client.root / "vendor/lib", TEAM)
    bad = "TESTING_RULE_0=\nTESTING_RULE_1=Assert\n"
    assert edit(client, "vendor/lib/.synapse/testing", bad) == ""


def test_a_file_that_was_deleted_is_no_failure(client: Scripted) -> None:
    path = client.root / ".synapse" / "testing"
    path.unlink()
    assert lint_feedback.HEADING not in client.tool(str(path), edited=(str(path),))


def test_without_a_session_findings_are_told_too(client: Scripted) -> None:
    client.session = ""
    assert lint_feedback.HEADING in edit(client, ".synapse/testing", "TESTING_RULE_0=\n")
