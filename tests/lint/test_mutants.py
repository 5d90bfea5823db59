"""One slip in one line of a clean tree is found by the rule it concerns, and by no other."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from synapse_ls.lint.registry import rules
from tests.lint.clean import CLEAN, check_disk, write

MANIFEST = ".synapse/manifest"
CONFIG = ".synapse/config.toml"
SQUAD = "squads/etl-squad/squad.yaml"
SQUAD_MANIFEST = "squads/etl-squad/.synapse/manifest"
STATE = ".aiox/release-train-20260102-abc123-state.yaml"


class Mutant(NamedTuple):
    """``old`` becomes ``new`` in a file, and then ``marked`` is what the diagnostic marks."""

    code: str
    path: str
    old: str
    new: str
    marked: str


MUTANTS = (
    Mutant("SYN101", ".synapse/guardrails", "GUARDRAILS_RULE_0", "\0\0\0\0\0\0\0", ""),
    Mutant("SYN102", ".synapse/global", "café", "caf\udce9", "\ufffd"),
    Mutant("SYN103", ".synapse/global", "GLOBAL_RULE_1", "global_rule_1", "global_rule_1"),
    Mutant("SYN104", MANIFEST, "TESTING_EXCLUDE", "TESTING_EXCLUD", "TESTING_EXCLUD"),
    Mutant("SYN105", MANIFEST, "TESTING_STATE=active", "TESTING_STATE=activ", "activ"),
    Mutant("SYN106", MANIFEST, "ALWAYS_ON=true", "ALWAYS_ON=on", "on"),
    Mutant("SYN107", MANIFEST, "TURNS=10", "TURNS=ten", "ten"),
    Mutant(
        "SYN108",
        MANIFEST,
        "DEVMODE=false\n",
        "DEVMODE=false\nDEVMODE=true\n",
        "DEVMODE",
    ),
    Mutant("SYN109", MANIFEST, "SLEEPY_STATE", "Sleepy_STATE", "Sleepy"),
    Mutant("SYN110", MANIFEST, "TURNS=10", "TURNS=10 # or 20", "# or 20"),
    Mutant(
        "SYN111",
        ".synapse/testing",
        "TESTING_RULE_1",
        "TESTING_EXCLUDE=manual\nTESTING_RULE_1",
        "TESTING_EXCLUDE",
    ),
    Mutant("SYN112", ".synapse/testing", "TESTING_RULE_1=One", "One", "One behaviour per test."),
    Mutant("SYN113", ".synapse/testing", "TESTING_RULE_1=", "TESTING_RULE_1 =", " "),
    Mutant("SYN114", ".synapse/testing", "TESTING_RULE_1", "TESTING_TIP_1", "TESTING_TIP_1"),
    Mutant("SYN115", ".synapse/testing", "TESTING_RULE_1", "TESTING_RULE_0", "TESTING_RULE_0"),
    Mutant("SYN116", ".synapse/testing", "TESTING_RULE_1", "DEPLOY_RULE_1", "DEPLOY"),
    Mutant("SYN117", SQUAD, "[loader.md]", "[loader.md", ":"),
    Mutant("SYN118", SQUAD, "version: 1.0.0\n", "version: 1.0.0\nversion: 1.0.1\n", "version"),
    Mutant("SYN119", CONFIG, '"word"', "word", "w"),
    Mutant("SYN120", MANIFEST, "REMINDERS_STATE=active\n", "", "REMINDERS"),
    Mutant("SYN121", CONFIG, '"word"', '"words"', '"words"'),
    Mutant("SYN122", CONFIG, "synapse-live", "synapse-life", '"synapse-life"'),
    Mutant("SYN123", CONFIG, "SYN105", "SYN999", '"SYN999"'),
    Mutant("SYN201", MANIFEST, "SLEEPY_STATE", "DEPLOY_STATE=active\nSLEEPY_STATE", "DEPLOY"),
    Mutant(
        "SYN202", MANIFEST, "SLEEPY_STATE=inactive\n", "", "SLEEPY_RULE_0=Nobody reads this yet."
    ),
    Mutant("SYN301", MANIFEST, "coverage", "coverage,", ","),
    Mutant("SYN302", MANIFEST, "EXCLUDE=manual", "EXCLUDE=unit", "unit test"),
    Mutant("SYN303", MANIFEST, "TRIGGER=qa", "TRIGGER=quality", "quality"),
    Mutant("SYN304", MANIFEST, "=release_train", "=relaese_train", "relaese_train"),
    Mutant("SYN305", MANIFEST, "TRIGGER=qa", "TRIGGER=dev", "dev"),
    Mutant(
        "SYN401",
        ".synapse/global",
        "Write small functions.",
        f"Write {'very ' * 640}small functions.",
        "GLOBAL",
    ),
    Mutant("SYN402", ".synapse/context", "RULE_CRITICAL_0", "RULE_CRITCAL_0", "CRITCAL"),
    Mutant(
        "SYN403", MANIFEST, "CONSTITUTION_STATE=active", "CONSTITUTION_STATE=inactive", "inactive"
    ),
    Mutant(
        "SYN501",
        ".synapse/commands",
        "COMMANDS_RULE_PLAN_0=Outline the approach first.\n",
        "",
        "plan",
    ),
    Mutant(
        "SYN502",
        ".synapse/constitution",
        "CONSTITUTION_RULE_ART1_0=Tests First (NON-NEGOTIABLE)\n",
        "",
        "CONSTITUTION_RULE_ART1_1",
    ),
    Mutant("SYN503", ".synapse/constitution", "NON-NEGOTIABLE", "NON-NEGOTIABEL", "NON-NEGOTIABEL"),
    Mutant("SYN601", SQUAD, "version: 1.0.0", "version: one", "one"),
    Mutant("SYN602", SQUAD_MANIFEST, "ETL_EXTENDS=extend", "ETL_EXTENDS=extand", "extand"),
    Mutant("SYN603", SQUAD_MANIFEST, "ETL_EXTENDS=extend", "ETL_EXTENDS=none", "none"),
    Mutant("SYN701", STATE, "status: active", "status: busy", "busy"),
    Mutant("SYN702", "squads/etl-squad/workflows/load.yaml", "  id: load\n", "", "name"),
    Mutant(
        "SYN801",
        ".synapse/global",
        "Write small functions.",
        "Write </synapse-rules> last.",
        "</synapse-rules",
    ),
    Mutant("SYN802", CONFIG, "docs/stories", "../stories", '"../stories"'),
)


def test_a_clean_tree_has_no_findings(tmp_path: Path) -> None:
    assert check_disk(write(tmp_path, CLEAN)) == ()


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.code)
def test_one_slip_is_found_by_one_rule_alone(mutant: Mutant, tmp_path: Path) -> None:
    text = CLEAN[mutant.path]
    assert text.count(mutant.old) == 1
    files = {**CLEAN, mutant.path: text.replace(mutant.old, mutant.new)}
    found = check_disk(write(tmp_path, files))
    assert [diagnostic.code for diagnostic in found] == [mutant.code]
    shown = files[found[0].path].encode(errors="surrogateescape").decode(errors="replace")
    assert found[0].span.cut(shown) == mutant.marked


def test_every_rule_has_a_mutant() -> None:
    assert [mutant.code for mutant in MUTANTS] == [rule.code for rule in rules()]
