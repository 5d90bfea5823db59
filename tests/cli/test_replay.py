"""``synapse replay`` and ``synapse coverage``, on transcripts of Claude Code."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import BinaryIO
from xml.etree import ElementTree

import pytest

from synapse_ls.cli import client_options
from synapse_ls.hooks.status_line import build_status_line
from synapse_ls.workspace import regular_files
from tests.cli import transcript
from tests.cli.conftest import Synapse
from tests.cli.transcript import COMPACTED
from tests.hooks.hook_clients import Claude

PROMPTS = ("hello", "@dev add a unit test", "go on", COMPACTED, "@qa look at it", "*brief")


@pytest.fixture
def session(team: Path) -> str:
    return str(transcript.write(team / "session.jsonl", PROMPTS))


def test_each_prompt_has_a_line_and_the_session_its_sum(synapse: Synapse, session: str) -> None:
    done = synapse("replay", session)
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0] == f"{session} · claude"
    assert [line[:4].strip() for line in lines[1:-2]] == ["1", "2", "3", "", "4", "5"]
    assert lines[1].endswith("100%  131 tokens  full block: nothing is in context")
    assert lines[3].endswith("nothing new")
    assert lines[4].startswith("      SessionStart · ")
    assert "a full block with every prompt would take" in lines[-2]
    assert "5 prompts, 1 compaction: " in lines[-2]


def test_why_says_what_took_part(synapse: Synapse, session: str) -> None:
    assert "· L2 AGENT_DEV (agent @dev is active)" in synapse("replay", session, "--why").out


def test_a_prompt_shows_its_block(synapse: Synapse, session: str) -> None:
    first = synapse("replay", session, "--prompt", "1").out
    assert first == synapse("context").out
    done = synapse("replay", session, "--prompt", "3")
    assert (done.out, "nothing to send" in done.err) == ("", True)
    full = synapse("replay", session, "--prompt", "3", "--full").out
    assert full == synapse("context", "--agent", "dev", "--remaining", "85").out
    assert synapse("replay", session, "--prompt", "9").err == (
        "error: There is no prompt 9.\n  remedy: The transcript has 5 prompts.\n"
    )


def test_json_lines_have_a_line_for_each_prompt_and_a_total(synapse: Synapse, session: str) -> None:
    done = synapse("replay", session, "--json")
    *steps, total = map(json.loads, done.out.splitlines())
    assert [step["number"] for step in steps] == [1, 2, 3, 4, 5]
    assert (steps[1]["prompt"], steps[3]["compacted"]) == ("@dev add a unit test", True)
    assert steps[0]["reply"]["text"] == synapse("context").out
    assert steps[3]["before"][0]["event"] == "SessionStart"
    assert (steps[3]["others"], steps[3]["after"]) == (steps[3]["before"], [])
    assert total["tokens"] == sum(step["tokens"] for step in steps)
    assert total["full_tokens"] == sum(step["full_tokens"] for step in steps)
    assert "AGENT_DEV_RULE_0" in total["rules"]


def test_the_window_is_the_one_that_the_session_recorded(
    synapse: Synapse, team: Path, session: str
) -> None:
    before = synapse("replay", session).out
    assert " 92.5%  " in before
    client = Claude(team, "4f1c")
    client.prompt("hello")
    status = {
        "session_id": "4f1c",
        "cwd": str(team),
        "model": {"id": "claude-sonnet-4-5"},
        "context_window": {"context_window_size": 1_000_000},
    }
    build_status_line(json.dumps(status).encode())
    assert " 98.5%  " in synapse("replay", session).out


def test_a_folder_is_all_transcripts_in_it(synapse: Synapse, team: Path) -> None:
    folder = team / "past"
    (folder / "deep").mkdir(parents=True)
    transcript.write(folder / "a.jsonl", ["hello"])
    transcript.write(folder / "deep/b.jsonl", ["@dev go on", "hello"])
    (folder / "other.json").write_text('{"something": "else"}')
    out = synapse("replay", str(folder)).out
    assert [line for line in out.splitlines() if line.endswith(" · claude")] == [
        f"{folder / 'a.jsonl'} · claude",
        f"{folder / 'deep' / 'b.jsonl'} · claude",
    ]
    assert "\n2 sessions\n3 prompts: " in out


def test_a_transcript_that_a_client_removes_meanwhile_is_none(
    synapse: Synapse, team: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = team / "past"
    folder.mkdir()
    kept, gone = folder / "a.jsonl", folder / "b.jsonl"
    transcript.write(kept, ["hello"])
    transcript.write(gone, ["hello"])

    def open_once_more(path: Path) -> BinaryIO:
        gone.unlink(missing_ok=True)
        return regular_files.open_stream(path)

    monkeypatch.setattr(client_options, "open_stream", open_once_more)
    done = synapse("replay", str(folder))
    assert (done.code, done.err) == (0, "")
    assert f"{kept} · claude\n" in done.out and str(gone) not in done.out


def test_another_client_can_be_played(synapse: Synapse, session: str) -> None:
    assert synapse("replay", session, "--client", "codex").out.startswith(f"{session} · codex\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("gone.jsonl",), "error: Cannot read gone.jsonl: "),
        ((".synapse/global",), "error: .synapse/global is no transcript of a client"),
        ((".synapse",), "error: There is no transcript in .synapse.\n"),
        (("session.jsonl", "--client", "emacs"), 'error: There is no client "emacs".\n'),
        (("session.jsonl", "--full"), "error: --full needs --prompt"),
        (("session.jsonl", "session.jsonl", "--prompt", "1"), "error: --prompt takes one"),
    ],
)
def test_what_cannot_be_replayed_is_an_error(
    synapse: Synapse, session: str, arguments: tuple[str, ...], said: str
) -> None:
    done = synapse("replay", *arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(said)
    assert "remedy:" in done.err


def test_broken_lines_of_a_transcript_are_passed_over(synapse: Synapse, session: str) -> None:
    with Path(session).open("ab") as file:
        file.write(b'{"half": \n\xff\xfe\n[]\n')
    assert "5 prompts, 1 compaction: " in synapse("replay", session).out


def test_coverage_says_on_what_it_rests(synapse: Synapse, session: str) -> None:
    done = synapse("coverage", session)
    assert (done.code, done.err) == (0, "")
    assert "\nin 5 prompts of 1 session: too few to judge\n" in done.out
    assert "\nDomains that never took part (" in done.out
    assert "\n  DOCS: no prompt had one of its keywords" in done.out


def test_without_a_prompt_there_is_nothing_to_judge(synapse: Synapse, team: Path) -> None:
    for form in ("text", "junit"):
        done = synapse("coverage", "--format", form)
        assert (done.code, done.out) == (2, "")
        assert done.err.startswith("error: The hook has logged no prompt, so nothing can be said.")
    empty = str(transcript.write(team / "empty.jsonl", [COMPACTED]))
    assert synapse("coverage", empty).code == 2


def test_filters_may_leave_nothing_to_judge(synapse: Synapse, team: Path) -> None:
    done = synapse("coverage", "--client", "emacs")
    assert (done.code, done.err.splitlines()[0]) == (2, 'error: There is no client "emacs".')


def test_coverage_can_fail(synapse: Synapse, session: str) -> None:
    done = synapse("coverage", session, "--fail-under", "99")
    assert (done.code, "less than 99%" in done.err) == (1, True)
    assert synapse("coverage", session, "--fail-under", "10").code == 0


@pytest.mark.parametrize("percent", ["101", "-1", "nan", "half"])
def test_a_part_of_the_rules_is_between_none_and_all(
    synapse: Synapse, session: str, percent: str
) -> None:
    done = synapse("coverage", session, "--fail-under", percent)
    assert (done.code, done.out) == (2, "")
    assert "--fail-under takes 0 to 100, not" in done.err


def test_a_tool_is_told_after_the_prompt_that_it_was_used_for(synapse: Synapse, team: Path) -> None:
    manifest = team / ".synapse/manifest"
    manifest.write_text(f"{manifest.read_text('utf-8')}SQL_STATE=active\nSQL_PATHS=**/*.sql\n")
    (team / ".synapse/sql").write_text("SQL_RULE_0=Name every index\n", "utf-8")
    (team / ".synapse/config.toml").write_text('profile = "synapse-live"\n', "utf-8")
    session = transcript.write(team / "s.jsonl", ["hello", "go on"], touches=("db/a.sql",))
    lines = synapse("replay", str(session)).out.splitlines()
    assert [line.split()[0] for line in lines[1:4]] == ["1", "PostToolUse", "2"]


def test_coverage_as_json_has_figures_and_findings(synapse: Synapse, session: str) -> None:
    report = synapse("coverage", session, "--json").json
    assert (report["prompts"], report["sessions"], report["enough"]) == (5, 1, False)
    assert report["percent"] == round(100 * report["told"] / report["rules"], 1)
    kinds = {finding["kind"] for finding in report["findings"]}
    assert {"domain-never-awake", "rule-never-told"} <= kinds
    assert all(finding["file"] and finding["line"] >= 1 for finding in report["findings"])


def test_coverage_takes_formats_of_check(synapse: Synapse, session: str) -> None:
    assert "::notice title=COV101 domain-never-awake,file=.synapse/manifest" in (
        synapse("coverage", session, "--format", "github").out
    )
    junit = ElementTree.fromstring(synapse("coverage", session, "--format", "junit").out)
    assert junit.get("name") == "synapse coverage"
    assert synapse("coverage", session, "--format", "gitlab").json[0]["check_name"]
    said = synapse("coverage", session, "--format", "github").out
    assert "of migrations" not in said and not re.search(r"::[^:]*[^.:] (say|set|add) ", said)


def test_long_lists_are_cut_unless_all_is_wanted(synapse: Synapse, team: Path) -> None:
    domains = "".join(f"D{n}_STATE=active\nD{n}_RECALL=word{n}\n" for n in range(30))
    manifest = team / ".synapse/manifest"
    manifest.write_text(f"{manifest.read_text('utf-8')}{domains}", "utf-8")
    for n in range(30):
        (team / f".synapse/d{n}").write_text(f"D{n}_RULE_0=Rule {n}\n", "utf-8")
    session = str(transcript.write(team / "s.jsonl", ["hello"]))
    assert "more: --all\n" in synapse("coverage", session).out
    every = synapse("coverage", session, "--all").out
    assert ("\n  D29: no prompt had" in every, "--all" in every) == (True, False)


def test_what_is_alike_is_told_once(synapse: Synapse, session: str) -> None:
    out = synapse("coverage", session).out
    assert "\n  *brief" not in out
    (team_rule,) = [line for line in out.splitlines() if "never came to CRITICAL" in line]
    assert team_rule == "  CONTEXT_RULE_CRITICAL_0: the window never came to CRITICAL"
