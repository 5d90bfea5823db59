"""``synapse log``, on lines that real hook processes have written."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from synapse_ls.storage import injection_log
from synapse_ls.storage.current_plan import load_plan
from tests.cli.conftest import Synapse
from tests.forked_programs import run_program

DEADLINE = 30.0  # seconds
posix = pytest.mark.skipif(sys.platform == "win32", reason="pipes and signals of POSIX")

Prompt = Callable[..., str]


@pytest.fixture
def prompt(team: Path) -> Prompt:
    """Has a hook process answer a prompt; the text that it told."""
    load_plan(str(team))  # the hook of a busy machine would otherwise leave sources for later

    def ask(text: str, session: str = "session-1", **fields: object) -> str:
        event = {"session_id": session, "cwd": str(team), "prompt": text, **fields}
        event["hook_event_name"] = "UserPromptSubmit"
        done = run_program(
            *("hook", "--client", "claude"),
            stdin=json.dumps(event).encode(),
            env={**os.environ, "CLAUDECODE": "1"},
        )
        done.check_returncode()
        output = json.loads(done.stdout).get("hookSpecificOutput", {})
        return str(output.get("additionalContext", ""))

    return ask


def ids(out: str) -> list[str]:
    """The ids before the replies, in order."""
    return [line.split()[0] for line in out.splitlines() if not line.startswith(" ")]


def test_without_a_reply_it_says_so(synapse: Synapse, team: Path) -> None:
    done = synapse("log")
    assert (done.code, done.err) == (0, "")
    assert done.out == "No agent got anything yet: the hook writes a line for each prompt.\n"


def test_each_reply_says_what_was_told_and_why(synapse: Synapse, prompt: Prompt) -> None:
    prompt("hello")
    prompt("@dev go on")
    prompt("go on")
    out = synapse("log").out
    assert re.fullmatch(
        r"[0-9a-f]{8}  \d{4}-\d\d-\d\d \d\d:\d\d:\d\d · claude · session-1 · UserPromptSubmit\n"
        r"  FRESH · 100% left \(estimated\) · 131 of 800 tokens · full block: nothing is in "
        r"context\n"
        r"  L0 CONSTITUTION · L1 GLOBAL, CONTEXT, GUARDRAILS \(always on\)\n"
        r"[0-9a-f]{8}  .*\n"
        r"  FRESH · 99.2% left \(estimated\) · \d+ of 800 tokens · the difference\n"
        r"  L2 AGENT_DEV \(agent @dev is active\) · the always-on ones as before\n"
        r"-         .*\n"
        r"  FRESH · 98.5% left \(estimated\) · nothing new\n",
        out,
    ), out


def test_what_was_taken_back_and_who_told_nothing_is_said(synapse: Synapse, prompt: Prompt) -> None:
    prompt("@dev hello")
    prompt("@qa *brief go on")
    first, second = synapse("log").out.split("\n  FRESH")[1:]
    assert "withdrawn" not in first and "  revoked, all or in part: ACTIVE AGENT: @dev\n" in second
    report = json.loads(synapse("log", "--json", "-n", "1").out)
    [gone] = [part for part in report["sections"] if part["id"] == "WITHDRAWN"]
    assert [entry["name"] for entry in gone["entries"]] == ["ACTIVE AGENT: @dev"]


def test_a_domain_of_which_nothing_is_new_stands_behind_the_others(
    synapse: Synapse, prompt: Prompt, team: Path
) -> None:
    prompt("@dev hello")
    (team / ".synapse/global").write_text("GLOBAL_RULE_0=Be kind\n", "utf-8")
    prompt("go on")
    told = [line for line in synapse("log").out.splitlines() if "L1" in line][-1]
    assert told == "  L1 GLOBAL · nothing of AGENT_DEV · the always-on ones as before"


def test_a_domain_that_became_always_on_is_named_with_those_there_were(
    synapse: Synapse, prompt: Prompt, team: Path
) -> None:
    prompt("hello")
    prompt("@dev go on")
    (team / ".synapse/house").write_text("HOUSE_RULE_0=Be kind\n", "utf-8")
    with (team / ".synapse/manifest").open("a") as manifest:
        manifest.write("\nHOUSE_STATE=active\nHOUSE_ALWAYS_ON=true\n")
    prompt("go on")
    lines = [line for line in synapse("log").out.splitlines() if line.startswith("  L")]
    assert [("GLOBAL" in line, "HOUSE" in line) for line in lines] == [
        (True, False),
        (False, False),
        (True, True),
    ]


def test_the_block_is_printed_as_it_was_sent(synapse: Synapse, prompt: Prompt) -> None:
    first = prompt("hello")
    second = prompt("@dev go on")
    one, other = ids(synapse("log").out)
    assert synapse("log", "--block", one).out == first
    assert synapse("log", "--block", other).out == second == synapse("log", "--block", "last").out
    assert synapse("log", "--block", other + "000").err.startswith("error: No block")


def test_filters_choose(synapse: Synapse, prompt: Prompt, team: Path) -> None:
    prompt("hello")
    prompt("@dev go on", session="session-2")
    prompt("look around", session="session-2", agent_id="sub-7", agent_type="explore")
    assert len(ids(synapse("log").out)) == 3
    for given, count in (
        (("--session", "session-2"), 2),
        (("--session", "session-1"), 1),
        (("--session", "current"), 2),
        (("--client", "codex"), 0),
        (("--agent", "@dev"), 2),
        (("--agent", "sub-7"), 1),
        (("--since", "1h"), 3),
        (("--since", "2999-01-01"), 0),
        (("--rule", "agent_dev_rule_0"), 2),
        (("--rule", "AGENT_DEV"), 2),
        (("--rule", "AGENT_QA"), 0),
        (("-n", "1"), 1),
        (("-n", "0"), 3),
    ):
        out = synapse("log", *given).out
        assert len(re.findall(r"^(?:[0-9a-f]{8}|-) ", out, re.MULTILINE)) == count, (given, out)


def test_a_rule_says_whether_it_was_told_or_cut(
    synapse: Synapse, prompt: Prompt, team: Path
) -> None:
    rules = "".join(f"GLOBAL_RULE_{n}=Rule number {n} {'x' * 200}\n" for n in range(40))
    (team / ".synapse" / "global").write_text(rules, encoding="utf-8")
    prompt("hello")
    assert "\n  GLOBAL_RULE_39: cut\n" in synapse("log", "--rule", "GLOBAL_RULE_39").out
    assert "\n  GLOBAL_RULE_0: told\n" in synapse("log", "--rule", "GLOBAL_RULE_0").out
    assert re.search(r"\n  cut: GLOBAL_RULE_12–39 \(28\)\n", synapse("log").out)


def test_a_rule_that_is_gone_is_found_in_the_log(
    synapse: Synapse, prompt: Prompt, team: Path
) -> None:
    prompt("hello")
    (team / ".synapse" / "global").write_text("GLOBAL_RULE_7=Another\n", encoding="utf-8")
    assert "told" in synapse("log", "--rule", "GLOBAL_RULE_0").out
    assert "of that kind" in synapse("log", "--rule", "GLOBAL_RULE_7").out
    assert "remedy: Did you mean GLOBAL_RULE_7?" in synapse("log", "--rule", "GLOBAL_RULE_9").err


def test_json_lines_have_a_line_for_each_reply(synapse: Synapse, prompt: Prompt) -> None:
    prompt("hello")
    prompt("@dev go on")
    done = synapse("log", "--json")
    first, second = map(json.loads, done.out.splitlines())
    assert done.err == ""
    assert (first["why"], second["why"]) == ("nothing is in context", None)
    assert [d["label"] for d in second["domains"] if d["layer"] == "L2"] == ["AGENT_DEV"]
    told = {e["name"]: e["text"] for s in first["sections"] for e in s["entries"]}
    assert told["GLOBAL_RULE_0"] == "Write small functions"


@pytest.mark.parametrize(
    ("config", "text", "said"),
    [
        ("[log]\nblocks = false\n", "hello", "was not kept."),
        ("", "*synapse status", "it repeats words of a prompt, or a path that one named."),
    ],
)
def test_a_block_that_is_not_there_says_why(
    synapse: Synapse, prompt: Prompt, team: Path, config: str, text: str, said: str
) -> None:
    (team / ".synapse" / "config.toml").write_text(config, encoding="utf-8")
    prompt(text)
    done = synapse("log", "--block", "last")
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert "remedy:" in done.err


def test_a_block_whose_place_was_taken_says_so(
    synapse: Synapse, prompt: Prompt, team: Path
) -> None:
    prompt("hello")
    Path(injection_log.log_path(str(team), "blocks")).unlink()
    assert "newer ones took its place" in synapse("log", "--block", "last").err


@pytest.mark.parametrize(
    "arguments",
    [
        ("--since", "yesterdayish"),
        ("--session", "nobody"),
        ("-n", "-1"),
        ("--block", "last", "--follow"),
        ("--block", "zzz"),
        ("--client", "nope"),
        ("--rule", "NOPE"),
    ],
)
def test_what_cannot_be_asked_is_an_error_with_a_remedy(
    synapse: Synapse, prompt: Prompt, arguments: tuple[str, ...]
) -> None:
    prompt("hello")
    done = synapse("log", *arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: ")


def test_it_does_not_take_long_to_start(team: Path) -> None:
    code = (
        "import sys; from synapse_ls.cli.main import main; main(['log'])\n"
        "slow = {'ruamel.yaml', 'rich', 'asyncio', 'watchdog', 'synapse_ls.engine.rule_account'}\n"
        "sys.exit(sorted(slow & set(sys.modules)) or 0)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


class Running:
    """A command that goes on until it is ended; what it writes, line by line."""

    def __init__(self, root: Path, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "synapse_ls", *arguments],
            cwd=root,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def until(self, wanted: str) -> str:
        """What it writes up to the text that is waited for; fails where that does not come."""
        import select

        assert self.process.stdout is not None
        said, end, number = "", time.monotonic() + DEADLINE, self.process.stdout.fileno()
        while wanted not in said:
            ready = select.select([number], [], [], max(0.0, end - time.monotonic()))[0]
            assert ready, f"{wanted!r} did not come, only {said!r}"
            part = os.read(number, 65536)
            assert part, f"it has ended: {said!r}"
            said += part.decode()
        return said

    def interrupt(self) -> int:
        """Ctrl-C; the exit code."""
        import signal

        self.process.send_signal(signal.SIGINT)
        return self.process.wait(DEADLINE)


@pytest.fixture
def running(team: Path) -> Iterator[Callable[..., Running]]:
    begun: list[Running] = []

    def begin(*arguments: str) -> Running:
        begun.append(Running(team, *arguments))
        return begun[-1]

    yield begin
    for one in begun:
        one.process.kill()
        one.process.communicate()


@posix
def test_it_follows_what_is_told_from_now_on(
    running: Callable[..., Running], prompt: Prompt
) -> None:
    prompt("hello")
    log = running("log", "--follow")
    assert "AGENT_DEV" not in log.until("GUARDRAILS (always on)\n")
    prompt("@dev go on")
    assert "nothing stands" not in log.until("AGENT_DEV (agent @dev is active) · ")
    assert log.interrupt() == 0


@posix
def test_following_begins_before_there_is_a_log(
    running: Callable[..., Running], prompt: Prompt
) -> None:
    log = running("log", "--follow", "--json")
    assert log.process.stderr is not None
    assert b"from now on" in log.process.stderr.readline()
    prompt("hello")
    assert json.loads(log.until("\n"))["why"] == "nothing is in context"


@posix
def test_status_is_shown_again_when_a_session_or_the_tree_changes(
    running: Callable[..., Running], prompt: Prompt, team: Path
) -> None:
    prompt("hello")
    status = running("status", "--session", "session-1", "--watch")
    first = status.until("hook ")
    assert "agent     none" in first
    rules = int(re.findall(r"(\d+) rules;", first)[0])
    prompt("@dev go on")
    assert "\x1b" not in status.until("agent     @dev (from the session)")
    (team / ".synapse" / "global").write_text("GLOBAL_RULE_0=One\n", encoding="utf-8")
    status.until(f"{rules - 2} rules; ")
    assert status.interrupt() == 0
