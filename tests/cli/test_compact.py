"""``synapse compact``, on transcripts, lists and requests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from synapse_ls.compaction import CLEARED, SUMMARY
from tests.cli import transcript
from tests.cli.conftest import Synapse

LONG = "a line of output, again and again " * 20


def talk(number: int) -> list[dict[str, Any]]:
    return [
        {"role": ("user", "assistant")[n % 2], "content": f"message {n} " + "x" * 30}
        for n in range(number)
    ]


def pair(name: str) -> list[dict[str, Any]]:
    use = {"type": "tool_use", "id": name, "name": "Bash", "input": {"command": "make"}}
    result = {"type": "tool_result", "tool_use_id": name, "content": LONG}
    return [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]


@pytest.fixture
def history(team: Path) -> Path:
    """Two turns: three pairs, then a question."""
    path = team / "history.json"
    said = [*talk(1), *pair("a"), *pair("b"), *pair("c"), *talk(6)[4:]]
    path.write_text(json.dumps(said), encoding="utf-8")
    return path


def left(synapse: Synapse, *arguments: str, stdin: str = "") -> Any:
    done = synapse("compact", *arguments, "--format", "messages", stdin=stdin)
    assert done.code == 0, done.err
    return done.json


def test_the_report_says_what_was_before_and_after(synapse: Synapse, history: Path) -> None:
    done = synapse("compact", str(history), "--limit", "300")
    assert done.code == 0
    assert "messages                         9           5" in done.out
    assert "dropped 4 messages, 368 tokens: 2–5" in done.out


def test_the_report_for_programs_has_every_message(synapse: Synapse, history: Path) -> None:
    report = synapse("compact", str(history), "--limit", "300", "--format", "json").json
    assert (report["before"]["messages"], report["after"]["messages"]) == (9, 5)
    assert [line["number"] for line in report["dropped"]] == [2, 3, 4, 5]
    assert report["dropped"][0]["role"] == "assistant"
    assert report["after"]["tokens"] == sum(report["after"]["parts"].values()) <= 300


def test_old_results_are_cleared(synapse: Synapse, history: Path) -> None:
    found = left(synapse, str(history), "--strategy", "clear-tool-results", "--keep-results", "1", "--limit", "400")  # fmt: skip
    results = [m["content"][0]["content"] for m in found if "tool_result" in str(m)]
    assert results == [CLEARED, CLEARED, LONG]
    report = synapse("compact", str(history), "--strategy", "clear-tool-results", "--keep-last", "1", "--limit", "400")  # fmt: skip
    assert "cleared 2 tool results, 340 tokens: 3, 5" in report.out


def test_many_places_are_told_in_short(synapse: Synapse, team: Path) -> None:
    said = [message for number in range(12) for message in pair(f"t{number}")]
    wished = ("--strategy", "clear-tool-results", "--keep-results", "0", "--force")
    done = synapse("compact", *wished, stdin=json.dumps([*talk(1), *said]))
    assert done.out.rstrip().endswith("tokens: 3, 5, 7, 9, 11, 13, …, 25")


def test_a_composite_clears_before_it_drops(synapse: Synapse, history: Path) -> None:
    wished = ("--strategy", "composite", "--keep-results", "0")
    assert len(left(synapse, str(history), *wished, "--limit", "200")) == 9
    assert len(left(synapse, str(history), *wished, "--limit", "60")) < 9


def test_a_command_sums_up(synapse: Synapse, history: Path) -> None:
    command = "grep -c 'Bash answers'"
    found = left(synapse, str(history), "--limit", "300", "--summarizer", command, "--keep-last", "2")  # fmt: skip
    assert found[0] == {"role": "user", "content": f"{SUMMARY}\n3"}
    assert found[1:] == json.loads(history.read_text("utf-8"))[-2:]
    report = synapse("compact", str(history), "--limit", "300", "--summarizer", command)
    assert "summed up" in report.out


def test_a_command_that_fails_is_an_error_and_nothing_is_written(
    synapse: Synapse, history: Path, team: Path
) -> None:
    command = "echo no key >&2; exit 3"
    done = synapse("compact", str(history), "--limit", "300", "--summarizer", command, "--out", "o")
    assert done.code == 2
    assert "ended with exit code 3: no key" in done.err
    assert not (team / "o").exists()


def test_a_limit_that_cannot_be_reached_says_which_can(synapse: Synapse, history: Path) -> None:
    done = synapse("compact", str(history), "--limit", "5", "--format", "messages")
    assert (done.code, done.out) == (2, "")
    assert "Give a limit of 28 or more" in done.err
    assert left(synapse, str(history), "--limit", "28")


def test_the_first_messages_can_be_kept(synapse: Synapse, history: Path) -> None:
    said = json.loads(history.read_text("utf-8"))
    found = left(synapse, str(history), "--limit", "100", "--keep-first", "1")
    assert found == [said[0], *said[-2:]]


def test_within_the_limit_nothing_changes_unless_it_is_forced(
    synapse: Synapse, history: Path
) -> None:
    said = json.loads(history.read_text("utf-8"))
    assert left(synapse, str(history)) == said
    assert "it is within the limit of 100,000" in synapse("compact", str(history)).out
    assert left(synapse, str(history), "--keep-last", "2", "--force") == said[-2:]


def test_json_lines_stay_json_lines(synapse: Synapse, team: Path) -> None:
    lines = [json.dumps(message) for message in talk(6)]
    done = synapse("compact", "--limit", "28", "--format", "messages", stdin="\n".join(lines))
    assert [json.loads(line) for line in done.out.splitlines()] == talk(6)[-2:]


def test_a_request_stays_a_request_and_its_tools_count(synapse: Synapse, team: Path) -> None:
    body = {"model": "m", "system": "Be brief", "messages": talk(6)}
    assert left(synapse, "--limit", "60", stdin=json.dumps(body)) == {
        **body,
        "messages": talk(6)[-2:],
    }
    tools = [{"name": "f", "description": "x" * 400, "input_schema": {}}]
    done = synapse("compact", "--limit", "60", stdin=json.dumps({**body, "tools": tools}))
    assert "The tools alone take" in done.err


def test_another_shape(synapse: Synapse, history: Path) -> None:
    found = left(synapse, str(history), "--shape", "openai")
    assert found[2] == {"role": "tool", "tool_call_id": "a", "content": LONG}


def test_bytes_make_other_tokens(synapse: Synapse, team: Path) -> None:
    said = json.dumps([{"role": "user", "content": "日本語" * 4}])
    tokens = [
        synapse("compact", "--unit", unit, "--format", "json", stdin=said).json["before"]["tokens"]
        for unit in ("characters", "bytes")
    ]
    assert tokens == [7, 13]


def test_a_transcript_is_read_as_far_as_it_stands_in_the_window(
    synapse: Synapse, team: Path
) -> None:
    prompts = ("hello", "go on", transcript.COMPACTED, "and now?")
    path = transcript.write(team / "session.jsonl", prompts)
    report = synapse("compact", str(path), "--format", "json").json
    assert (report["kind"], report["before"]["messages"]) == ("claude", 2)


def test_a_session_of_gemini_in_one_document_is_a_transcript(synapse: Synapse, team: Path) -> None:
    spoken = [
        {"id": "u1", "type": "user", "content": "Read \ud800 it"},
        {"id": "g1", "type": "gemini", "content": "Done.", "toolCalls": []},
    ]
    session = {"sessionId": "s", "projectHash": "h", "messages": spoken}
    (team / "session.json").write_text(json.dumps(session, indent=2))
    done = synapse("compact", "session.json", "--limit", "100")
    assert done.out.startswith("session.json · gemini · sliding-window")
    assert "messages                         2           2" in done.out


@pytest.mark.parametrize("link", [False, True])
def test_a_history_is_never_written_over_itself(
    synapse: Synapse, history: Path, team: Path, link: bool
) -> None:
    out = team / "other.json"
    out.symlink_to(history) if link else out.hardlink_to(history)
    before = history.read_bytes()
    done = synapse("compact", str(history), "--limit", "300", "--out", str(out))
    assert done.code == 2
    assert "is the history itself" in done.err
    assert history.read_bytes() == before


def test_no_transcript_is_written_over(synapse: Synapse, history: Path, team: Path) -> None:
    path = transcript.write(team / "session.jsonl", ("hello",))
    before = path.read_bytes()
    done = synapse("compact", str(history), "--limit", "300", "--out", str(path))
    assert done.code == 2
    assert "is a transcript of claude" in done.err
    assert path.read_bytes() == before


def test_what_is_left_goes_to_a_file(synapse: Synapse, history: Path, team: Path) -> None:
    done = synapse("compact", str(history), "--limit", "300", "--out", "shorter.json")
    assert "the history that is left is in shorter.json" in done.err
    assert json.loads((team / "shorter.json").read_text("utf-8")) == left(
        synapse, str(history), "--limit", "300"
    )


@pytest.mark.parametrize(
    ("stdin", "place", "why"),
    [
        ("", "standard input", "There is nothing in"),
        ("hello", "standard input:1", "this is no JSON"),
        ('{"messages":\n [oops', "standard input:2", "this is no JSON"),
        ('{"role": "user"}\n\nx\n', "standard input:3", "the line is no JSON object"),
        ('{"role": "user"}\n{"role": "x"}\n', "standard input:2", 'the role "x"'),
        ('[{"role": "user"}, 7]', "standard input", "message 2 is no object"),
        ("{}", "standard input", "neither a list of messages"),
    ],
)
def test_what_is_no_history_is_refused_with_its_place(
    synapse: Synapse, team: Path, stdin: str, place: str, why: str
) -> None:
    done = synapse("compact", stdin=stdin)
    assert done.code == 2
    assert place in done.err
    assert why in done.err


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("--limit", "-3"), "takes a whole number from 0"),
        (("--ratio", "0"), "a ratio is a finite decimal number above 0"),
        (("--strategy", "sliding-windw"), 'did you mean "sliding-window"'),
        (("--strategy", "summarize"), "A summary needs somebody who writes it"),
        (("--strategy", "sliding-window", "--summarizer", "cat"), "--summarizer is of no use"),
        (("nowhere.json",), "Cannot read nowhere.json: no such file"),
    ],
)
def test_a_wish_that_cannot_be_carried_out_is_refused(
    synapse: Synapse, team: Path, arguments: tuple[str, ...], why: str
) -> None:
    done = synapse("compact", *arguments, stdin=json.dumps(talk(2)))
    assert done.code == 2
    assert why in done.err
