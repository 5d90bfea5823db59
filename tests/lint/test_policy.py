"""Which rules run, where, and how severe their findings are."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from synapse_ls.lint.run import check
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
    return [diagnostic.code for diagnostic in check(tree, select=select, ignore=ignore)]


def severities(config: str) -> dict[str, str]:
    tree = tree_of({**FILES, ".synapse/config.toml": config})
    return {diagnostic.code: diagnostic.severity.value for diagnostic in check(tree)}


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
    found = check(tree_of(files), select=["SYN105", "SYN106"])
    assert [d.severity.value for d in found] == [severity]


def test_what_belongs_to_a_framework_is_read_but_not_linted() -> None:
    files = {
        ".synapse/manifest": "X_STATE=active\nX_AGENT_TRIGGER=dev\n",
        ".synapse/x": "X_RULE_0=a\n",
        ".aiox-core/development/agents/dev.md": "---\nname: dev\n---\n",
        ".aiox-core/development/workflows/w.yaml": "workflow: [\n",
    }
    assert check(tree_of(files)) == ()
