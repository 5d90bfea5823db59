"""Prompts that a person takes back in Claude Code: the model is sent every rule that applies, once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from synapse_ls.storage import injection_log
from synapse_ls.storage.session_store import format_timestamp
from tests.forked_programs import run_program
from tests.hooks import claude_transcripts
from tests.hooks.claude_transcripts import Session
from tests.trees import TEAM, write_tree

LIVE = {**TEAM, ".synapse/config.toml": 'profile = "synapse-live"\n'}
DEV, QA = "[ACTIVE AGENT: @dev]", "[ACTIVE AGENT: @qa]"
WITHDRAWN = "@dev's rules no longer apply"
GLOBAL = "Write small functions"


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Session:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    terminal = Session(write_tree(tmp_path / "team", LIVE), "session-1")
    terminal.start()
    return terminal


def ask(session: Session, *words: str) -> str:
    """What a command says of the session, between two events."""
    done = run_program("synapse", *words, cwd=session.root)
    return done.stdout.decode()


def outcomes(session: Session) -> list[str]:
    """What the log says of each reply that had something to say, the first one first."""
    replies = [r for r in injection_log.read_replies(str(session.root)) if r["tokens"]]
    return [
        "cancelled"
        if r["cancelled"]
        else {True: "arrived", False: "missing", None: ""}[r["arrived"]]
        for r in reversed(replies)
    ]


def test_a_first_prompt_that_is_cancelled_leaves_no_rule_behind(session: Session) -> None:
    session.types("@dev add a helpr")
    session.takes_back("@dev add a helpr")
    assert session.window == ""
    session.ask("@dev add a helper")
    assert session.window.count(DEV) == session.window.count(GLOBAL) == 1
    for _ in range(3):
        assert session.ask("go on") == ""
    assert outcomes(session) == ["cancelled", "arrived"]


def test_every_prompt_may_be_cancelled_until_one_is_not(session: Session) -> None:
    for word in ("add", "write", "make"):
        session.types(f"@dev {word} a helper")
        session.takes_back(f"@dev {word} a helper")
    session.ask("@dev build a helper")
    assert session.window.count(GLOBAL) == 1
    session.ask("go on")
    assert outcomes(session) == ["cancelled", "cancelled", "cancelled", "arrived"]


def test_an_agent_that_was_called_in_vain_comes_with_the_next_prompt(session: Session) -> None:
    session.ask("@dev begin")
    session.types("@qa look")
    session.takes_back("@qa look")
    session.ask("@qa look at it")
    assert session.window.count(QA) == session.window.count(WITHDRAWN) == 1
    assert session.ask("go on") == ""
    assert outcomes(session) == ["arrived", "cancelled", "arrived"]


def test_who_calls_back_the_agent_of_before_is_told_its_rules(session: Session) -> None:
    session.ask("@dev begin")
    session.types("@qa look")
    session.takes_back("@qa look")
    session.ask("@dev go on")
    assert QA not in session.window
    assert session.window.rindex(DEV) > session.window.find(WITHDRAWN)


def test_a_prompt_that_waits_is_not_cancelled(session: Session) -> None:
    session.ask("begin")
    session.types("@dev do a long work")
    session.types("and this")
    session.answer("Both are done.")
    session.ask("go on")
    assert DEV in session.window
    assert "cancelled" not in outcomes(session)


def test_what_a_rewind_takes_back_is_injected_with_the_first_tool(session: Session) -> None:
    session.ask("@dev begin")
    session.ask("@qa look")
    session.ask("more")
    session.takes_back("@qa look")
    assert session.types("test it") == ""  # nothing shows the rewind yet
    assert QA not in session.window
    session.runs("ls", prompt="test it")
    assert session.window.count(QA) == session.window.count(WITHDRAWN) == 1
    assert session.runs("ls", prompt="test it") == ""
    session.answer("Done.")
    assert session.ask("go on") == ""


def test_what_a_rewind_takes_back_is_injected_with_the_next_prompt(session: Session) -> None:
    session.ask("@dev begin")
    session.ask("@qa look")
    session.takes_back("@qa look")
    session.ask("go on")
    session.ask("and on")
    assert session.window.count(QA) == session.window.count(WITHDRAWN) == 1
    assert session.window.count(GLOBAL) == 1


def test_a_rewind_to_the_beginning_brings_everything_again(session: Session) -> None:
    session.ask("@dev begin")
    session.ask("more")
    session.takes_back("@dev begin")
    session.ask("start anew")
    session.ask("go on")
    assert session.window.count(DEV) == session.window.count(GLOBAL) == 1


def test_a_rewind_over_more_replies_than_are_known_loses_no_rule(session: Session) -> None:
    session.ask("begin")
    agents = ("@dev", "@qa") * 15
    for number, agent in enumerate(agents):
        session.ask(f"{agent} {number}")
    session.takes_back("@dev 2")
    session.ask("@dev go on")
    session.ask("and on")
    held = session.window
    assert held.rindex(DEV) > held.rfind(WITHDRAWN)
    assert held.rindex("@qa's rules no longer apply") > held.rindex(QA)
    assert GLOBAL in held


def test_what_is_on_another_branch_is_not_taken_for_usage_that_has_fallen(
    session: Session,
) -> None:
    session.ask("@dev begin")
    for number in range(3):
        session.ask(f"more {number}")
    session.takes_back("more 1")
    session.used = 13_000
    session.ask("another way")
    assert session.ask("go on") == ""


def test_what_came_with_a_compaction_is_not_injected_again(session: Session) -> None:
    session.ask("@dev begin")
    assert GLOBAL in session.compacts()
    assert session.ask("go on") == ""
    assert session.window.count(GLOBAL) == session.window.count(DEV) == 1


def test_a_summary_may_be_dated_after_what_followed_it(session: Session) -> None:
    session.ask("@dev begin")
    session.compacts()
    *before, summary, after = session.transcript.read_text().rpartition('"compact_boundary"')
    time, now = after.partition('"timestamp":"')[2][:24], format_timestamp(1e9 + 1e9)
    session.transcript.write_text("".join((*before, summary, after.replace(time, now, 1))))
    assert session.ask("go on") == ""
    assert compactions(session) == 1


def test_what_the_last_tool_was_told_is_revoked_with_the_compaction_that_may_keep_it(
    session: Session,
) -> None:
    rules = session.root / ".synapse" / "global"
    session.types("@dev begin")
    rules.write_text(rules.read_text().replace(GLOBAL, "Write tiny functions"))
    assert "Write tiny functions" in session.runs("ls", prompt="@dev begin")
    rules.write_text(rules.read_text().replace("Write tiny functions", "Write short functions"))
    text = session.compacts()
    assert "GLOBAL: what was given before is replaced by what follows" in text
    assert text.count("Write short functions") == 1


def test_a_prompt_after_a_compaction_can_be_cancelled(session: Session) -> None:
    session.ask("@dev begin")
    session.compacts()
    session.types("@qa look")
    session.takes_back("@qa look")
    session.ask("@qa look at it")
    assert session.ask("go on") == ""
    assert session.window.count(GLOBAL) == session.window.count(QA) == 1


def test_why_says_what_stands_where_nobody_knows_yet_whether_a_prompt_was_cancelled(
    session: Session,
) -> None:
    session.types("@dev add a helpr")
    session.takes_back("@dev add a helpr")
    question = "why", "GLOBAL_RULE_0", "--session", session.name
    assert "it was injected" not in ask(session, *question)
    session.ask("@dev add a helper")
    assert "it was injected with prompt 2" in ask(session, *question)


def test_why_says_what_stands_after_a_cancelled_prompt(session: Session) -> None:
    session.ask("@dev begin")
    session.types("@qa look")
    session.takes_back("@qa look")
    session.ask("@dev go on")
    session.ask("and on")
    window = session.document()["windows"]["claude"]
    assert QA not in window["stands"] and DEV in window["stands"]
    assert json.dumps(window["deliveries"]).count('"arrived": true') == len(window["deliveries"])


def test_a_reply_that_is_missing_is_said_to_be_so_once(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claude_transcripts, "INJECTED", ())
    for number in range(8):
        session.ask(f"go on {number}")
    lines = Path(injection_log.log_path(str(session.root))).read_text().splitlines()
    said = [json.loads(line) for line in lines if '"arrived":' in line]
    replies = [(one["hash"], one["since"]) for one in said]
    assert outcomes(session) == ["missing", "missing"]
    assert len(replies) == len(set(replies)) == 2


def test_what_was_cancelled_before_the_client_was_left_stands_when_it_is_resumed(
    session: Session,
) -> None:
    session.types("@dev add a helpr")
    session.start("resume")  # the client reads its file, where nothing says that it was cancelled
    session.ask("@dev add a helper")
    session.ask("go on")
    assert session.window.count(DEV) == session.window.count(GLOBAL) == 1
    assert outcomes(session) == ["arrived"]


def test_a_turn_of_which_the_client_wrote_nothing_before_it_was_ended_comes_again(
    session: Session,
) -> None:
    session.ask("@dev begin")
    rules = session.root / ".synapse" / "global"
    rules.write_text(rules.read_text().replace(GLOBAL, "Write long functions"))
    written = session.transcript.read_text()
    session.types("go on")
    session.transcript.write_text(written)
    session.takes_back("go on")
    session.start("resume")
    session.ask("go on then")
    assert session.window.count("Write long functions") == 1
    assert session.window.rindex(f"no longer applies: 1. “{GLOBAL}”") > 0


def test_a_rewind_after_a_compaction_repeats_nothing(session: Session) -> None:
    session.ask("@dev begin")
    session.compacts()
    session.ask("more")
    session.takes_back("more")
    session.types("test it")
    assert session.runs("ls", prompt="test it") == ""
    session.answer("Done.")
    assert session.ask("go on") == ""
    assert session.window.count(DEV) == session.window.count(GLOBAL) == 1
    assert compactions(session) == 1


def test_a_rewind_to_before_a_compaction_brings_back_what_stood_then(session: Session) -> None:
    session.ask("@dev begin")
    session.ask("@qa look")
    session.ask("more")
    session.compacts()
    session.ask("@dev go on")
    session.takes_back("more")
    session.types("@dev test it")
    assert session.window.count(GLOBAL) == 1
    assert "@qa's rules no longer apply" not in session.window  # nothing shows the rewind yet
    session.runs("ls", prompt="@dev test it")
    assert session.window.rindex(DEV) > session.window.index("@qa's rules no longer apply")
    session.answer("Done.")
    assert session.ask("go on") == ""
    assert session.window.count(GLOBAL) == 1


def test_a_rewind_to_before_the_second_compaction_stays_behind_the_first(session: Session) -> None:
    session.ask("@dev begin")
    session.compacts()
    session.ask("@qa look")
    session.ask("more")
    session.compacts()
    session.ask("and more")
    session.takes_back("more")
    session.ask("test it")
    session.ask("go on")
    assert session.window.count(GLOBAL) == session.window.count(DEV) == 1
    assert session.window.count(QA) == session.window.count(WITHDRAWN) == 1


def forked(session: Session, prompt: str) -> Session:
    """A fork with a first prompt, which shows what it was forked from after that."""
    fork = Session(session.root, "session-2")
    fork.records, fork.newest = dict(session.records), session.newest
    fork.start("fork")
    fork.types(prompt)  # the client has written nothing of the fork yet
    copied = [
        {**r, "sessionId": fork.name, "requestSessionId": session.name}
        for r in session.records.values()
    ]
    lines = [json.dumps(record, separators=(",", ":")) for record in copied]
    fork.transcript.write_text("\n".join((*lines, fork.transcript.read_text())))
    return fork


def test_a_rule_that_was_deleted_before_the_first_prompt_of_a_fork_is_revoked(
    session: Session,
) -> None:
    session.ask("begin")
    rules = session.root / ".synapse/global"
    rules.write_text(
        "".join(line for line in rules.read_text().splitlines(True) if GLOBAL not in line)
    )
    fork = forked(session, "look")
    assert GLOBAL in fork.runs("ls", prompt="look")
    assert "no longer applies" in fork.window
    fork.answer("Done.")
    assert fork.ask("go on") == ""


@pytest.mark.parametrize("called", ["@qa ", ""])
def test_what_a_fork_has_from_another_agent_is_revoked_once_its_transcript_shows_it(
    called: str, session: Session
) -> None:
    session.ask("@dev begin")
    fork = forked(session, f"{called}look")
    assert bool(fork.runs("ls", prompt=f"{called}look")) == bool(called)
    assert fork.window.count(WITHDRAWN) == fork.window.count(QA) == bool(called)
    fork.answer("Done.")
    assert fork.ask("go on") == ""


def test_a_fork_has_its_agent_also_after_a_compaction(session: Session) -> None:
    session.ask("@dev begin")
    fork = forked(session, "look")
    fork.answer("Done.")
    assert DEV in fork.compacts()
    assert fork.ask("go on") == ""


def test_who_calls_another_agent_in_a_fork_has_the_first_one_s_rules_revoked(
    session: Session,
) -> None:
    session.ask("@dev begin")
    fork = forked(session, "look")
    fork.answer("Done.")
    fork.ask("@qa test it")
    assert fork.window.count(QA) == fork.window.count(WITHDRAWN) == 1
    assert fork.ask("go on") == ""


def test_a_fork_keeps_no_agent_that_was_called_elsewhere_since(session: Session) -> None:
    session.ask("@dev begin")
    fork = forked(session, "look")
    fork.answer("Done.")
    session.ask("@qa look")
    assert fork.ask("go on") == ""
    assert QA not in fork.compacts()


def test_figures_that_fall_say_nothing_where_the_messages_are_known(session: Session) -> None:
    session.ask("@dev begin")
    session.ask("go on")
    session.used = 1_000
    session.answer("Done.")
    assert session.ask("and on") == ""


@pytest.mark.parametrize(
    "record",
    [
        {
            "type": "system",
            "subtype": "local_command",
            "content": "<command-name>/model</command-name>",
        },
        {"type": "user", "isMeta": True, "message": {"role": "user", "content": "Caveat: …"}},
    ],
    ids=["system", "meta"],
)
def test_a_command_of_the_client_may_come_before_the_next_prompt(
    record: dict[str, object], session: Session
) -> None:
    session.types("@dev add a helpr")
    session.takes_back("@dev add a helpr")
    session.write(**record)
    session.ask("@dev add a helper")
    assert session.window.count(GLOBAL) == session.window.count(DEV) == 1
    session.ask("go on")
    assert outcomes(session) == ["cancelled", "arrived"]


def test_a_rule_that_was_edited_is_revoked_after_two_cancelled_prompts(session: Session) -> None:
    session.ask("begin")
    rules = session.root / ".synapse" / "global"
    rules.write_text(rules.read_text().replace(GLOBAL, "Write long functions"))
    for word in ("one", "two"):
        session.types(word)
        session.takes_back(word)
    session.ask("three")
    assert session.window.rindex(f"no longer applies: 1. “{GLOBAL}”") > 0
    assert session.window.count("Write long functions") == 1


def test_a_turn_that_is_in_no_transcript_has_two_tool_events_that_bring_what_is_left_over(
    session: Session,
) -> None:
    rules = session.root / ".synapse" / "global"
    more = "".join(f"GLOBAL_RULE_{n}=Rule {n}: {'say what it does ' * 6}\n" for n in range(300))
    rules.write_text(more)
    session.event("UserPromptSubmit", prompt="begin", prompt_id="begin")
    used = {"tool_name": "Read", "tool_input": {}, "tool_response": {}, "prompt_id": "elsewhere"}
    replies = [bool(session.event("PostToolUse", **used)) for _ in range(6)]
    assert replies == [True, True, False, False, False, False]


def compactions(session: Session) -> int:
    count: int = session.document()["context"].get("compactions", 0)
    return count


def test_a_compaction_that_is_cancelled_takes_nothing_away(session: Session) -> None:
    session.ask("@dev begin")
    session.event("PreCompact", trigger="manual", custom_instructions="")
    rules = session.root / ".synapse" / "global"
    rules.write_text(rules.read_text().replace(GLOBAL, "Write long functions"))
    session.ask("go on")
    assert session.window.count(DEV) == 1
    assert f"no longer applies: 1. “{GLOBAL}”" in session.window
    assert compactions(session) == 0


def test_a_compaction_of_which_only_the_transcript_tells_is_one(session: Session) -> None:
    session.ask("@dev begin")
    session.ask("go on")
    session.newest = None
    session.write(type="system", subtype="compact_boundary")
    session.write(type="user", isCompactSummary=True, message={"role": "user", "content": "Short."})
    session.ask("and on")
    assert session.window.count(DEV) == session.window.count(GLOBAL) == 1
    assert compactions(session) == 1


def test_a_compaction_that_is_announced_and_carried_out_counts_once(session: Session) -> None:
    session.ask("@dev begin")
    session.compacts()
    session.ask("go on")
    assert compactions(session) == 1
