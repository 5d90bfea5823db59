"""Domains and files that miss each other."""

from __future__ import annotations

from pathlib import Path

import pytest

from synapse_ls.lint.lint_runner import lint_tree
from tests.lint.clean import check_disk, findings, write
from tests.trees import tree_of

RULE = "TESTING_RULE_0=a\n"


@pytest.mark.parametrize("name", ["testing", "testing.env", "testing.md"])
def test_a_domain_is_served_by_any_spelling_of_its_file(name: str) -> None:
    files = {".synapse/manifest": "TESTING_STATE=active\n", f".synapse/{name}": RULE}
    assert findings(files, select=("SYN2",)) == []


def test_a_domain_that_is_switched_off_may_wait_for_its_file() -> None:
    assert findings({".synapse/manifest": "TESTING_STATE=inactive\n"}) == []


def test_a_domain_is_reported_where_it_is_first_mentioned() -> None:
    manifest = "# TESTING\nTESTING_RECALL=unit test\nTESTING_STATE=active\n"
    (found,) = lint_tree(tree_of({".synapse/manifest": manifest}))
    assert found.span == (10, 17)


def test_a_near_miss_is_reported_once_and_names_the_file() -> None:
    files = {
        ".synapse/manifest": "TESTING_STATE=active\n",
        ".synapse/tests": "# Tests\nBe brief.\n",
    }
    files[".synapse/testing-rules"] = RULE
    found = lint_tree(tree_of(files))
    assert [(d.code, d.path) for d in found] == [
        ("SYN201", ".synapse/manifest"),
        ("SYN202", ".synapse/tests"),
    ]
    assert found[0].remedy == "Rename the file `.synapse/testing-rules` to `.synapse/testing`."
    assert [related.path for related in found[0].related] == [".synapse/testing-rules"]


def test_a_file_is_the_near_miss_of_one_domain_only() -> None:
    files = {
        ".synapse/manifest": "TESTING_STATE=active\nTESTINGS_STATE=active\n",
        ".synapse/testing-rules": RULE,
    }
    found = lint_tree(tree_of(files))
    assert [bool(diagnostic.related) for diagnostic in found] == [True, False]


def test_a_file_of_one_squad_is_no_near_miss_in_another() -> None:
    files = {
        "squads/a/.synapse/manifest": "TESTING_STATE=active\n",
        "squads/b/.synapse/manifest": "",
        "squads/b/.synapse/testing": RULE,
    }
    found = [(d.code, d.path, d.related) for d in lint_tree(tree_of(files))]
    assert found == [
        ("SYN201", "squads/a/.synapse/manifest", ()),
        ("SYN202", "squads/b/.synapse/testing", ()),
    ]


def test_built_in_files_need_no_manifest() -> None:
    files = {".synapse/global": "GLOBAL_RULE_0=a\n", ".synapse/context": "FRESH_RULE_0=b\n"}
    assert findings(files) == []


def test_the_rules_file_of_a_squad_serves_its_domains() -> None:
    manifest = "PIPELINE_STATE=active\nLOADER_STATE=active\n"
    rules = "PIPELINE_RULE_0=a\nLOADER_RULE_0=b\nETL_LOADER_RULE_1=c\n"
    files = {"squads/etl/.synapse/manifest": manifest, "squads/etl/.synapse/rules": rules}
    assert findings(files) == []


def test_in_a_shared_file_a_foreign_prefix_loses_its_rules() -> None:
    manifest = "PIPELINE_STATE=active\nLOADER_STATE=active\n"
    rules = "PIPELINE_RULE_0=a\nLOADER_RULE_0=b\nOTHER_RULE_0=c\n"
    files = {"squads/etl/.synapse/manifest": manifest, "squads/etl/.synapse/rules": rules}
    (found,) = lint_tree(tree_of(files))
    assert (found.code, found.severity.value) == ("SYN116", "error")
    assert "not injected" in found.message


@pytest.mark.parametrize(
    "key", ["AGENT_UX_RULE_0", "UX_RULE_0", "UX_DESIGN_EXPERT_RULE_0", "UX_RULE_AUTH_0"]
)
def test_short_forms_and_the_trigger_are_a_domains_own_prefixes(key: str) -> None:
    manifest = "AGENT_UX_STATE=active\nAGENT_UX_AGENT_TRIGGER=ux-design-expert\n"
    assert findings({".synapse/manifest": manifest, ".synapse/agent-ux": f"{key}=a\n"}) == []


def test_the_beginning_of_a_domains_name_is_no_foreign_prefix() -> None:
    manifest = "AGENT_UX_EXPERT_STATE=active\nAGENT_UX_EXPERT_AGENT_TRIGGER=ux-expert\n"
    files = {".synapse/manifest": manifest, ".synapse/agent-ux-expert": "AGENT_UX_RULE_0=a\n"}
    assert findings(files, ["SYN116"]) == []
    files[".synapse/agent-ux-expert"] = "AGENT_U_RULE_0=a\n"
    assert findings(files, ["SYN116"]) == ["SYN116 AGENT_U"]


def test_a_foreign_prefix_is_reported_once_in_a_file() -> None:
    rules = "TESTING_RULE_0=a\nDOCS_RULE_0=b\nDOCS_RULE_1=c\nOPS_RULE_0=d\n"
    files = {".synapse/manifest": "TESTING_ALWAYS_ON=true\n", ".synapse/testing": rules}
    assert findings(files, ["SYN1"]) == ["SYN116 DOCS", "SYN116 OPS"]


def test_keys_without_a_number_of_their_own_are_one_finding_and_no_foreign_prefix() -> None:
    rules = "".join(f"GATE_{n}_RULE=Pass gate {n}\n" for n in range(1, 7))
    files = {".synapse/manifest": "GATES_ALWAYS_ON=true\n", ".synapse/gates": rules}
    (found,) = lint_tree(tree_of(files), select=["SYN1"])
    assert found.code == "SYN114"
    assert found.message == (
        "`GATE_1_RULE` and 5 more keys do not end in a number of their own, so their rules are "
        "injected after all rules with numbered keys."
    )


@pytest.mark.parametrize(("manifest", "count"), [("CODE_ALWAYS_ON=true\n", 1), ("", 0)])
def test_code_that_is_too_long_matters_only_in_a_file_that_a_domain_has(
    manifest: str, count: int
) -> None:
    code = "\n".join(f"step_{number}()" for number in range(60))
    text = f"Work so:\n\n```py\n{code}\n```\n"
    files = {".synapse/manifest": f"GLOBAL_STATE=active\n{manifest}", ".synapse/code": text}
    files[".synapse/global"] = "GLOBAL_RULE_0=a\n"
    assert len(lint_tree(tree_of(files), select=["SYN134"])) == count


def test_plain_text_has_no_prefixes() -> None:
    files = {".synapse/manifest": "TESTING_STATE=active\n", ".synapse/testing": "- Be brief.\n"}
    assert findings(files) == []


def test_many_names_that_miss_each_other_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("synapse_ls.lint.tree_lookups.MAX_COMPARISONS", 0)
    files = {".synapse/manifest": "TESTING_STATE=active\n", ".synapse/testings": RULE}
    found = [(d.code, d.related) for d in lint_tree(tree_of(files), select=["SYN2"])]
    assert found == [("SYN201", ()), ("SYN202", ())]


def test_a_missing_manifest_is_one_finding_at_the_first_file() -> None:
    files = {".synapse/b": RULE, ".synapse/a": RULE, ".synapse/global": "GLOBAL_RULE_0=x\n"}
    (found,) = lint_tree(tree_of(files))
    assert (found.code, found.path) == ("SYN202", ".synapse/a")
    assert "no .synapse/manifest" in found.message
    assert "none of the 2 rule files" in found.message


def test_the_manifest_of_a_squad_is_missed_in_its_folder() -> None:
    found = lint_tree(tree_of({".synapse/manifest": "", "squads/etl/.synapse/pipeline": RULE}))
    assert [(d.path, "no squads/etl/.synapse/manifest" in d.message) for d in found] == [
        ("squads/etl/.synapse/pipeline", True)
    ]


def in_case(*lines: str) -> list[str]:
    files = {
        ".synapse/manifest": "TESTING_STATE=active\nNOTES_STATE=active\n",
        ".synapse/testing": RULE,
        ".synapse/notes": "- Be brief.\n",
        ".synapse/tests/a.toml": "\n".join(('[[case]]\nname = "it"', *lines, "max_tokens = 9")),
    }
    return findings(files, select=["SYN209"])


def test_a_case_may_name_any_rule_and_bracket() -> None:
    assert in_case('rules = ["TESTING_RULE_0", "NOTES line 1"]', 'bracket = "fresh"') == []


def test_a_case_that_names_a_rule_or_a_bracket_in_vain_is_found() -> None:
    assert in_case('no_rules = ["TESTING_RULE_9"]') == ["SYN209 TESTING_RULE_9"]
    assert in_case('rules = ["TESTNG line 1"]') == ["SYN209 TESTNG line 1"]
    assert in_case('bracket = "FRESHH"') == ["SYN209 FRESHH"]


def test_the_rules_of_a_very_large_tree_are_not_looked_through(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("synapse_ls.lint.rules.references.unknown_in_test.MOST_DOMAINS", 1)
    assert in_case('no_rules = ["TESTING_RULE_9"]') == []


@pytest.mark.parametrize("name", ["manifest.md", "manifset", "Manifest"])
def test_a_manifest_of_another_name_is_to_be_renamed(name: str) -> None:
    files = {f".synapse/{name}": "TESTING_STATE=active\n", ".synapse/a": RULE}
    (found,) = lint_tree(tree_of(files), select=["SYN202"])
    assert (found.path, found.remedy) == (f".synapse/{name}", "Rename it to `manifest`.")


def test_more_than_five_domains_without_a_file_are_one_finding() -> None:
    names = ("AMBER", "BIRCH", "CEDAR", "DOGWOOD", "ELM")
    five = "".join(f"{name}_STATE=active\n" for name in names)
    assert len(lint_tree(tree_of({".synapse/manifest": five}), select=("SYN201",))) == 5
    six = {".synapse/manifest": f"{five}FIR_STATE=active\n"}
    (found,) = lint_tree(tree_of(six), select=("SYN201",))
    assert found.message == (
        "6 domains have no file, so none of their rules are injected: AMBER, BIRCH, CEDAR and 3 more."
    )
    assert [place.message for place in found.related][-1] == "FIR has no file."


TOLD = {
    ".synapse/manifest": "TESTING_STATE=active\nTESTING_RECALL=unit test\n",
    ".synapse/testing": "TESTING_RULE_0=Write the failing test first.\n",
}


@pytest.mark.parametrize(
    ("path", "front", "codes"),
    [
        ("CLAUDE.md", "", ["SYN213"]),
        (".claude/rules/tests.md", "", ["SYN213"]),
        (".claude/rules/tests.md", "---\npaths: src/**\n---\n", []),
        (".cursor/rules/tests.mdc", "---\nglobs: src/**\nalwaysApply: false\n---\n", []),
        (".cursor/rules/tests.mdc", "---\nglobs: src/**\nalwaysApply: true\n---\n", ["SYN213"]),
        (".cursor/rules/tests.mdc", "---\ndescription: How we test\n---\n", []),
    ],
)
def test_a_file_that_is_read_with_some_files_only_tells_nothing_twice(
    path: str, front: str, codes: list[str]
) -> None:
    text = f"{front}\n# Tests\n\n- Write the failing test first.\n"
    assert [d.code for d in lint_tree(tree_of({**TOLD, path: text}), select=["SYN213"])] == codes


@pytest.mark.parametrize(
    ("here", "there", "count"),
    [
        ("MUST: Write the failing test first.", "Write the failing test first.", 1),
        ("Write the failing test first.", "**MUST:** write the failing test first.", 1),
        ("NEVER: push to main", "Never push to main", 1),
        ("NEVER: push to main", "push to main", 0),
        ("MUST NOT: push to main", "MUST: push to main", 0),
        ("SHOULD: Write the failing test first.", "Write the failing test first.", 0),
        ("Não apague a revisão", "NAO APAGUE A REVISAO", 1),
        ("DEVE: Não apague a revisão", "Não apague a revisão", 1),
        ("がくせい を よぶ", "かくせい を よふ", 0),
    ],
)
def test_a_label_accents_and_capital_letters_make_no_other_rule(
    here: str, there: str, count: int
) -> None:
    files = {
        ".synapse/manifest": "GLOBAL_STATE=active\n",
        ".synapse/global": f"GLOBAL_RULE_0={here}\n",
        "CLAUDE.md": f"# Rules\n\n- {there}\n- Keep it short.\n",
    }
    assert len(lint_tree(tree_of(files), select=["SYN213"])) == count


def test_either_copy_of_a_rule_may_go() -> None:
    files = {**TOLD, "CLAUDE.md": "- Write the failing test first.\n"}
    (found,) = lint_tree(tree_of(files), select=["SYN213"])
    assert found.remedy.endswith("delete it here, or in the tree.")


@pytest.mark.parametrize(
    ("name", "text", "count"),
    [
        ("notice-board", "", 0),
        ("DEPRECATED.md", "# Gone\n\n| Old | New |\n|---|---|\n| a | b |\n\nSee the record.\n", 0),
        ("schema.md", "# Format\n\n- `id`: a text\n\n```yaml\nid: a\n```\n", 0),
        ("done.md", "# Pronto\n\n- Execute comandos como sempre\n\n```sh\nrun\n```\n", 0),
        ("style.md", "# Style\n\n- Never use tabs\n\n```py\npass\n```\n", 1),
        ("house.md", "# House\n\n- Write British English.\n", 1),
        ("keys.md", "KEYS_RULE_0=Use | as a border.\n| a |\n", 1),
    ],
)
def test_a_page_that_only_explains_something_misses_no_domain(
    name: str, text: str, count: int
) -> None:
    files = {**TOLD, f".synapse/{name}": text}
    assert len(lint_tree(tree_of(files), select=["SYN202"])) == count


@pytest.mark.parametrize(("template", "count"), [("manifest.template", 0), ("other.template", 1)])
def test_a_template_of_the_manifest_is_as_good_as_one(
    template: str, count: int, tmp_path: Path
) -> None:
    files = {f".carl/{template}": "A_STATE=active\n", ".carl/mail": "MAIL_RULE_0=Be brief.\n"}
    found = [one.path for one in check_disk(write(tmp_path, files)) if one.code == "SYN202"]
    assert found == [".carl/mail"] * count


def test_a_file_that_counts_for_more_than_in_its_client_is_named_where_it_is_referred_to() -> None:
    files = {
        ".synapse/config.toml": '[[adopted]]\npath = ".cursor/rules/types.mdc"\n',
        ".cursor/rules/types.mdc": '---\nglobs: "*.ts, !a.ts"\n---\n- Use strict types.\n',
    }
    (finding,) = lint_tree(tree_of(files), select=["SYN215"])
    assert "`!a.ts` matches less there" in finding.message
    files[".synapse/config.toml"] += 'paths = ["**/*.ts"]\n'
    assert not lint_tree(tree_of(files), select=["SYN215"])
