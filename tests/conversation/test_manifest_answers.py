"""What files for agents say: what always applies, rules for some files, nothing of a moment."""

from __future__ import annotations

import pytest

from synapse_ls.engine.block_assembly import assemble_block
from synapse_ls.engine.context_usage import measure_usage
from synapse_ls.engine.situation import Request, resolve_situation
from synapse_ls.formats.config_settings import SYNC_TARGETS
from synapse_ls.formats.managed_block import HOOK, RULES, parse
from synapse_ls.integrations.instruction_files import (
    TARGETS,
    InstructionFile,
    SizeLimit,
    find_target,
    instruction_files,
    is_current,
    render_file,
)
from synapse_ls.workspace.file_kinds import FileKind
from synapse_ls.workspace.path_classification import classify_path
from tests.trees import TEAM, Files, plan_of, tree_of

API: Files = {
    **TEAM,
    ".synapse/manifest": TEAM[".synapse/manifest"]
    + """\
        API_STATE=active
        API_PATHS=src/api/**,src/[id].ts
        """,
    ".synapse/api": """\
        API_RULE_0=Ask @dev about <!-- this -->, and `@qa`
        API_RULE_1=Write small functions
        """,
    ".aiox/one-state.yaml": """\
        workflow_id: story_development
        instance_id: one
        status: active
        current_step_index: 0
        steps:
          - phase: in_development
            agent: dev
        """,
}


def files_of(name: str, tree: Files = API, kind: str = RULES) -> dict[str, InstructionFile]:
    return {one.path: one for one in instruction_files(plan_of(tree), TARGETS[name], kind)}


def test_what_always_applies_is_there() -> None:
    body = files_of("cursor")[".cursor/rules/synapse.mdc"].body
    for rule in (
        "everything works from the command line",
        "Name things well",
        "Never print a secret",
    ):
        assert rule in body


@pytest.mark.parametrize("name", TARGETS)
def test_every_standing_rule_of_an_empty_prompt_is_in_the_file(name: str) -> None:
    plan = plan_of(TEAM)
    made = assemble_block(
        plan,
        resolve_situation(plan, Request(bracket="FRESH"), measure_usage(reported=100)),
        ignore_budget=True,
    )
    body = files_of(name, TEAM)[TARGETS[name].main_place.path].body
    told = [
        e.text for s in made.sent_sections if s.id in ("CONSTITUTION", "GLOBAL") for e in s.entries
    ]
    assert told
    assert [text for text in told if text not in body] == []


@pytest.mark.parametrize("name", TARGETS)
def test_nothing_depends_on_the_bracket_a_session_or_the_prompt(name: str) -> None:
    text = "\n".join(render_file(file) for file in files_of(name).values())
    for rule in (
        "Read before you write",
        "Prefer short answers",
        "Implement, test",
        "Keep the story",
        "Arrange, act",
        "bullet points",
        "Never seen",
    ):
        assert rule not in text


def test_rules_for_some_files_have_a_file_with_their_globs() -> None:
    text = render_file(files_of("cursor")[".cursor/rules/synapse-api.mdc"])
    assert text.startswith("---\ndescription: Rules of this project about API\n")
    assert "\nglobs: src/api/**,src/[[]id[]].ts\nalwaysApply: false\n---\n" in text


def test_a_rule_that_always_applies_is_not_said_again_for_some_files() -> None:
    assert "Write small functions" not in files_of("cursor")[".cursor/rules/synapse-api.mdc"].body


@pytest.mark.parametrize("name", ["agents", "gemini"])
def test_without_globs_the_heading_says_which_files(name: str) -> None:
    (file,) = files_of(name).values()
    assert "## API (only for files that match `src/api/**`, `src/[id].ts`)" in file.body


def test_a_rule_cannot_end_the_block() -> None:
    for file in files_of("agents").values():
        assert "<!--" not in file.body


def test_a_mention_is_code_where_it_would_pull_in_a_file() -> None:
    assert "Ask `@dev` about" in files_of("gemini")["GEMINI.md"].body
    assert ", and `@qa`" in files_of("gemini")["GEMINI.md"].body
    assert "Ask @dev about" in files_of("agents")["AGENTS.md"].body


@pytest.mark.parametrize("name", TARGETS)
def test_where_the_hook_brings_the_rules_one_line_is_left(name: str) -> None:
    (file,) = files_of(name, kind=HOOK).values()
    assert "\n" not in file.body
    assert "<synapse-rules>" in file.body


@pytest.mark.parametrize("name", TARGETS)
def test_a_file_is_read_back_as_current_and_unedited(name: str) -> None:
    for file in files_of(name).values():
        found = parse(render_file(file)).document
        assert found is not None
        assert is_current(file, found)
        assert not found.is_edited(whole=file.whole)


@pytest.mark.parametrize("name", TARGETS)
def test_a_file_is_known_to_the_workspace_and_to_its_target(name: str) -> None:
    paths = tree_of({}).snapshot.config.paths
    for path in files_of(name):
        assert classify_path(path, paths) is FileKind.SYNCED
        found = find_target(path)
        assert found is not None
        assert found.name == name


@pytest.mark.parametrize("name", TARGETS)
def test_an_unchanged_tree_gives_the_same_bytes(name: str) -> None:
    one, two = (list(map(render_file, files_of(name).values())) for _ in range(2))
    assert one == two


def test_a_tree_with_nothing_to_say_wants_no_file() -> None:
    assert files_of("agents", {".synapse/manifest": "GLOBAL_STATE=inactive\n"}) == {}


def test_the_configuration_knows_every_target() -> None:
    assert tuple(TARGETS) == SYNC_TARGETS


@pytest.mark.parametrize(
    ("text", "lines"),
    [("", 1), ("a", 1), ("a\n", 1), ("a\r\nb\r\n", 2), ("a\rb\rc", 3), ("a\rb\r", 2), ("\n\n", 2)],
)
def test_lines_end_as_they_do_in_editors(text: str, lines: int) -> None:
    assert SizeLimit(lines, "lines", "").describe_excess(text) == ""
    assert (
        SizeLimit(lines - 1, "lines", "long").describe_excess(text)
        == f"it has {lines} lines of {lines - 1}: long"
    )
