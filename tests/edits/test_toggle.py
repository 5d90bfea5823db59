from __future__ import annotations

import pytest

from synapse_ls.edits.domain_edits import toggle_domain
from tests.edits.support import MANIFEST, SMALL, refusal, result, text_of
from tests.trees import tree_of


def manifest(text: str) -> dict[str, str]:
    return {MANIFEST: text}


def test_switches_a_domain_off_and_changes_nothing_else() -> None:
    tree = result(SMALL, lambda t: toggle_domain(t, "testing"))
    assert text_of(tree, MANIFEST) == text_of(tree_of(SMALL), MANIFEST).replace(
        "TESTING_STATE=active", "TESTING_STATE=inactive"
    )


def test_switches_an_inactive_domain_on() -> None:
    tree = result(manifest("A_STATE = inactive\r\n"), lambda t: toggle_domain(t, "A"))
    assert text_of(tree, MANIFEST) == "A_STATE = active\r\n"


def test_a_wanted_state_that_holds_already_changes_nothing() -> None:
    assert not toggle_domain(tree_of(SMALL), "TESTING", True)


def test_an_accepted_spelling_is_made_the_usual_one() -> None:
    tree = result(manifest("A_STATE=yes\n"), lambda t: toggle_domain(t, "a", True))
    assert text_of(tree, MANIFEST) == "A_STATE=active\n"


def test_a_domain_without_a_state_is_switched_off_with_a_line_of_its_own() -> None:
    tree = result(manifest("# one\nA_RECALL=x\nA_EXCLUDE=y"), lambda t: toggle_domain(t, "A"))
    assert text_of(tree, MANIFEST) == "# one\nA_STATE=inactive\nA_RECALL=x\nA_EXCLUDE=y"


def test_the_last_of_duplicate_states_is_the_one_that_counts_and_changes() -> None:
    tree = result(manifest("A_STATE=inactive\nA_STATE=active\n"), lambda t: toggle_domain(t, "A"))
    assert text_of(tree, MANIFEST) == "A_STATE=inactive\nA_STATE=inactive\n"


def test_a_built_in_domain_that_no_manifest_mentions_can_be_switched_off() -> None:
    files = {MANIFEST: "A_STATE=active\n", ".synapse/global": "GLOBAL_RULE_0=x\n"}
    tree = result(files, lambda t: toggle_domain(t, "global"))
    assert text_of(tree, MANIFEST) == "A_STATE=active\n\nGLOBAL_STATE=inactive\n"


def test_a_squads_domain_is_switched_in_the_squads_manifest() -> None:
    files = {**SMALL, "squads/etl/.synapse/manifest": "PIPELINE_STATE=active\n"}
    tree = result(files, lambda t: toggle_domain(t, "etl-pipeline"))
    assert text_of(tree, "squads/etl/.synapse/manifest") == "PIPELINE_STATE=inactive\n"


def test_an_unreadable_state_is_not_switched_over() -> None:
    refused = refusal(manifest("A_STATE=maybe\n"), lambda t: toggle_domain(t, "A"))
    assert '"maybe"' in refused.sentence


def test_an_unreadable_state_is_replaced_by_a_wanted_one() -> None:
    tree = result(manifest("A_STATE=maybe\n"), lambda t: toggle_domain(t, "A", False))
    assert text_of(tree, MANIFEST) == "A_STATE=inactive\n"


def test_the_constitution_cannot_be_switched_off() -> None:
    files = manifest("CONSTITUTION_STATE=active\n")
    assert (
        "cannot be switched off"
        in refusal(files, lambda t: toggle_domain(t, "constitution")).sentence
    )


@pytest.mark.parametrize("name", ["TESTNG", "testings", "test-ing"])
def test_a_near_miss_is_suggested(name: str) -> None:
    assert "Did you mean TESTING?" in refusal(SMALL, lambda t: toggle_domain(t, name)).remedy


def test_an_unknown_domain_without_a_near_miss_points_at_the_list() -> None:
    assert "synapse domains" in refusal(SMALL, lambda t: toggle_domain(t, "quantum")).remedy
