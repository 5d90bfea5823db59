"""Windows: whose history holds what, and what makes it be forgotten."""

from __future__ import annotations

from pathlib import Path

import pytest

from synapse_ls.integrations import hook_event
from tests.hooks.hook_clients import Scripted, headings
from tests.trees import TEAM, write_tree

FULL = ["[CONSTITUTION] (NON-NEGOTIABLE)", "[GLOBAL]", "[CONTEXT BRACKET]"]
LIVE = {**TEAM, ".synapse/config.toml": 'profile = "synapse-live"\n'}


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scripted:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    return Scripted(write_tree(tmp_path / "tree", LIVE))


def is_full(text: str) -> bool:
    return headings(text)[:2] == FULL[:2] and "[LOADED DOMAINS SUMMARY]" in text


def compactions(client: Scripted) -> int:
    count: int = client.document()["context"].get("compactions", 0)
    return count


# Sub-agents


def test_a_sub_agent_begins_with_everything_and_the_rules_of_its_agent(client: Scripted) -> None:
    client.prompt("@dev go on")
    text = client.send(hook_event.SUBAGENT_START, subagent="sub-1", agent="qa")
    assert "[ACTIVE AGENT: @qa]" in text and is_full(text)


def test_an_agent_that_only_the_client_knows_gets_the_rules_of_the_session(
    client: Scripted,
) -> None:
    client.prompt("@dev go on")
    text = client.send(hook_event.SUBAGENT_START, subagent="sub-1", agent="general-purpose")
    assert "[ACTIVE AGENT: @dev]" in text


def test_a_sub_agent_changes_nothing_of_the_main_window(client: Scripted) -> None:
    client.prompt("@dev go on")
    before = client.document()
    client.send(hook_event.SUBAGENT_START, subagent="sub-1", agent="qa")
    client.prompt("@qa improve the coverage *brief", subagent="sub-1")
    client.tool("src/a.py", subagent="sub-1", figures={"used": 150_000, "window": 200_000})
    after = client.document()
    assert client.prompt() == ""
    for name in ("prompt_count", "active_agent", "context", "last_activity"):
        assert after[name] == before[name]
    assert after["windows"]["scripted"] == before["windows"]["scripted"]


def test_the_tools_of_a_sub_agent_find_its_rules_standing(client: Scripted) -> None:
    client.send(hook_event.SUBAGENT_START, subagent="sub-1", agent="qa")
    assert client.tool(subagent="sub-1") == ""


def test_a_sub_agent_nobody_announced_is_told_with_its_first_tool(client: Scripted) -> None:
    client.prompt("@dev go on")
    text = client.tool(subagent="sub-1", agent="qa")
    assert "[ACTIVE AGENT: @qa]" in text and is_full(text)


def test_a_sub_agent_gets_at_once_what_a_budget_would_leave_for_later(client: Scripted) -> None:
    (client.root / ".synapse" / "config.toml").write_text('profile = "synapse"\n')
    rules = "".join(f"GLOBAL_RULE_{i}=Rule {i} {'x' * 90}\n" for i in range(60))
    (client.root / ".synapse" / "global").write_text(rules)
    assert "more follow: GLOBAL_RULE" in client.prompt()
    assert "Rule 59 " in client.send(hook_event.SUBAGENT_START, subagent="sub-1")


def test_but_no_more_than_the_client_passes_on(client: Scripted) -> None:
    rules = "".join(f"GLOBAL_RULE_{i}=Rule {i} {'x' * 90}\n" for i in range(60))
    (client.root / ".synapse" / "global").write_text(rules)
    client.reply_limit = 3_000
    text = client.send(hook_event.SUBAGENT_START, subagent="sub-1")
    assert 2_500 < len(text) <= 3_000 and "more: GLOBAL_RULE" in text


def test_two_sub_agents_of_one_kind_that_have_no_ids_are_both_told(client: Scripted) -> None:
    texts = [
        client.send(hook_event.SUBAGENT_START, subagent="qa", agent="qa", later=0.1)
        for _ in range(2)
    ]
    assert all(is_full(text) for text in texts)


def test_the_compaction_of_a_sub_agent_is_its_own(client: Scripted) -> None:
    client.prompt()
    client.send(hook_event.SUBAGENT_START, subagent="sub-1", agent="qa")
    client.send(hook_event.COMPACTING, subagent="sub-1")
    assert client.prompt() == ""
    assert compactions(client) == 0
    assert is_full(client.tool(subagent="sub-1"))


def test_records_of_sub_agents_are_limited(client: Scripted) -> None:
    client.prompt()
    for number in range(40):
        client.send(hook_event.SUBAGENT_START, subagent=f"sub-{number}")
    names = list(client.document()["windows"])
    assert len(names) <= 24 and "scripted" in names
    assert client.prompt() == ""


# Session starts


@pytest.mark.parametrize("source", ["startup", "new", "clear", "fork", ""])
def test_a_window_that_begins_anew_is_told_with_its_next_prompt(
    client: Scripted, source: str
) -> None:
    client.prompt()
    assert client.send(hook_event.SESSION_START, source=source) == ""
    assert is_full(client.prompt())
    assert compactions(client) == 0


def test_a_resumed_window_keeps_what_it_holds(client: Scripted) -> None:
    client.prompt()
    assert client.send(hook_event.SESSION_START, source="resume") == ""
    assert client.prompt() == ""


def test_what_was_known_of_a_cleared_window_says_nothing_of_the_new_one(client: Scripted) -> None:
    client.send(hook_event.PROMPT, prompt="hi", figures={"used": 190_000, "window": 200_000})
    assert client.document()["context"]["last_bracket"] == "CRITICAL"
    client.send(hook_event.SESSION_START, source="clear")
    assert "[FRESH]" in client.prompt()


def test_a_session_that_only_began_leaves_no_file(client: Scripted) -> None:
    client.send(hook_event.SESSION_START, source="startup")
    client.send(hook_event.STOP, figures={"used": 10, "window": 100})
    client.send(hook_event.SESSION_END)
    assert not (client.root / ".synapse" / "sessions" / "session-1.json").exists()


def test_an_ended_session_is_marked_and_loses_nothing(client: Scripted) -> None:
    client.prompt("@dev go on")
    before = client.document()
    client.send(hook_event.SESSION_END)
    after = client.document()
    assert after.pop("ended").startswith("2027-01-15T")
    assert after.pop("checksum") != before.pop("checksum")
    assert after == before
    client.send(hook_event.SESSION_START, source="resume")
    assert "ended" not in client.document()
    assert client.prompt() == ""


# Compactions

Told = tuple[str, dict[str, str]]
BEFORE: Told = (hook_event.COMPACTING, {})
AFTER: Told = (hook_event.COMPACTED, {})
START: Told = (hook_event.SESSION_START, {"source": "compact"})


@pytest.mark.parametrize(
    "told",
    [
        [BEFORE],
        [AFTER],
        [START],
        [BEFORE, AFTER],
        [BEFORE, START],
        [BEFORE, START, AFTER],
        [BEFORE, AFTER, START],
        [BEFORE, BEFORE, AFTER, AFTER, START, START],
    ],
    ids=lambda told: "-".join(kind for kind, _ in told),
)
def test_a_compaction_is_counted_once_and_the_block_told_once(
    client: Scripted, told: list[tuple[str, dict[str, str]]]
) -> None:
    client.figures = {"used": 160_000, "window": 200_000}
    client.prompt()
    client.figures = None
    texts = [client.send(kind, later=1, **fields) for kind, fields in told]
    client.figures = {"used": 20_000, "window": 200_000}
    texts += [client.tool(), client.prompt(), client.prompt()]
    assert [is_full(text) for text in texts if text] == [True]
    assert compactions(client) == 1


@pytest.mark.parametrize("told", [AFTER, START], ids=lambda told: told[0])
def test_what_a_client_says_of_the_window_before_brings_the_block_once(
    client: Scripted, told: tuple[str, dict[str, str]]
) -> None:
    client.takes.add(hook_event.COMPACTED)
    client.prompt(figures={"used": 10_000, "window": 200_000})
    client.figures = {"used": 160_000, "window": 200_000}  # a long turn, and then the compaction
    kind, fields = told
    assert is_full(client.send(kind, later=1, **fields))
    assert client.prompt(figures={"used": 30_000, "window": 200_000}) == ""
    assert compactions(client) == 1


def test_a_compaction_that_nobody_tells_of_is_seen(client: Scripted) -> None:
    client.figures = {"used": 160_000, "window": 200_000}
    client.prompt()
    client.figures = {"used": 70_000, "window": 200_000}
    assert is_full(client.prompt())
    assert compactions(client) == 1
    assert client.prompt() == ""


def test_a_compaction_in_a_long_turn_is_seen_by_a_tool(client: Scripted) -> None:
    client.prompt(figures={"used": 160_000, "window": 200_000})
    text = client.tool(figures={"used": 40_000, "window": 200_000})
    assert is_full(text)
    assert client.tool(figures={"used": 41_000, "window": 200_000}) == ""
    assert compactions(client) == 1


def test_two_compactions_are_two(client: Scripted) -> None:
    client.prompt()
    for _ in range(2):
        client.send(hook_event.COMPACTING)
        client.send(hook_event.SESSION_START, source="compact")
        client.prompt()
    assert compactions(client) == 2


@pytest.mark.parametrize("how", ["shorter", "replaced"])
def test_a_transcript_that_lost_something_is_a_compaction(client: Scripted, how: str) -> None:
    transcript = client.root / "transcript.jsonl"
    transcript.write_text("{}\n" * 100)
    client.prompt(transcript=str(transcript))
    if how == "shorter":
        transcript.write_text("{}\n")
    else:
        transcript = transcript.rename(client.root / "other.jsonl")
    assert is_full(client.prompt(transcript=str(transcript)))
    assert compactions(client) == 1
    assert client.prompt(transcript=str(transcript)) == ""


def test_a_transcript_that_moves_to_another_folder_is_the_same(client: Scripted) -> None:
    transcript = client.root / "transcript.jsonl"
    transcript.write_text("{}\n" * 100)
    client.prompt(transcript=str(transcript))
    (client.root / "elsewhere").mkdir()
    transcript = transcript.rename(client.root / "elsewhere" / transcript.name)
    assert client.prompt(transcript=str(transcript)) == ""


def test_a_rewound_window_is_told_again_and_nothing_is_counted(client: Scripted) -> None:
    client.figures = {"used": 60_000, "window": 200_000}
    client.prompt()
    client.figures = {"used": 50_000, "window": 200_000}
    assert is_full(client.prompt())
    assert compactions(client) == 0


def test_what_may_still_stand_after_a_rewind_is_taken_back(client: Scripted) -> None:
    client.figures = {"used": 60_000, "window": 200_000}
    client.prompt("@dev go on")
    client.figures = {"used": 50_000, "window": 200_000}
    text = client.prompt("@qa go on")
    assert "@dev's rules no longer apply" in text and "[ACTIVE AGENT: @qa]" in text


def test_the_block_after_a_compaction_has_the_matches_of_the_last_prompt(client: Scripted) -> None:
    client.prompt("improve the coverage *brief")
    client.send(hook_event.COMPACTING)
    text = client.send(hook_event.SESSION_START, source="compact")
    assert "[KEYWORD MATCHES]" in text and "[STAR-COMMANDS]" in text


def test_commands_of_a_turn_that_has_ended_are_not_told_again(client: Scripted) -> None:
    client.prompt("improve the coverage *brief")
    client.send(hook_event.STOP)
    client.send(hook_event.COMPACTING)
    text = client.send(hook_event.SESSION_START, source="compact")
    assert "[KEYWORD MATCHES]" in text and "[STAR-COMMANDS]" not in text


def test_where_a_start_takes_no_context_the_next_tool_brings_the_block(client: Scripted) -> None:
    client.prompt()
    client.takes -= {hook_event.SESSION_START}
    client.send(hook_event.COMPACTING)
    assert client.send(hook_event.SESSION_START, source="compact") == ""
    assert is_full(client.tool())
    assert client.prompt() == ""


def test_prompts_are_estimated_from_the_compaction_on(client: Scripted) -> None:
    for _ in range(60):
        client.prompt()
    assert client.document()["context"]["last_bracket"] == "MODERATE"
    client.send(hook_event.SESSION_START, source="compact")
    assert client.document()["context"]["last_bracket"] == "FRESH"


# Figures


def test_figures_of_the_end_of_a_turn_count_for_the_next_prompt(client: Scripted) -> None:
    client.prompt()
    client.send(hook_event.STOP, figures={"used": 130_000, "window": 200_000})
    assert "[DEPLETED]" in client.prompt()


def test_a_percentage_of_the_end_of_a_turn_counts_too(client: Scripted) -> None:
    client.prompt()
    client.send(hook_event.STOP, figures={"reported": 12.5})
    assert "[CRITICAL]" in client.prompt()


def test_figures_say_nothing_after_a_compaction(client: Scripted) -> None:
    client.prompt()
    client.send(hook_event.STOP, figures={"used": 190_000, "window": 200_000})
    client.send(hook_event.COMPACTING, figures={"used": 190_000, "window": 200_000})
    client.send(hook_event.SESSION_START, source="compact")
    assert client.document()["context"]["last_bracket"] == "FRESH"


def test_nor_do_the_same_figures_when_the_client_repeats_them(client: Scripted) -> None:
    client.figures = {"used": 190_000, "window": 200_000}
    client.prompt()
    client.send(hook_event.COMPACTING)
    assert "[FRESH]" in client.prompt()
    client.figures = {"used": 30_000, "window": 200_000}
    assert client.prompt() == ""
    assert compactions(client) == 1
