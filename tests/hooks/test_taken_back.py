"""What a person takes back in Codex, Gemini CLI and OpenCode: the model is sent every rule that applies,
once, and the log says what became of each reply.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from synapse_ls.integrations.gemini import transcript
from synapse_ls.storage import injection_log
from tests.hooks.linear_clients import Codex, Gemini, LinearClient, OpenCode
from tests.trees import TEAM, write_tree

LIVE = {**TEAM, ".synapse/config.toml": 'profile = "synapse-live"\n'}
DEV, QA = "[ACTIVE AGENT: @dev]", "[ACTIVE AGENT: @qa]"
WITHDRAWN = "@dev's rules no longer apply"
GLOBAL = "Write small functions"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    return write_tree(tmp_path / "team", LIVE)


@pytest.fixture
def gemini(root: Path, tmp_path: Path) -> Gemini:
    return Gemini(root, tmp_path / "gemini")


@pytest.fixture
def codex(root: Path, tmp_path: Path) -> Codex:
    thread = Codex(root, tmp_path / "codex")
    thread.start()
    return thread


@pytest.fixture(params=["codex", "gemini"])
def client(request: pytest.FixtureRequest) -> LinearClient:
    linear: LinearClient = request.getfixturevalue(request.param)
    return linear


def outcomes(client: LinearClient) -> list[str]:
    """What the log says of each reply that had something to say, the first one first."""
    replies = [r for r in injection_log.read_replies(str(client.root)) if r["tokens"]]
    return [
        "cancelled"
        if r["cancelled"]
        else {True: "arrived", False: "missing", None: ""}[r["arrived"]]
        for r in reversed(replies)
    ]


def test_a_first_prompt_that_is_taken_back_leaves_no_rule_behind(client: LinearClient) -> None:
    client.types("@dev add a helpr")
    client.takes_back("@dev add a helpr")
    assert client.window == ""
    client.ask("@dev add a helper")
    assert client.window.count(DEV) == client.window.count(GLOBAL) == 1
    assert [client.ask(f"go on {n}") for n in range(3)] == ["", "", ""]
    assert outcomes(client) == ["cancelled", "arrived"]


def test_a_switch_of_agents_that_is_taken_back_withdraws_nothing_false(
    client: LinearClient,
) -> None:
    client.ask("@dev begin")
    client.types("@qa look")
    client.takes_back("@qa look")
    client.ask("@qa look at it")
    assert client.window.count(QA) == client.window.count(WITHDRAWN) == 1
    assert client.ask("go on") == ""
    assert client.window.count(GLOBAL) == 1
    assert outcomes(client) == ["arrived", "cancelled", "arrived"]


def test_a_rewind_over_several_prompts_brings_what_they_had_brought(client: LinearClient) -> None:
    client.ask("@dev begin")
    client.ask("@qa look")
    client.ask("more")
    client.takes_back("@qa look")
    client.ask("test it")
    assert client.window.count(QA) == client.window.count(WITHDRAWN) == 1
    client.takes_back("@dev begin")
    client.ask("@dev again")
    assert client.window.count(DEV) == client.window.count(GLOBAL) == 1
    assert QA not in client.window
    assert WITHDRAWN not in client.window
    assert client.ask("go on") == ""


def test_what_a_stopped_turn_of_gemini_has_brought_with_a_tool_goes_with_it(gemini: Gemini) -> None:
    gemini.ask("@dev begin")
    gemini.types("go on")
    (gemini.root / ".synapse/global").write_text("GLOBAL_RULE_0=Write tiny functions\n")
    assert "Write tiny functions" in gemini.tool()
    gemini.takes_back("go on")
    assert "Write tiny functions" in gemini.ask("go on then")
    assert outcomes(gemini) == ["arrived", "cancelled", ""]


def test_a_turn_of_codex_that_is_stopped_stays(codex: Codex) -> None:
    codex.types("@dev begin")
    codex.add(codex.message("user", "<turn_aborted>\nThe user interrupted the previous turn."))
    assert codex.ask("go on") == ""
    assert outcomes(codex) == ["arrived"]


def test_a_reply_that_did_not_come_into_the_conversation_is_repeated(codex: Codex) -> None:
    codex.send("UserPromptSubmit", prompt="@dev begin", turn_id="1")
    codex.add(codex.message("user", "@dev begin"))
    codex.answer()
    assert DEV in codex.ask("go on")
    assert codex.ask("go on") == ""
    assert outcomes(codex) == ["missing", "arrived"]


def test_a_transcript_that_never_shows_a_reply_is_believed_once(codex: Codex) -> None:
    told = []
    for number in range(6):
        told.append(codex.send("UserPromptSubmit", prompt=f"go {number}", turn_id=f"{number}"))
        codex.add(codex.message("user", f"go {number}"))
        codex.answer()
    assert [GLOBAL in text for text in told] == [True, True, False, False, False, False]


def test_a_fork_goes_on_with_what_stands_in_it(codex: Codex) -> None:
    codex.ask("@dev begin")
    codex.fork("two")
    assert codex.ask("go on") == ""
    codex.ask("@qa look")
    assert codex.window.count(QA) == codex.window.count(WITHDRAWN) == 1


def test_a_fork_of_a_rewound_session_has_what_it_lacks(codex: Codex) -> None:
    codex.ask("@dev begin")
    codex.ask("@qa look")
    codex.takes_back("@qa look")
    codex.fork("two")
    codex.ask("go on")
    assert codex.window.count(QA) == codex.window.count(WITHDRAWN) == 1
    assert codex.window.count(GLOBAL) == 1


@pytest.fixture(params=["codex", "opencode"])
def compacting(request: pytest.FixtureRequest, root: Path, tmp_path: Path) -> Codex | OpenCode:
    """A client in which a person can go back to before a compaction."""
    if request.param == "opencode":
        return OpenCode(root, tmp_path / "opencode")
    thread: Codex = request.getfixturevalue("codex")
    return thread


def test_a_rewind_to_before_a_compaction_repeats_nothing(compacting: Codex | OpenCode) -> None:
    compacting.ask("@dev begin")
    compacting.ask("more")
    compacting.compact()
    compacting.ask("@qa look")
    compacting.takes_back("more")
    compacting.ask("go on")
    window = compacting.window
    assert window.count(GLOBAL) == window.count(QA) == window.count(WITHDRAWN) == 1
    assert compacting.ask("go on") == ""


def test_what_was_edited_after_a_compaction_is_revoked_before_it(
    compacting: Codex | OpenCode,
) -> None:
    compacting.ask("@dev begin")
    compacting.ask("more")
    compacting.compact()
    (compacting.root / ".synapse/global").write_text("GLOBAL_RULE_0=Write tiny functions\n")
    compacting.ask("go on")
    compacting.takes_back("more")
    compacting.ask("go on")
    assert compacting.window.count("Write tiny functions") == compacting.window.count(DEV) == 1
    assert f"no longer applies: 1. “{GLOBAL}" in compacting.window


def test_a_rewind_to_before_the_second_compaction_stays_behind_the_first(
    compacting: Codex | OpenCode,
) -> None:
    compacting.ask("@dev begin")
    compacting.compact()
    compacting.ask("@qa look")
    compacting.ask("more")
    compacting.compact()
    compacting.takes_back("more")
    compacting.ask("go on")
    window = compacting.window
    assert window.count(GLOBAL) == window.count(QA) == 1


def test_a_plugin_that_says_nothing_of_summaries_gives_no_compaction_back(
    root: Path, tmp_path: Path
) -> None:
    client = OpenCode(root, tmp_path / "opencode")
    client.ask("@dev begin")
    client.compact()
    assert GLOBAL in client.types("go on", conversation=[])


def test_a_rewind_within_what_follows_a_compaction_of_gemini_repeats_nothing(
    gemini: Gemini,
) -> None:
    gemini.ask("@dev begin")
    gemini.compress("summary")
    gemini.ask("go on")
    gemini.ask("more")
    gemini.takes_back("more")
    assert gemini.ask("go on then") == ""
    assert gemini.window.count(GLOBAL) == 1


def test_a_turn_that_was_stopped_before_gemini_ended_comes_again_with_its_rules(
    gemini: Gemini,
) -> None:
    gemini.ask("@dev begin")
    gemini.types("@qa look")
    gemini.takes_back("@qa look")
    gemini.resume()
    gemini.ask("@qa look at it")
    assert gemini.window.count(QA) == gemini.window.count(WITHDRAWN) == 1
    assert gemini.window.count(GLOBAL) == 1


def test_a_prompt_with_which_gemini_reads_the_session_that_it_resumes_repeats_nothing(
    gemini: Gemini,
) -> None:
    gemini.ask("@dev begin")
    gemini.resume_with_prompt()
    assert gemini.ask("go on") == ""
    assert gemini.ask("more") == ""


@pytest.mark.parametrize(
    "resume", [Gemini.resume_too_late, Gemini.resume_too_late_within_the_minute]
)
def test_a_prompt_before_gemini_has_read_the_session_that_it_resumes_brings_all_again(
    gemini: Gemini, resume: Callable[[Gemini], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcript, "LONGEST_WAIT", 0)
    gemini.ask("@dev begin")
    resume(gemini)
    gemini.ask("go on")
    assert gemini.window.count(DEV) == gemini.window.count(GLOBAL) == 1


def test_a_turn_that_was_stopped_comes_again_where_gemini_resumes_within_the_minute(
    gemini: Gemini,
) -> None:
    gemini.ask("@dev begin")
    gemini.ask("go on")
    gemini.types("@qa look")
    gemini.takes_back("@qa look")
    gemini.resume_within_the_minute()
    gemini.ask("@qa look at it")
    assert gemini.window.count(QA) == gemini.window.count(WITHDRAWN) == 1
    assert gemini.window.count(GLOBAL) == 1


def test_what_no_longer_holds_is_revoked_though_gemini_has_removed_its_file(
    gemini: Gemini,
) -> None:
    gemini.ask("@dev begin")
    gemini.transcript.unlink()
    gemini.ask("@qa look")
    assert gemini.window.count(WITHDRAWN) == gemini.window.count(QA) == 1


def test_what_stands_is_not_repeated_though_gemini_has_removed_its_file(gemini: Gemini) -> None:
    gemini.ask("@dev begin")
    gemini.transcript.unlink()
    assert [gemini.ask(words) for words in ("go on", "more", "and more")] == [""] * 3


def test_what_is_taken_back_after_gemini_has_removed_its_file_comes_again(gemini: Gemini) -> None:
    gemini.ask("@dev begin")
    gemini.transcript.unlink()
    gemini.ask("go on")
    gemini.types("@qa look")
    gemini.takes_back("@qa look")
    gemini.ask("@qa look at it")
    assert gemini.window.count(QA) == gemini.window.count(GLOBAL) == 1


def test_what_a_compression_of_gemini_has_kept_is_not_repeated(gemini: Gemini) -> None:
    gemini.ask("@dev begin")
    gemini.ask("@qa look")
    gemini.compress("summary", keep=2)
    gemini.ask("go on")
    assert gemini.window.count(QA) == gemini.window.count(GLOBAL) == 1
    assert gemini.ask("and on") == ""


def test_a_compression_of_gemini_that_keeps_something_brings_all_the_rest(gemini: Gemini) -> None:
    rules = (
        f"GLOBAL_RULE_{n}=Keep file {n} as short as the person who reads it would have it\n"
        for n in range(60)
    )
    (gemini.root / ".synapse" / "global").write_text("".join(rules), "utf-8")
    gemini.ask("hello")
    gemini.ask("@qa look")
    gemini.compress("summary", keep=2)
    assert "Keep file 59 " in gemini.ask("go on")


def test_the_reply_after_a_compression_of_gemini_is_when_rules_were_last_told(
    gemini: Gemini,
) -> None:
    gemini.ask("@dev begin")
    for number in range(3):
        gemini.ask(f"go on {number}")
    gemini.ask("@qa look")
    gemini.compress("summary", keep=2)
    gemini.ask("go on")
    assert [gemini.ask(f"and on {number}") for number in range(10)] == [""] * 10


def test_what_a_compression_of_gemini_has_kept_is_revoked_when_it_no_longer_holds(
    gemini: Gemini,
) -> None:
    gemini.ask("@dev begin")
    gemini.ask("@qa look")
    gemini.compress("summary", keep=2)
    gemini.ask("@dev go on")
    assert gemini.window.count("@qa's rules no longer apply") == 1
    assert gemini.window.count(DEV) == gemini.window.count(GLOBAL) == 1


def test_a_fork_that_is_compacted_first_keeps_its_agent(codex: Codex) -> None:
    codex.ask("@dev begin")
    codex.fork("two", started=False)
    codex.compact()
    assert codex.window.count(DEV) == codex.window.count(GLOBAL) == 1
    assert codex.ask("go on") == ""
