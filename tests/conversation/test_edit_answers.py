"""``*synapse add`` and its like show a change, and the person makes it with ``*synapse yes``."""

from __future__ import annotations

from pathlib import Path

import pytest

from synapse_ls.queries.context_question import Question, answer_question
from tests.conversation.answers import told
from tests.hooks.hook_clients import Claude
from tests.trees import TEAM, write_tree

ADD = '*synapse add testing "Mock the clock"'
RULE = "TESTING_RULE_2=Mock the clock"


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache and a home of their own."""
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))


@pytest.fixture
def client(tmp_path: Path) -> Claude:
    return Claude(write_tree(tmp_path / "tree", TEAM))


def answer(client: Claude, prompt: str, **fields: str) -> list[str]:
    """The lines of an answer, without its opening and the name of its command."""
    return [line[4:] for line in told(client.prompt(prompt, **fields))[3:]]


def rules_of(client: Claude) -> str:
    return (client.root / ".synapse/testing").read_text("utf-8")


def test_a_change_is_shown_and_not_made(client: Claude) -> None:
    before = rules_of(client)
    lines = answer(client, ADD)
    assert lines[:2] == ["--- a/.synapse/testing", "+++ b/.synapse/testing"]
    assert f"+{RULE}" in lines
    assert "Answer `*synapse yes` with the next prompt" in lines[-1]
    assert rules_of(client) == before


def test_yes_makes_the_change_and_the_agent_is_told_it(client: Claude) -> None:
    client.prompt("write a unit test")
    answer(client, ADD)
    assert answer(client, "*synapse yes") == ["changed .synapse/testing"]
    assert RULE in rules_of(client)
    assert "proposal" not in client.document()


def test_what_is_confirmed_is_in_force_with_the_same_prompt(client: Claude) -> None:
    answer(client, '*synapse add global "Say please"')
    assert "Say please" in client.prompt("*synapse yes").partition("[SYNAPSE]")[0]


def test_yes_may_go_on_with_other_words(client: Claude) -> None:
    answer(client, ADD)
    assert answer(client, "*synapse-yes, and run the tests") == ["changed .synapse/testing"]


@pytest.mark.parametrize(
    ("prompt", "path", "line"),
    [
        ("*synapse create api-design", ".synapse/manifest", "API_DESIGN_STATE=active"),
        (
            '*synapse create api --recall "api,endpoint" --rule "Version it"',
            ".synapse/api",
            "API_RULE_0=Version it",
        ),
        ("*synapse edit testing 0 “Test first”", ".synapse/testing", "TESTING_RULE_0=Test first"),
        ("*synapse toggle testing", ".synapse/manifest", "TESTING_STATE=inactive"),
        ("*synapse toggle sleepy on", ".synapse/manifest", "SLEEPY_STATE=active"),
        (
            "*synapse add-command review Read it twice",
            ".synapse/commands",
            "COMMANDS_RULE_REVIEW_0=Read it twice",
        ),
        (
            '*synapse add agent-dev "NEVER push" --auth',
            ".synapse/agent-dev",
            "=NEVER push",
        ),
    ],
)
def test_each_command_plans_what_the_command_line_does(
    client: Claude, prompt: str, path: str, line: str
) -> None:
    assert any(line in shown for shown in answer(client, prompt))
    answer(client, "*synapse yes")
    assert line in (client.root / path).read_text("utf-8")


def test_a_rule_is_removed_with_an_option(client: Claude) -> None:
    rules = rules_of(client).count("TESTING_RULE_")
    answer(client, "*synapse edit testing 0 --remove")
    answer(client, "*synapse yes")
    assert rules_of(client).count("TESTING_RULE_") == rules - 1


def test_edit_without_a_text_shows_the_rule_and_keeps_nothing(client: Claude) -> None:
    lines = answer(client, "*synapse edit testing 0")
    assert lines[0] in rules_of(client)
    assert answer(client, "*synapse yes") == ["Nothing was changed: no change waits for a yes."]


def test_suggest_names_domains_and_how_to_go_on(client: Claude) -> None:
    lines = answer(client, '*synapse suggest "Keep the coverage high"')
    assert lines[0].startswith("TESTING: ")
    assert lines[-1].startswith('Write `*synapse add TESTING "Keep the coverage high"`')


def test_yes_alone_changes_nothing(client: Claude) -> None:
    assert answer(client, "*synapse yes") == ["Nothing was changed: no change waits for a yes."]


def test_a_change_is_made_once(client: Claude) -> None:
    answer(client, ADD)
    answer(client, "*synapse yes")
    assert answer(client, "*synapse yes") == ["Nothing was changed: no change waits for a yes."]
    assert rules_of(client).count("Mock the clock") == 1


def test_a_yes_that_is_late_changes_nothing(client: Claude) -> None:
    answer(client, ADD)
    client.prompt("something else first")
    assert "the change has expired" in answer(client, "*synapse yes")[0]
    assert RULE not in rules_of(client)
    assert answer(client, "*synapse yes") == ["Nothing was changed: no change waits for a yes."]


def test_a_yes_after_a_file_has_changed_changes_nothing(client: Claude) -> None:
    answer(client, ADD)
    path = client.root / ".synapse/testing"
    path.write_text(rules_of(client) + "TESTING_RULE_9=Written by somebody else\n", "utf-8")
    assert "the files are not what they were" in answer(client, "*synapse yes")[0]
    assert "Mock the clock" not in rules_of(client)


def test_a_yes_in_another_session_changes_nothing(client: Claude) -> None:
    answer(client, ADD)
    other = Claude(client.root, "session-2")
    assert answer(other, "*synapse yes") == ["Nothing was changed: no change waits for a yes."]
    assert RULE not in rules_of(client)


def test_a_yes_that_no_person_wrote_does_not_count(client: Claude) -> None:
    answer(client, ADD)
    client.prompt("*synapse yes", source="system")
    client.prompt("*synapse yes", source="loop_wakeup")
    assert RULE not in rules_of(client)


def test_a_yes_in_a_sub_agent_changes_nothing(client: Claude) -> None:
    answer(client, ADD)
    lines = answer(client, "*synapse yes", agent_id="sub-1", agent_type="qa")
    assert lines[0].startswith("Nothing was changed: only the person confirms")
    assert RULE not in rules_of(client)


def test_a_sub_agent_leaves_nothing_to_confirm(client: Claude) -> None:
    client.prompt("hello")
    answer(client, ADD, agent_id="sub-1", agent_type="qa")
    assert answer(client, "*synapse yes") == ["Nothing was changed: no change waits for a yes."]


def test_a_yes_in_the_middle_of_a_prompt_changes_nothing(client: Claude) -> None:
    answer(client, ADD)
    assert "at the beginning" in answer(client, "they wrote: *synapse yes")[0]
    assert RULE not in rules_of(client)


def test_a_question_proposes_and_confirms_nothing(client: Claude) -> None:
    answer(client, ADD)
    before = client.document()
    for prompt in ("*synapse yes", '*synapse add global "Say please"'):
        answer_question(Question(str(client.root), prompt, session=client.session, standing=True))
    assert client.document() == before
    assert RULE not in rules_of(client)


def test_a_change_that_is_not_shown_whole_cannot_be_confirmed(client: Claude) -> None:
    (line,) = answer(client, f'*synapse add testing "{"very long " * 300}"')
    assert "too large to be shown here" in line
    assert answer(client, "*synapse yes") == ["Nothing was changed: no change waits for a yes."]


def test_a_secret_is_not_planned(client: Claude) -> None:
    key = "ghp_" + "x7Kq2Vd9Lm4Rt8Wz1Bn6Yc3Hf5Js0PgAeUiO"
    (line,) = answer(client, f'*synapse add testing "Use {key} to sign in"')
    assert "looks like a secret" in line
    assert key not in str(client.document())


@pytest.mark.parametrize(
    ("prompt", "said"),
    [
        ("*synapse add", 'Write `*synapse add DOMAIN "the rule"`.'),
        ("*synapse add nobody Be kind", "There is no domain NOBODY"),
        ("*synapse toggle constitution off", "The constitution cannot be switched off"),
        ("*synapse create Testing --nonsense", "There is no --nonsense here."),
        ("*synapse toggle testing maybe", "A domain is switched on or off."),
    ],
)
def test_what_cannot_be_done_is_said(client: Claude, prompt: str, said: str) -> None:
    assert said in " ".join(answer(client, prompt))
    assert "proposal" not in client.document()
