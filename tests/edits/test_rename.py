from __future__ import annotations

import pytest

from synapse_ls.edits.domain_edits import add_domain
from synapse_ls.edits.edit_targets import tree_after
from synapse_ls.edits.rename_plans import rename_domain
from tests.edits.support import MANIFEST, SMALL, refusal, result, text_of
from tests.trees import tree_of

SQUAD = "squads/web-squad"


def test_renames_manifest_keys_rule_keys_and_file() -> None:
    tree = result(SMALL, lambda t: rename_domain(t, "testing", "unit-tests"))
    before = tree_of(SMALL)
    assert text_of(tree, MANIFEST) == text_of(before, MANIFEST).replace("TESTING_", "UNIT_TESTS_")
    assert text_of(tree, ".synapse/unit-tests") == text_of(before, ".synapse/testing").replace(
        "TESTING_", "UNIT_TESTS_"
    )
    assert tree.snapshot.facts(".synapse/testing") is None


def test_takes_the_new_name_as_a_key_too() -> None:
    tree = result(SMALL, lambda t: rename_domain(t, "TESTING", "UNIT_TESTS"))
    assert "UNIT_TESTS" in tree.domains_by_label


def test_to_itself_changes_nothing() -> None:
    assert not rename_domain(tree_of(SMALL), "testing", "testing")


def test_a_domain_whose_name_only_begins_alike_keeps_its_own() -> None:
    files = {MANIFEST: "API_STATE=active\nAPI_DOCS_STATE=active\n"}
    tree = result(files, lambda t: rename_domain(t, "API", "rest"))
    assert text_of(tree, MANIFEST) == "REST_STATE=active\nAPI_DOCS_STATE=active\n"


def test_short_prefixes_follow_unless_they_are_the_triggers_own() -> None:
    files = {
        MANIFEST: "AGENT_UX_STATE=active\nAGENT_UX_AGENT_TRIGGER=designer\n",
        ".synapse/agent-ux": "UX_RULE_0=a\nAGENT_UX_RULE_1=b\nDESIGNER_RULE_2=c\n",
    }
    tree = result(files, lambda t: rename_domain(t, "agent-ux", "agent-look"))
    assert text_of(tree, ".synapse/agent-look") == (
        "LOOK_RULE_0=a\nAGENT_LOOK_RULE_1=b\nDESIGNER_RULE_2=c\n"
    )


def test_a_prefix_that_is_also_the_trigger_stays() -> None:
    files = {
        MANIFEST: "AGENT_DEV_STATE=active\nAGENT_DEV_AGENT_TRIGGER=dev\n",
        ".synapse/agent-dev": "DEV_RULE_AUTH_0=NEVER push\n",
    }
    tree = result(files, lambda t: rename_domain(t, "agent-dev", "agent-builder"))
    assert text_of(tree, ".synapse/agent-builder") == "DEV_RULE_AUTH_0=NEVER push\n"
    assert tree.rules_of(tree.domains_by_label["AGENT_BUILDER"])


def test_the_files_own_spelling_and_ending_stay() -> None:
    files = {MANIFEST: "A_B_STATE=active\n", ".synapse/a_b.md": "A_B_RULE_0=x\n"}
    tree = result(files, lambda t: rename_domain(t, "a-b", "c-d"))
    assert text_of(tree, ".synapse/c_d.md") == "C_D_RULE_0=x\n"


def test_a_domain_without_a_file_is_renamed_in_the_manifest() -> None:
    tree = result({MANIFEST: "A_STATE=active\n"}, lambda t: rename_domain(t, "a", "b"))
    assert text_of(tree, MANIFEST) == "B_STATE=active\n"


def test_a_squad_that_overrides_the_domain_follows() -> None:
    files = {
        **SMALL,
        f"{SQUAD}/squad.yaml": "name: web-squad\nversion: 1.0.0\nconfig:\n  extends: override\n",
        f"{SQUAD}/.synapse/manifest": "TESTING_STATE=active\nTESTING_RECALL=browser test\n",
        f"{SQUAD}/.synapse/testing": "TESTING_RULE_0=Test in two browsers\n",
    }
    tree = result(files, lambda t: rename_domain(t, "testing", "checks"))
    assert text_of(tree, f"{SQUAD}/.synapse/manifest") == (
        "CHECKS_STATE=active\nCHECKS_RECALL=browser test\n"
    )
    assert text_of(tree, f"{SQUAD}/.synapse/checks") == "CHECKS_RULE_0=Test in two browsers\n"


def test_an_overriding_squads_own_prefix_stays() -> None:
    files = {
        **SMALL,
        f"{SQUAD}/.synapse/manifest": "WEB_EXTENDS=override\nWEB_TESTING_STATE=active\n",
    }
    tree = result(files, lambda t: rename_domain(t, "testing", "checks"))
    assert text_of(tree, f"{SQUAD}/.synapse/manifest") == (
        "WEB_EXTENDS=override\nWEB_CHECKS_STATE=active\n"
    )


def test_a_squad_that_only_adds_keeps_its_domain_of_the_same_name() -> None:
    files = {**SMALL, f"{SQUAD}/.synapse/manifest": "TESTING_STATE=active\n"}
    tree = result(files, lambda t: rename_domain(t, "testing", "checks"))
    assert text_of(tree, f"{SQUAD}/.synapse/manifest") == "TESTING_STATE=active\n"


def test_a_name_that_an_overriding_squad_would_capture_is_refused() -> None:
    files = {
        **SMALL,
        f"{SQUAD}/.synapse/manifest": "WEB_EXTENDS=override\nCHECKS_STATE=active\n",
    }
    refused = refusal(files, lambda t: rename_domain(t, "testing", "checks"))
    assert "overrides any domain called CHECKS" in refused.sentence


def test_a_squads_domain_is_renamed_in_its_own_tree() -> None:
    files = {**SMALL, f"{SQUAD}/.synapse/manifest": "PAGES_STATE=active\n"}
    tree = result(files, lambda t: rename_domain(t, "web-pages", "views"))
    assert "WEB_VIEWS" in tree.domains_by_label


def test_a_squads_shared_file_keeps_its_name_and_the_other_domains_keys() -> None:
    files = {
        **SMALL,
        f"{SQUAD}/.synapse/manifest": "PAGES_STATE=active\nFORMS_STATE=active\n",
        f"{SQUAD}/.synapse/rules": "PAGES_RULE_0=a\nFORMS_RULE_0=b\n",
    }
    tree = result(files, lambda t: rename_domain(t, "web-pages", "views"))
    assert text_of(tree, f"{SQUAD}/.synapse/rules") == "VIEWS_RULE_0=a\nFORMS_RULE_0=b\n"


def test_line_breaks_comments_and_order_stay() -> None:
    files = {
        MANIFEST: "# A_STATE\r\nA_RECALL=x\r\n\r\nA_STATE=active",
        ".synapse/a": "# A_RULE_0\r\nA_RULE_5=five\r\nA_RULE_2=A_RULE_5\r\n",
    }
    tree = result(files, lambda t: rename_domain(t, "a", "bc"))
    assert text_of(tree, MANIFEST) == "# A_STATE\r\nBC_RECALL=x\r\n\r\nBC_STATE=active"
    assert text_of(tree, ".synapse/bc") == "# A_RULE_0\r\nBC_RULE_5=five\r\nBC_RULE_2=A_RULE_5\r\n"


@pytest.mark.parametrize(("old", "new"), [("global", "common"), ("testing", "commands")])
def test_names_with_a_fixed_meaning_are_refused(old: str, new: str) -> None:
    assert "fixed meaning" in refusal(SMALL, lambda t: rename_domain(t, old, new)).sentence


@pytest.mark.parametrize(
    ("new", "says"),
    [
        ("tests", ".synapse/tests would not be read as a file of rules"),
        ("config", ".synapse/config would be taken for the configuration"),
        ("sessions", ".synapse/sessions would not be read as a file of rules"),
        ("AUDIT_RECALL", "spells the setting RECALL of AUDIT"),
        ("web-agent-trigger", "spells the setting AGENT_TRIGGER of WEB"),
        ("global-exclude", "spells a setting of the whole tree"),
    ],
)
def test_a_name_that_means_something_else_in_the_folder_or_the_manifest_is_refused(
    new: str, says: str
) -> None:
    assert says in refusal(SMALL, lambda t: rename_domain(t, "testing", new)).sentence
    assert says in refusal(SMALL, lambda t: add_domain(t, new, recall=["word"])).sentence


def test_a_name_in_use_is_refused() -> None:
    files = {**SMALL, ".synapse/checks": "CHECKS_RULE_0=x\n"}
    refused = refusal(files, lambda t: rename_domain(t, "testing", "checks"))
    assert ".synapse/checks already exists" in refused.sentence


def test_a_bad_new_name_is_refused() -> None:
    assert (
        "cannot name"
        in refusal(SMALL, lambda t: rename_domain(t, "testing", "Unit Tests")).sentence
    )


def test_the_comment_that_heads_a_file_made_here_follows() -> None:
    made = tree_after(
        tree_of(SMALL), add_domain(tree_of(SMALL), "api-design", rules=["Version it"])
    )
    tree = tree_after(made, rename_domain(made, "api-design", "web-design"))
    assert text_of(tree, ".synapse/web-design").startswith("# Domain WEB_DESIGN; ")
