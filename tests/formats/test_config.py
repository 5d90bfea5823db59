from __future__ import annotations

from dataclasses import fields, is_dataclass
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.formats.config_file import parse
from synapse_ls.formats.config_settings import BY_PATH, CONFIG_OPTIONS, Config
from synapse_ls.formats.setting_validation import FOREIGN_NAMES
from synapse_ls.formats.toml_document import MAX_TOML_CHARS
from tests.formats.texts import assert_inside, hostile_texts
from tests.support import mark


def read(text: str) -> Config:
    config, problems = parse(dedent(text))
    assert not problems
    return config


def problems(text: str) -> list[tuple[str, str]]:
    """Kind and source text of each problem."""
    return [(problem.kind, problem.span.cut(text)) for problem in parse(text).problems]


def test_no_configuration_means_the_defaults() -> None:
    config = read("")
    assert config == Config() == read("# only a note\n")
    assert (config.usage.avg_tokens_per_prompt, config.usage.max_context) == (1500, 200_000)
    assert (config.injection, config.profile, config.matching) == ("delta", "", "")
    assert config.session.stale_hours == 168
    assert config.paths.states == (".aiox", ".aios")
    assert config.paths.agents == (
        ".aiox-core/development/agents",
        ".aios-core/development/agents",
        ".claude/agents",
    )


def test_every_setting_has_a_field_and_every_field_a_setting() -> None:
    config = Config()
    names = set()
    for field in fields(config):
        group = getattr(config, field.name)
        inner = [f"{field.name}.{f.name}" for f in fields(group)] if is_dataclass(group) else []
        names |= set(inner or [field.name])
    derived = {
        "lint.brackets",
        "lint.policy_severities",
        "paths.adopted",
        "paths.dormant",
        "paths.manifest_rule_files",
        "paths.sections",
        "paths.extended",
        "origins",
        "policy",
        "written",
    }  # said by other settings
    assert names - derived == {option.path for option in CONFIG_OPTIONS}


def test_files_of_instructions_are_referred_to_by_tables_of_their_own() -> None:
    text = (
        '[[adopted]]\npath = "./CLAUDE.md"\nheading = "Testing"\nlines = "10-40"\n'
        '[[adopted]]\nheading = "no path"\n[[adopted]]\npath = ".claude/rules"\npaths = ["a/**"]\n'
    )
    config, found = parse(text)
    first, second = config.adopted
    assert (first.path, first.heading, first.lines) == ("CLAUDE.md", "Testing", (10, 40))
    assert (second.path, second.paths, second.number) == (".claude/rules", ("a/**",), 2)
    assert first.span.cut(text) == "adopted"
    assert config.paths.adopted == ("CLAUDE.md", ".claude/rules")
    assert [problem.message for problem in found] == ["`adopted` has no `path`, so it is ignored."]


@pytest.mark.parametrize("lines", ["40-10", "0-3", "7", "a-b"])
def test_lines_that_are_no_range_count_as_not_written(lines: str) -> None:
    text = f'[[adopted]]\npath = "CLAUDE.md"\nlines = "{lines}"\n'
    assert [kind for kind, _ in problems(text)] == ["bad-config-value"]
    assert parse(text).document.adopted[0].lines is None


def test_settings_are_read() -> None:
    config = read("""\
        profile = "synapse-live"
        matching = "substring"
        injection = "always"
        devmode = true
        usage.max_context = 1_000_000
        usage.windows = { "claude-opus-5" = 200_000 }

        [paths]
        stories = ["stories/", "./docs/more"]
        states = "state"

        [workflow.aliases]
        "my-cycle" = "story_development"

        [workflow.phases.story_development]
        building = "in_development"

        [lint]
        select = ["SYN1"]
        severity = { SYN101 = "error" }

        [lint.per_path]
        "squads/**" = ["SYN3"]
        """)
    assert (config.profile, config.matching) == ("synapse-live", "substring")
    assert (config.injection, config.devmode) == ("always", True)
    assert config.usage.max_context == 1_000_000
    assert config.usage.windows == {"claude-opus-5": 200_000}
    assert config.usage.avg_tokens_per_prompt == 1500
    assert config.paths.stories == ("stories", "docs/more")
    assert config.paths.states == ("state",)
    assert config.workflow.aliases == {"my-cycle": "story_development"}
    assert config.workflow.phases == {"story_development": {"building": "in_development"}}
    assert config.lint.select == ("SYN1",)
    assert config.lint.severity == {"SYN101": "error"}
    assert config.lint.per_path == {"squads/**": ("SYN3",)}


@pytest.mark.parametrize(
    ("fixture", "near"),
    [
        ('«matchin» = "word"', "matching"),
        ("[usage]\n«max_contxt» = 1", "max_context"),
        ("[«usag»]\na = 1", "usage"),
        ("[paths]\n«foo» = []", ""),
        ('«"usage.max_context"» = 1', ""),
    ],
)
def test_an_unknown_key_is_reported_at_its_place(fixture: str, near: str) -> None:
    text, (place,) = mark(fixture)
    (problem,) = parse(text).problems
    assert (problem.kind, problem.span) == ("unknown-config-key", place)
    assert dict(problem.data).get("near", "") == near


@pytest.mark.parametrize(
    "fixture",
    [
        "profile = «1»",
        'matching = «"fuzzy"»',
        'devmode = «"yes"»',
        "usage.max_context = «0»",
        "usage = «{max_context = true}»".replace("«{", "{").replace("true}»", "«true»}"),
        "usage = «1»",
        "usage.windows = «200_000»",
        'usage.windows = { "claude-" = «"200K"» }',
        'usage.windows = { "claude-" = «0» }',
        'lint.select = «"SYN1"»',
        'lint.select = ["a", «1»]',
        'lint.severity = {A = «"eror"»}',
        "lint.per_path = {a = [«1»]}",
        "workflow.phases = {a = «1»}",
    ],
)
def test_a_value_that_cannot_be_used_is_reported_at_its_place(fixture: str) -> None:
    text, (place,) = mark(fixture)
    (problem,) = parse(text).problems
    assert (problem.kind, problem.span) == ("bad-config-value", place)


def test_a_bad_value_keeps_its_default_and_the_others_count() -> None:
    config, found = parse('injection = "sometimes"\nprofile = "carl"\n')
    assert (config.injection, config.profile, len(found)) == ("delta", "carl", 1)


def test_a_bad_item_is_left_out_of_its_list() -> None:
    config, found = parse('[lint]\nselect = ["SYN1", 2, "SYN3"]\n')
    assert (config.lint.select, len(found)) == (("SYN1", "SYN3"), 1)


@pytest.mark.parametrize(
    "text",
    [
        '[guard]\nmode = "enforced"\n',
        "[guard]\nmode = true\n",
        '[guard]\nmod = "warn"\n',
        '[gaurd]\nmode = "warn"\n',
        'guard = "warn"\n',
        'profile = [\n[guard]\nmode = "warn"\n',
    ],
)
def test_a_guard_that_cannot_be_read_is_read_strictly(text: str) -> None:
    config, (problem,) = parse(text)
    assert config.guard.mode == "enforce"
    assert problem.message.endswith(' counts as "enforce".')
    assert "`guard.mode`" in problem.message


@pytest.mark.parametrize(
    ("text", "mode"),
    [
        ("profile = [\n", "warn"),
        ("profile = [  # no guard here\n", "warn"),
        ('[guard]\nmode = "off"\nmore = 1\n', "off"),
        ('[gaurd]\nmode = "enforce"\n[guard]\nmode = "off"\n', "off"),
        ('[guard]\nmode = "off"\n[gaurd]\nmode = "enforce"\n', "off"),
    ],
)
def test_a_guard_that_is_said_or_not_spoken_of_is_as_it_is(text: str, mode: str) -> None:
    config, (problem,) = parse(text)
    assert config.guard.mode == mode
    assert "enforce" not in problem.message


def test_a_misspelt_word_is_suggested() -> None:
    (problem,) = parse('injection = "delt"\n').problems
    assert dict(problem.data)["near"] == "delta"


@pytest.mark.parametrize(
    "path", ["../x", "a/../../x", "/etc", "~/x", "C:/x", "..\\x", ".", "", "\\\\host\\x"]
)
def test_a_path_that_leaves_the_root_is_reported_and_ignored(path: str) -> None:
    text, (place,) = mark(f"[paths]\nstates = ['ok', «'{path}'»]\n")
    config, (problem,) = parse(text)
    assert (problem.kind, problem.span) == ("path-leaves-root", place)
    assert config.paths.states == ("ok",)


def test_a_path_is_brought_to_one_form() -> None:
    assert read("paths.states = ['./a//b/../c/', 'd\\e']\n").paths.states == ("a/c", "d/e")


@pytest.mark.parametrize(
    "fixture",
    [
        "a «=» \n".replace("«=» ", "=« »"),
        'a = «"x»\n',
        "a = 1\n«a = 2»",
        "a = 1\r\n[«b»\r\n",
        'a = 1 «b» = "2"',
    ],
)
def test_a_syntax_error_is_reported_at_its_place(fixture: str) -> None:
    text, (place,) = mark(fixture)
    config, (problem,) = parse(text)
    assert (problem.kind, problem.span) == ("invalid-toml", place)
    assert config == Config()


def test_deep_nesting_is_a_problem_and_not_a_crash() -> None:
    assert problems("a = " + "[" * 5000)[0][0] == "invalid-toml"


def test_a_huge_file_is_not_read() -> None:
    assert problems("#" * (MAX_TOML_CHARS + 1) + "\na = 1\n")[0][0] == "invalid-toml"


def test_a_byte_order_mark_is_passed_over() -> None:
    assert read('\ufeffprofile = "carl"\n').profile == "carl"


@given(hostile_texts)
def test_any_text_gives_places_inside_it(text: str) -> None:
    assert_inside(text, parse(text).problems)


lines = st.sampled_from(
    [
        *(f"{option.path} = " for option in CONFIG_OPTIONS),
        *("[paths]\n", "[lint]\n", "profile = ", "states = "),
        *('"word"\n', "1\n", "true\n", "[]\n", "['../x', 'y']\n", "{a = 'b'}\n", "[{a = 1}]\n"),
    ]
)


@given(st.lists(lines).map("".join))
def test_anything_like_a_configuration_gives_places_inside_it(text: str) -> None:
    assert_inside(text, parse(text).problems)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[lint]\nignore = []\n[lint]\nselect = []\n", "`[lint]` is already on line 1"),
        ("['a.b'.c]\n['a.b'.c]\n", "`['a.b'.c]` is already on line 1"),
        ("lint = {}\nlint.select = []\n", "`lint` is complete"),
        ("[lint]\nvendored = true\nvendored = true\n", "`vendored` is already on line 2"),
        ("lint = {vendored = true, vendored = true}\n", "`vendored` is here a second time"),
    ],
)
def test_what_is_there_twice_is_named_as_the_file_names_it(text: str, said: str) -> None:
    (problem,) = parse(text).problems
    assert problem.message.startswith(said)


def test_a_pattern_is_named_in_quotes() -> None:
    (problem,) = parse('[lint.per_path]\n".synapse/*" = "SYN4"\n').problems
    assert problem.message.startswith('`lint.per_path.".synapse/*"` is not a list')


@pytest.mark.parametrize(("name", "ours"), FOREIGN_NAMES.items())
def test_what_other_linters_call_a_setting_is_understood(name: str, ours: str) -> None:
    (problem,) = parse(f"{name} = {{}}\n").problems
    assert problem.remedy == f"Write `{ours}`."
    assert f"lint.{ours}" in BY_PATH
