"""Which rules run, where, and how severe their findings are."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from synapse_ls.formats.config_settings import LintSettings
from synapse_ls.lint.lint_runner import lint_tree
from synapse_ls.lint.rule_registry import all_rules
from synapse_ls.lint.rule_selection import Policy
from tests.trees import tree_of

FILES = {
    ".synapse/manifest": "X_RECAL=a\nX_ALWAYS_ON=on\nY_STATE=active\n",
    ".synapse/x": "X_RULE_0=a\nb\n",
    "squads/s/.synapse/manifest": "Z_STATE=active\n",
}


def codes(
    config: str = "", select: Sequence[str] | None = None, ignore: Sequence[str] = ()
) -> list[str]:
    tree = tree_of({**FILES, ".synapse/config.toml": config})
    return [diagnostic.code for diagnostic in lint_tree(tree, select=select, ignore=ignore)]


def severities(config: str) -> dict[str, str]:
    tree = tree_of({**FILES, ".synapse/config.toml": config})
    return {diagnostic.code: diagnostic.severity.value for diagnostic in lint_tree(tree)}


def test_by_default_all_rules_run_but_those_that_are_off() -> None:
    assert codes() == ["SYN104", "SYN106", "SYN201", "SYN112", "SYN201"]


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ("[lint]\nselect = ['SYN1']", ["SYN104", "SYN106", "SYN112"]),
        ("[lint]\nselect = ['unknown-key']", ["SYN104"]),
        ("[lint]\nselect = ['SYN120']", ["SYN120"]),
        (
            "[lint]\nselect = ['ALL', 'missing-state']\nignore = ['SYN2', 'SYN112']",
            ["SYN120", "SYN104", "SYN106"],
        ),
        ("[lint]\nignore = ['SYN1']", ["SYN201", "SYN201"]),
        ("[lint]\nselect = ['SYN104']\nignore = ['SYN1']", ["SYN104"]),
        ("[lint]\nselect = ['SYN1']\nignore = ['SYN104']", ["SYN106", "SYN112"]),
        ("[lint]\nselect = ['SYN104']\nignore = ['SYN104']", []),
        ("[lint.severity]\nSYN1 = 'off'", ["SYN201", "SYN201"]),
        ("[lint.per_path]\n'squads/**' = ['SYN201']", ["SYN104", "SYN106", "SYN201", "SYN112"]),
        ("[lint.per_path]\n'.synapse/*' = ['ALL']", ["SYN201"]),
    ],
)
def test_the_configuration_decides_what_runs(config: str, expected: list[str]) -> None:
    assert sorted(codes(config)) == sorted(expected)


def test_a_call_selects_in_place_of_the_configuration() -> None:
    config = "[lint]\nselect = ['SYN2']\nignore = ['SYN104']"
    assert codes(config, select=["SYN104"]) == ["SYN104"]


def test_a_call_ignores_in_addition_to_the_configuration() -> None:
    assert codes("[lint]\nignore = ['SYN1']", ignore=["SYN201"]) == []


def test_the_configuration_sets_severities_and_the_closer_one_wins() -> None:
    config = "[lint.severity]\nSYN1 = 'hint'\nSYN104 = 'error'\n"
    found = severities(config)
    assert (found["SYN104"], found["SYN106"], found["SYN201"]) == ("error", "hint", "warning")


@pytest.mark.parametrize(
    ("line", "severity"),
    [
        ("X_STATE=yes", "hint"),
        ("X_STATE=off", "hint"),
        ('X_STATE="active"', "hint"),
        ('X_STATE="inactive"', "error"),
        ("X_STATE=inactve", "error"),
        ("X_STATE=maybe", "error"),
        ("X_STATE=", "error"),
        ("DEVMODE=yes", "hint"),
        ("DEVMODE=off", "hint"),
        ("DEVMODE=perhaps", "warning"),
        ("X_ALWAYS_ON=on", "warning"),
    ],
)
def test_only_a_known_word_that_is_read_as_it_is_meant_is_a_hint(line: str, severity: str) -> None:
    files = {".synapse/manifest": f"{line}\nX_RECALL=x\n", ".synapse/x": "X_RULE_0=a\n"}
    found = lint_tree(tree_of(files), select=["SYN105", "SYN106"])
    assert [d.severity.value for d in found] == [severity]


VENDORED = ".aiox-core/development/workflows/w.yaml"
WITH_A_FRAMEWORK = {
    ".synapse/manifest": "X_STATE=active\nX_AGENT_TRIGGER=dev\n",
    ".synapse/x": "X_RULE_0=a\n",
    ".aiox-core/development/agents/dev.md": "---\nname: dev\n---\n",
    VENDORED: "workflow: [\n",
}


def test_what_belongs_to_a_framework_is_read_but_not_linted() -> None:
    assert lint_tree(tree_of(WITH_A_FRAMEWORK)) == ()


def test_the_configuration_has_a_framework_linted() -> None:
    config = {".synapse/config.toml": "[lint]\nvendored = true\n"}
    assert {d.path for d in lint_tree(tree_of({**WITH_A_FRAMEWORK, **config}))} == {VENDORED}


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        (".aiox-core", True),
        (".aiox-core/development/", True),
        (VENDORED, True),
        (".aiox-core/development/agents", False),
        (".aiox-cor", False),
        ("", False),
        (".synapse", False),
    ],
)
def test_a_framework_is_linted_where_somebody_asks_about_it(asked: str, found: bool) -> None:
    assert bool(lint_tree(tree_of(WITH_A_FRAMEWORK), named_paths=[asked])) is found


def test_only_what_is_asked_about_of_a_framework_is_linted() -> None:
    other = ".aios-core/development/workflows/w.yaml"
    tree = tree_of({**WITH_A_FRAMEWORK, other: "workflow: [\n"})
    assert {d.path for d in lint_tree(tree, named_paths=[".aios-core"])} == {other}


def test_rules_that_are_off_run_where_all_are_selected_by_that_word_alone() -> None:
    off = [rule for rule in all_rules() if not rule.default]
    assert off
    everything = Policy(LintSettings(select=("ALL",)))
    families = Policy(LintSettings(select=tuple(f"SYN{n}" for n in range(1, 9))))
    assert all(everything.runs(rule) for rule in all_rules())
    assert not any(families.runs(rule) for rule in off)
    assert all(Policy(LintSettings(select=(rule.name,))).runs(rule) for rule in off)
    assert all(Policy(LintSettings(select=(rule.code,))).runs(rule) for rule in off)


def test_patterns_of_paths_add_up() -> None:
    config = "[lint.per_path]\n'.synapse/**' = ['SYN104']\n'**/manifest' = ['SYN2', 'SYN106']\n"
    assert codes(config) == ["SYN112"]


def test_a_severity_by_name_is_closer_than_one_by_family() -> None:
    config = "[lint.severity]\nALL = 'hint'\nSYN1 = 'info'\nunknown-key = 'error'\n"
    found = severities(config)
    assert (found["SYN104"], found["SYN106"], found["SYN201"]) == ("error", "info", "hint")


@pytest.mark.parametrize(
    ("selector", "remedy"),
    [
        ("syn105", "Write `SYN105`."),
        ("SNY105", "Write `SYN105`."),
        ("SNY1", "Write `SYN1`."),
        ("unknown_key", "Write `unknown-key`."),
        ("SYN999", "Write a code that `synapse rule` lists, or delete it."),
        ("SYN00", "Write a code that `synapse rule` lists, or delete it."),
    ],
)
def test_a_selector_that_means_no_rule_has_a_near_miss(selector: str, remedy: str) -> None:
    tree = tree_of({".synapse/config.toml": f"[lint]\nignore = ['{selector}']"})
    assert [d.remedy for d in lint_tree(tree) if d.code == "SYN123"] == [remedy]


@pytest.mark.parametrize(
    ("pattern", "left"),
    [
        (".synapse/manifest", ["SYN112", "SYN201"]),
        ("squads", ["SYN104", "SYN106", "SYN201", "SYN112"]),
        ("squads/*/", ["SYN104", "SYN106", "SYN201", "SYN112"]),
        ("**/manifest", ["SYN112"]),
        ("manifest", ["SYN104", "SYN106", "SYN201", "SYN112", "SYN201"]),
    ],
)
def test_files_are_excluded_themselves_or_with_their_folder(pattern: str, left: list[str]) -> None:
    assert codes(f"[lint]\nexclude = ['{pattern}']") == left
    found = lint_tree(tree_of(FILES), policy=Policy(LintSettings(), exclude=[pattern]))
    assert [diagnostic.code for diagnostic in found] == left


def test_an_excluded_file_is_linted_if_it_is_asked_about_itself() -> None:
    named = ["squads/s/.synapse/manifest"]
    found = lint_tree(
        tree_of(FILES), policy=Policy(LintSettings(), exclude=["squads"], named_paths=named)
    )
    assert found == lint_tree(tree_of(FILES))
    policy = Policy(LintSettings(), exclude=["squads"], named_paths=["squads"])
    assert lint_tree(tree_of(FILES), policy=policy) != found


@pytest.mark.parametrize(
    ("config", "code"),
    [
        ("[lint]\nselect = ['SNY1']\n", "SYN123"),
        ("[lint]\nselect = ['SYN8', 'SNY1']\n", "SYN123"),
        ("[lint]\nselect = ['SYN8']\nselct = []\n", "SYN121"),
        ("profile = 'synapse-life'\n[lint]\nselect = ['SYN8']\n", "SYN122"),
        ("[lint]\nselect = ['SYN8'\n", "SYN119"),
    ],
)
def test_a_slip_in_the_configuration_is_told_whatever_is_selected(config: str, code: str) -> None:
    assert code in codes(config)
    assert code in codes(config, select=["SYN8"])
    for ignored in ("SYN1", code):
        assert code not in codes(config, select=["SYN8"], ignore=[ignored])
    assert code in codes(config, ignore=["ALL"])


def test_a_rule_about_the_configuration_can_be_switched_off_there() -> None:
    narrow = "[lint]\nselect = ['SYN8', 'SNY1']\n"
    assert "SYN123" not in codes(narrow + "ignore = ['SYN123']\n")
    assert "SYN123" not in codes(narrow + "[lint.severity]\nSYN123 = 'off'\n")
