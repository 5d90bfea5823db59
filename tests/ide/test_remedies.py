"""Each way out that a remedy names can be taken with an action."""

from __future__ import annotations

import pytest

from tests.ide.test_actions import CONFIG, MANIFEST, At
from tests.trees import TEAM

TESTING = ".synapse/testing"
CASES = ".synapse/tests/a.toml"


@pytest.mark.parametrize(
    ("path", "text", "title", "after"),
    [
        (TESTING, "«nokey»=x\nTESTING_RULE_0=a\n", "Begin", "# nokey=x\nTESTING_RULE_0=a\n"),
        (TESTING, "TESTING_RULE_0=a\n«TESTING_RULE_1»=\n", "Delete", "TESTING_RULE_0=a\n"),
        (TESTING, "TESTING_RULE_0=a\n«b» c\n  d\n", "Begin", "TESTING_RULE_0=a\n# b c\n  # d\n"),
        (MANIFEST, "GLOBAL_STATE=active\n«some» words\n", "Begin", "GLOBAL_STATE=active\n# some words\n"),
        (MANIFEST, "GLOBAL_STATE=active\n«=»x\n", "Delete", "GLOBAL_STATE=active\n"),
        (TESTING, "TESTING_RULE_0=a\nTESTING_RULE_1=«a»\n", "Delete this", "TESTING_RULE_0=a\n"),
        (CONFIG, "«mtching» = 1\nprofile = 'synapse'\n", "Delete", "profile = 'synapse'\n"),
        (CONFIG, 'matching = «"x"»\n', "Delete `matching`", ""),
        (CONFIG, "[«nothing»]\na = [\n  1,\n]\n\n[lint]\nignore = []\n", "Delete", "[lint]\nignore = []\n"),
        (CONFIG, "[lint]\n«noting» = [\n  1,\n]\nignore = []\n", "Delete", "[lint]\nignore = []\n"),
        (CASES, '[[case]]\nname = "a"\n«zzz» = 1\nmax_tokens = 2\n', "Delete `zzz`", '[[case]]\nname = "a"\nmax_tokens = 2\n'),
    ],
)  # fmt: skip
def test_a_way_out(path: str, text: str, title: str, after: str) -> None:
    at = At(path, text)
    assert at.text_after(title) == after
    assert not at.action(title).is_preferred


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (CONFIG, "lint = { «noting» = 1, ignore = [] }\n"),
        (CASES, '[[case]]\nname = "a"\nmax_tokens = «"x"»\n'),
        (CASES, '[[case]]\n«name» = "a"\n'),
    ],
)
def test_what_could_not_go_alone_is_not_deleted(path: str, text: str) -> None:
    assert not [title for title in At(path, text).titles("quickfix") if "Delete" in title]


def test_a_setting_among_rules_moves_to_its_domain_in_the_manifest() -> None:
    files = {**TEAM, MANIFEST: "TESTING_STATE=active\nGLOBAL_STATE=active\n"}
    at = At(TESTING, "«TESTING_RECALL»=unit test\nTESTING_RULE_0=a\n", files)
    action = at.action("Move `TESTING_RECALL`")
    assert action.is_preferred
    assert at.text_after("Move") == "TESTING_RULE_0=a\n"
    assert at.text_after("Move", MANIFEST) == (
        "TESTING_STATE=active\nTESTING_RECALL=unit test\nGLOBAL_STATE=active\n"
    )


def test_a_setting_that_the_manifest_has_is_deleted_among_the_rules() -> None:
    files = {**TEAM, MANIFEST: "TESTING_STATE=active\n"}
    at = At(TESTING, "«TESTING_STATE»=inactive\nTESTING_RULE_0=a\n", files)
    assert at.text_after("Delete `TESTING_STATE`") == "TESTING_RULE_0=a\n"
    assert not [title for title in at.titles("quickfix") if title.startswith("Move")]
