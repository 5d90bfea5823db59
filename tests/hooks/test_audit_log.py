"""The audit log that a policy or a tree switches on."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest

from synapse_ls.cli.main import main
from synapse_ls.integrations.claude import CLIENT as CLAUDE
from synapse_ls.integrations.codex import CLIENT as CODEX
from synapse_ls.storage import audit_log
from synapse_ls.storage.atomic_files import ANYWHERE, FileLock
from synapse_ls.workspace.user_folders import audit_folder
from tests.hooks.hook_clients import Claude
from tests.policies import place_machine_policy
from tests.trees import TEAM, write_tree

AUDIT = "[policy]\nname = 'Example Corp'\n[audit]\nenabled = true\n[guard]\nmode = 'enforce'\n"
SECRET = "ghp_" + "x7Kq2mVd9RtYw4Zs8NbJ3hLc6PfGa1Qe5TuU"


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "home/AppData/Local"))
    return Path(audit_folder())


def day(root: Path) -> Claude:
    """Two prompts, and a command that the agent may not run."""
    agent = Claude(write_tree(root, TEAM))
    agent.prompt("@dev go on")
    agent.prompt("please update the readme")
    command = f"git push https://x:{SECRET}@example.com/x.git"
    agent.send("PreToolUse", tool_name="Bash", tool_input={"command": command})
    return agent


def lines(folder: Path) -> list[dict[str, Any]]:
    files = map(Path, audit_log.audit_files(str(folder)))
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def test_nothing_is_kept_unless_it_is_switched_on(tmp_path: Path, state: Path) -> None:
    day(tmp_path / "app")
    assert not state.exists()


def test_a_repository_cannot_switch_it_off_and_a_line_says_who_what_and_by_which_policy(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = place_machine_policy(monkeypatch, tmp_path / "etc", AUDIT)
    write_tree(
        tmp_path / "app",
        {
            ".synapse/config.toml": "[audit]\nenabled = false\n",
            ".git/config": f'[remote "origin"]\n\turl = https://me:{SECRET}@example.com/app.git\n',
        },
    )
    day(tmp_path / "app")
    first, *_, last = lines(state)
    assert first["kind"] == "injected" and first["rules"] and len(first["block"]) == 64
    assert (first["client"], first["session"]) == ("claude", "session-1")
    assert first["policy"] == f"Example Corp ({policy})"
    assert first["repository"] == "https://example.com/app.git"
    assert first["person"]
    assert (last["kind"], last["mode"]) == ("verdict", "enforce")
    assert last["decision"] in ("ask", "deny") and "git push" in last["command"]
    assert SECRET not in "".join(file.read_text() for file in state.iterdir())
    if os.name == "posix":
        assert {file.stat().st_mode & 0o077 for file in state.iterdir()} == {0}


@pytest.mark.parametrize("password", ["hun@ter2", "p@ss/w0rd", "a/b@c"])
def test_nothing_of_a_password_is_in_the_address_of_the_repository(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch, password: str
) -> None:
    place_machine_policy(monkeypatch, tmp_path / "etc", AUDIT)
    address = f"https://me:{password}@example.com/app.git"
    write_tree(tmp_path / "app", {".git/config": f'[remote "origin"]\n\turl = {address}\n'})
    day(tmp_path / "app")
    assert lines(state)[0]["repository"] == "https://example.com/app.git"


@pytest.mark.parametrize("field", ["tool_name", "agent_id"])
def test_no_field_of_an_event_brings_a_secret_into_it(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch, field: str
) -> None:
    place_machine_policy(monkeypatch, tmp_path / "etc", AUDIT)
    agent = day(tmp_path / "app")
    command = {"tool_name": "Bash", "tool_input": {"command": "git push"}}
    agent.send("PreToolUse", **{**command, field: SECRET})
    assert [line["kind"] for line in lines(state)][-1] == "verdict"
    assert SECRET not in "".join(file.read_text() for file in state.iterdir())


def test_a_command_of_very_many_names_of_secrets_is_in_it(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place_machine_policy(monkeypatch, tmp_path / "etc", AUDIT)
    agent = Claude(write_tree(tmp_path / "app", TEAM))
    command = f"git push # {'key=' * 50_000}"
    agent.send("PreToolUse", tool_name="Bash", tool_input={"command": command})
    (line,) = lines(state)
    assert line["command"].startswith("git push #") and len(line["command"]) == 20_000


def test_whoever_locks_the_log_keeps_no_verdict_from_it(
    tmp_path: Path,
    state: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    place_machine_policy(monkeypatch, tmp_path / "etc", AUDIT)
    agent = Claude(write_tree(tmp_path / "app", TEAM))
    agent.prompt("@dev go on")
    with FileLock(str(state / audit_log.NAME), 1.0, within=ANYWHERE):
        agent.send("PreToolUse", tool_name="Bash", tool_input={"command": "git push origin main"})
        assert [line["kind"] for line in lines(state)] == ["injected"]
    assert main(["log", "--verify"]) == 0
    assert "records wait beside it" in capsys.readouterr().out
    agent.prompt("please update the readme")
    assert [line["kind"] for line in lines(state)] == ["injected", "verdict", "injected"]
    assert audit_log.verify(str(state))[0] == 3


@pytest.mark.parametrize("row", ["[1]", "7", "{", '{"kind": 1, "time": "x"}', "{}", "[" * 5_000])
def test_a_row_that_is_no_record_is_a_line_and_stops_no_other(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch, row: str
) -> None:
    place_machine_policy(monkeypatch, tmp_path / "etc", AUDIT)
    agent = day(tmp_path / "app")
    (state / audit_log.WAITING).write_text(f"{row}\n")
    agent.prompt("@qa go on")
    assert [line["kind"] for line in lines(state)][-2:] == ["unreadable", "injected"]
    assert lines(state)[-2]["text"] == row
    assert audit_log.verify(str(state))[0] == 5
    assert len(list(audit_log.records_since(0.0))) == 5


def test_a_waiting_record_has_no_say_in_its_number(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place_machine_policy(monkeypatch, tmp_path / "etc", AUDIT)
    agent = day(tmp_path / "app")
    waiting = {"kind": "verdict", "time": "", "number": 1, "previous": "", "hash": "0"}
    (state / audit_log.WAITING).write_text(json.dumps(waiting) + "\n")
    agent.prompt("@qa go on")
    assert audit_log.verify(str(state))[0] == 5


@pytest.mark.parametrize("name", ["/dev/null", "{tmp}/elsewhere"])
def test_no_variable_takes_the_log_away_from_a_policy_of_the_machine(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    place_machine_policy(monkeypatch, tmp_path / "etc", AUDIT)
    monkeypatch.setenv("XDG_STATE_HOME", name.format(tmp=tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path / "another"))
    day(tmp_path / "app")
    assert lines(state)


def test_the_head_is_not_written_through_a_link(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place_machine_policy(monkeypatch, tmp_path / "etc", AUDIT)
    target = tmp_path / "notes.txt"
    target.write_text("mine\n")
    state.mkdir(parents=True)
    (state / "head").symlink_to(target)
    day(tmp_path / "app")
    assert target.read_text() == "mine\n"
    assert not (state / "head").is_symlink()


def chain(written: list[str]) -> list[str]:
    """The lines with other contents, in a chain that is sound in itself."""
    previous, chained = audit_log.FIRST, []
    for number, line in enumerate(written, 1):
        record = {**json.loads(line), "number": number, "previous": previous, "client": "cursor"}
        del record["hash"]
        body = json.dumps(record, separators=(",", ":"))
        previous = hashlib.sha256(body.encode()).hexdigest()
        chained.append(f'{body[:-1]},"hash":"{previous}"}}\n')
    return chained


def damaged(folder: Path, what: str) -> None:
    file = folder / audit_log.NAME
    written = file.read_text().splitlines(keepends=True)
    if what == "changed":
        written[1] = written[1].replace("claude", "cursor")
    elif what == "removed":
        del written[1]
    elif what == "cut off":
        del written[-1]
    elif what == "swapped":
        written[0], written[1] = written[1], written[0]
    elif what == "made anew":
        body = written[-1].rpartition(',"hash"')[0].replace("claude", "cursor") + "}"
        digest = hashlib.sha256(body.encode()).hexdigest()
        written[-1] = f'{body[:-1]},"hash":"{digest}"}}\n'
    elif what.startswith("replaced"):
        written = chain(written if what == "replaced" else [*written, *written])
    elif what == "first removed":
        del written[0]
    elif what == "all removed":
        written.clear()
    file.write_text("".join(written))
    if what.endswith("without head"):
        del written[-1:]
        file.write_text("".join(written))
        (folder / audit_log.HEAD).unlink()
    elif what.endswith("no head"):
        (folder / audit_log.HEAD).write_text("x\n")
    if what == "emptied folder":
        for path in folder.iterdir():
            path.unlink()


@pytest.mark.parametrize(
    ("what", "line", "why"),
    [
        ("changed", 2, "is not as it was written"),
        ("removed", 2, "is missing here"),
        ("cut off", 3, "lines at the end are missing"),
        ("swapped", 1, "line number 1 of the chain is missing here"),
        ("first removed", 1, "line number 1 of the chain is missing here"),
        ("all removed", 1, "lines at the end are missing"),
        ("emptied folder", 1, "lines at the end are missing"),
        ("made anew", 3, "is not as it was written"),
        ("replaced", 3, "is not as it was written"),
        ("replaced by more", 3, "is not as it was written"),
    ],
)
def test_the_first_broken_line_is_named(
    tmp_path: Path,
    state: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    what: str,
    line: int,
    why: str,
) -> None:
    place_machine_policy(monkeypatch, tmp_path / "etc", AUDIT)
    day(tmp_path / "app")
    assert main(["log", "--verify"]) == 0
    assert "3 lines, each as it was written" in capsys.readouterr().out
    damaged(state, what)
    assert main(["log", "--verify"]) == 1
    shown = capsys.readouterr().out
    assert f"{audit_log.NAME}:{line}: " in shown and why in shown


@pytest.mark.parametrize(("what", "line", "number"), [
    ("cut off", 3, 3), ("all removed", 1, 1), ("cut off, without head", 3, 3),
    ("with what is no head", 4, 4),
])  # fmt: skip
def test_nor_does_the_next_line_heal_what_was_cut_off(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch, what: str, line: int, number: int
) -> None:
    place_machine_policy(monkeypatch, tmp_path / "etc", AUDIT)
    agent = day(tmp_path / "app")
    damaged(state, what)
    agent.prompt("@qa go on")
    told = rf"{audit_log.NAME}:{line}: line number {number} of the chain is missing here"
    with pytest.raises(audit_log.BrokenChain, match=told):
        audit_log.verify(str(state))


def test_the_chain_goes_on_over_files_and_the_oldest_go_first(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place_machine_policy(monkeypatch, tmp_path / "etc", f"{AUDIT}[session]\nstale_hours = 100\n")
    monkeypatch.setattr(audit_log, "FILE_BYTES", 1)
    day(tmp_path / "app")
    assert len(audit_log.audit_files(str(state))) == 3
    assert audit_log.verify(str(state))[::2] == (3, 1)
    Path(audit_log.audit_files(str(state))[0]).unlink()
    with pytest.raises(audit_log.BrokenChain, match="line number 1 of the chain is missing here"):
        audit_log.verify(str(state))


@pytest.mark.parametrize(("most", "left"), [(1, 0), (2_000, 2)])
def test_what_rotation_removes_is_not_missing(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch, most: int, left: int
) -> None:
    text = AUDIT.replace("enabled = true\n", f"enabled = true\nmegabytes = {most}\n")
    place_machine_policy(monkeypatch, tmp_path / "etc", text)
    monkeypatch.setattr(audit_log, "FILE_BYTES", 1)
    monkeypatch.setattr(audit_log, "MEGABYTE", 1)
    day(tmp_path / "app")
    assert len(audit_log.audit_files(str(state))) == left
    assert audit_log.verify(str(state))[0] == left


def test_a_rotation_meanwhile_takes_no_lines_from_who_reads_the_log(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place_machine_policy(monkeypatch, tmp_path / "etc", AUDIT)
    agent = day(tmp_path / "app")

    def add_line(number: int, size: int) -> None:
        monkeypatch.setattr(audit_log, "FILE_BYTES", size)
        agent.prompt(f"@{('dev', 'qa')[number % 2]} go on")

    add_line(1, 1)  # which rotates
    add_line(2, 4_000_000)
    records = audit_log.records_since(0.0)
    read = [next(records)]
    add_line(3, 1)
    add_line(4, 4_000_000)
    numbers = [record["number"] for _, _, record in (*read, *records) if record]
    assert numbers == [1, 2, 3, 4, 5, 6]  # the last one was written into a file that was open


def test_a_line_that_a_crash_has_cut_short_does_not_end_the_chain(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place_machine_policy(monkeypatch, tmp_path / "etc", AUDIT)
    agent = day(tmp_path / "app")
    file = state / audit_log.NAME
    with file.open("ab") as stream:
        stream.write(b'{"number": 4, "pre')
    agent.prompt("@qa go on")
    *_, cut, last = file.read_bytes().splitlines()
    assert audit_log.parse_line(cut) is None
    assert json.loads(last)["number"] == 4


def test_what_is_exported_is_what_was_written_and_otlp_has_the_same_records(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("opentelemetry.exporter.otlp.proto.common")
    place_machine_policy(monkeypatch, tmp_path / "etc", AUDIT)
    day(tmp_path / "app")
    monkeypatch.chdir(tmp_path)
    assert main(["log", "--export", "audit.jsonl"]) == 0
    assert Path("audit.jsonl").read_bytes() == (state / audit_log.NAME).read_bytes()
    assert main(["log", "--export", "audit.otlp.jsonl", "--otlp"]) == 0
    (request,) = map(json.loads, Path("audit.otlp.jsonl").read_text().splitlines())
    records = request["resourceLogs"][0]["scopeLogs"][0]["logRecords"]
    assert [json.loads(record["body"]["stringValue"]) for record in records] == lines(state)
    assert {record["eventName"] for record in records} == {"synapse.injected", "synapse.verdict"}
    assert {type(record["severityNumber"]) for record in records} == {int}


def test_otlp_has_a_record_of_others_whose_numbers_it_has_no_room_for(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("opentelemetry.exporter.otlp.proto.common")
    place_machine_policy(monkeypatch, tmp_path / "etc", AUDIT)
    day(tmp_path / "app")
    row = {"kind": "x", "time": "9999-12-31T23:59:59Z", "n": [10**30]}
    (state / audit_log.WAITING).write_text(json.dumps(row) + "\n")
    day(tmp_path / "other")
    monkeypatch.chdir(tmp_path)
    assert main(["log", "--export", "audit.otlp.jsonl", "--otlp"]) == 0
    (request,) = map(json.loads, Path("audit.otlp.jsonl").read_text().splitlines())
    records = request["resourceLogs"][0]["scopeLogs"][0]["logRecords"]
    assert [json.loads(record["body"]["stringValue"]) for record in records] == lines(state)
    assert "synapse.x" in {record["eventName"] for record in records}


def test_a_line_has_the_decision_and_what_the_client_was_answered(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place_machine_policy(monkeypatch, tmp_path / "etc", AUDIT)
    root = write_tree(tmp_path / "app", TEAM)
    for host in (CLAUDE, CODEX):
        agent = Claude(root, host.name, host)
        agent.send("PreToolUse", tool_name="Bash", tool_input={"command": "$X session end"})
    answers = {line["client"]: (line["decision"], line["answer"]) for line in lines(state)}
    assert answers == {"claude": ("ask", "ask"), "codex": ("ask", "deny")}


def test_where_the_guard_warns_the_answer_is_a_warning(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place_machine_policy(monkeypatch, tmp_path / "etc", AUDIT.replace("enforce", "warn"))
    day(tmp_path / "app")
    last = lines(state)[-1]
    assert (last["mode"], last["answer"]) == ("warn", "warn")


def test_a_log_that_a_policy_wants_and_that_is_not_there_is_no_success(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    policy = place_machine_policy(monkeypatch, tmp_path / "etc", AUDIT)
    assert main(["log", "--verify"]) == 1
    assert f"There is no audit log, although the policy Example Corp ({policy})" in (
        capsys.readouterr().out
    )


def test_what_is_no_file_in_its_place_is_named_with_a_remedy(
    state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (state / audit_log.NAME).mkdir(parents=True)
    assert main(["log", "--verify"]) == 2
    assert f"Look at what is in {state}" in capsys.readouterr().err


def test_an_exported_log_is_read_by_its_user_alone(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place_machine_policy(monkeypatch, tmp_path / "etc", AUDIT)
    day(tmp_path / "app")
    monkeypatch.chdir(tmp_path)
    assert main(["log", "--export", "audit.jsonl"]) == 0
    if os.name == "posix":
        assert Path("audit.jsonl").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "words", [["--export", "x", "--client", "claude"], ["--verify", "--since", "1d"]]
)
def test_what_does_not_choose_lines_of_the_audit_log_is_refused(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["log", *words]) == 2
    assert words[-2] in capsys.readouterr().err


def test_an_address_that_a_link_leads_to_is_not_kept(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place_machine_policy(monkeypatch, tmp_path / "etc", AUDIT)
    write_tree(tmp_path, {"other/config": '[remote "origin"]\n\turl = https://example.com/other\n'})
    (tmp_path / "app").mkdir()
    (tmp_path / "app/.git").mkdir()
    (tmp_path / "app/.git/config").symlink_to(tmp_path / "other/config")
    day(tmp_path / "app")
    assert {line["repository"] for line in lines(state)} == {""}


def test_the_doctor_says_where_no_line_can_be_added(
    tmp_path: Path,
    state: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    place_machine_policy(monkeypatch, tmp_path / "etc", AUDIT)
    day(tmp_path / "app")
    (state / "audit.jsonl.lock").unlink()

    def troubles() -> list[str]:
        main(["doctor", "--root", str(tmp_path / "app"), "--runs", "0", "--format", "json"])
        return [t["code"] for t in json.loads(capsys.readouterr().out)["troubles"]]

    assert "audit-log" not in troubles()
    for name in ("audit.jsonl.lock", "waiting.jsonl.taken"):
        (state / name).unlink(missing_ok=True)
        (state / name).mkdir()
        assert "audit-log" in troubles()
        (state / name).rmdir()
    monkeypatch.setattr(os, "access", lambda path, _: not str(path).endswith(audit_log.NAME))
    assert "audit-log" in troubles()
