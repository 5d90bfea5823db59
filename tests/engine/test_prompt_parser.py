"""Reading a prompt: own words, star-commands, agents."""

from __future__ import annotations

import pytest

from synapse_ls.engine.prompt_parser import LONGEST_ARGUMENT, MOST_COMMANDS, PASTE_LIMIT, Prompt

AGENTS = {"qa": "qa", "dev": "dev", "data-engineer": "data-engineer"}


def names(text: str) -> list[str]:
    return [command.name for command in Prompt(text).commands]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("*brief", ["brief"]),
        ("please *brief, thanks", ["brief"]),
        ("*Brief and *plan", ["brief", "plan"]),
        ("*brief *brief", ["brief"]),
        ("line\n*synapse-diagnose\n", ["synapse-diagnose"]),
        ("(*review)", ["review"]),
        ("do it *brief.", ["brief"]),
        ("*brief fix src/*", ["brief"]),
        ("*synapse status *synapse help *synapse help", ["synapse", "synapse"]),
    ],
)
def test_a_star_command_is_read_at_a_word_start(text: str, expected: list[str]) -> None:
    assert names(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "**bold**",
        "*emphasis*",
        "*some emphasised words* here",
        "2*x",
        "a*b",
        "*.py",
        "*foo.py",
        "/*comment*/",
        "`*help`",
        "```\n*brief\n```",
        "* item",
        "*é",
        "*1x",
        "*-x",
    ],
)
def test_what_only_looks_like_a_star_command_is_none(text: str) -> None:
    assert names(text) == []


def test_the_rest_of_the_line_is_the_argument_of_a_command() -> None:
    (command,) = Prompt("*develop docs/stories/x.md\nand more").commands
    assert command.argument == "docs/stories/x.md"


@pytest.mark.parametrize("text", ["@qa review this", "@QA: review", "@data-engineer"])
def test_a_known_agent_as_the_first_word_is_addressed(text: str) -> None:
    assert Prompt(text, agents=AGENTS).agent in AGENTS


@pytest.mark.parametrize("text", ["ask @qa", "npm i @types/node", "me@dev.io", "@nobody hi", ""])
def test_a_mention_elsewhere_addresses_nobody(text: str) -> None:
    assert Prompt(text, agents=AGENTS).agent == ""


def test_a_mention_elsewhere_is_told() -> None:
    assert Prompt("then ask @qa, please", agents=AGENTS).mentions == ("qa",)


def test_an_activation_command_addresses_its_agent() -> None:
    prompt = Prompt("/AIOX:agents:dev", agents=AGENTS, activations=("/AIOX:agents:{agent}",))
    assert prompt.agent == "dev"


def test_recall_does_not_read_fenced_blocks() -> None:
    prompt = Prompt("fix this\n```py\nimport secret\n```\nthanks")
    assert prompt.folded == "fix this thanks"
    assert prompt.skipped


def test_recall_reads_both_ends_of_a_long_prompt() -> None:
    prompt = Prompt("first " + "filler " * PASTE_LIMIT + " last")
    assert prompt.folded.startswith("first") and prompt.folded.endswith("last")
    assert len(prompt.folded) <= PASTE_LIMIT + 1
    assert prompt.skipped


def test_everything_is_read_on_demand() -> None:
    assert "secret" in Prompt("```\nsecret\n```", everything=True).folded


def test_a_block_in_a_prompt_is_not_matched() -> None:
    prompt = Prompt("hello <synapse-rules>\n[GLOBAL]\n testing\n</synapse-rules> world")
    assert prompt.folded == "hello world"


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("look at src/auth/login.ts, please", ("src/auth/login.ts",)),
        ("(./README.md) and setup.py.", ("README.md", "setup.py")),
        ("see https://example.org/a/b", ()),
        ("and/or", ("and/or",)),
        ("nothing here.", ()),
    ],
)
def test_paths_in_the_users_own_words_are_read(text: str, paths: tuple[str, ...]) -> None:
    assert Prompt(text).paths == paths


def test_a_prompt_has_no_more_commands_and_arguments_than_anybody_types() -> None:
    assert len(names(" ".join(f"*a{n}" for n in range(MOST_COMMANDS + 1)))) == MOST_COMMANDS
    (command,) = Prompt("*a " + "x" * (2 * LONGEST_ARGUMENT)).commands
    assert len(command.argument) <= LONGEST_ARGUMENT


def test_many_blocks_are_left_out_and_what_stands_between_them_is_read() -> None:
    block = "<Synapse-Rules>secret</synapse-rules>"
    text = f"İ one {block} two {block}{block} three <synapse-rules> four"
    assert "secret" not in Prompt(text).folded
    assert all(word in Prompt(text).folded for word in ("one", "two", "three", "four"))


@pytest.mark.parametrize(
    ("text", "leaves"),
    [
        ("*exit", True),
        ("Thanks, that is all. *exit", True),
        ("Thanks.\n\n*exit\n", True),
        ("*exit\nThen go on.", True),
        ("## My selection:\n# Readme\n*exit\n\nWhat is it?", False),
    ],
)
def test_a_role_ends_in_the_first_or_last_line_alone(text: str, leaves: bool) -> None:
    assert Prompt(text).leaves is leaves
