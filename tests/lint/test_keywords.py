"""What is said of single keywords, and of settings that cannot have an effect."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.engine.word_matching import fold_text
from synapse_ls.formats.manifest import parse
from synapse_ls.lint.fixes import plan_fixes
from synapse_ls.lint.language_words import COMMON_KEYWORDS, commonest_words
from synapse_ls.lint.lint_runner import lint_tree
from synapse_ls.workspace.file_kinds import BUILT_IN
from tests.engine.blocks import block
from tests.lint.clean import findings
from tests.trees import plan_of, tree_of

X = {".synapse/x": "X_RULE_0=a\n"}
SUBSTRING = {".synapse/config.toml": "matching = 'substring'\n"}


def found(code: str, manifest: str, **more: dict[str, str]) -> list[str]:
    """What a rule marks in a manifest that begins with a domain X."""
    files = {".synapse/manifest": f"X_STATE=active\n{manifest}", **X}
    for other in more.values():
        files |= other
    return [marked.removeprefix(f"{code} ") for marked in findings(files, select=(code,))]


def test_word_lists_are_folded() -> None:
    commonest = commonest_words(("en", "pt", "es"))
    assert all(word == fold_text(word) for word in commonest | COMMON_KEYWORDS)


@pytest.mark.parametrize(
    ("recall", "short"),
    [
        ("the, unit test", ["the"]),
        ("Não, NOT, você", ["Não", "NOT", "você"]),
        ("x, 7, 42, ?", ["x", "7", "42", "?"]),
        ("ui, db, c#, c++, go, 404, os", []),
        ("when testing, with care", []),
        ("税, 税金", []),
    ],
)
def test_single_characters_small_numbers_and_stop_words_are_short(
    recall: str, short: list[str]
) -> None:
    assert found("SYN306", f"X_RECALL={recall}\n") == short


@pytest.mark.parametrize(
    "word", ["NAS", "HA", "SEM", "DAS", "era", "num", "pelo", "os", "dos", "go"]
)
def test_a_word_that_is_a_name_in_another_language_is_no_stop_word(word: str) -> None:
    assert found("SYN306", f"X_RECALL={word},something else\n") == []


def test_keywords_inside_of_other_words_are_reported_and_those_in_none_are_not() -> None:
    recall = "npm, llm, ring, table, spec, test, auth, DM, list, dial, authors, docker"
    manifest = f"X_RECALL={recall}\n"
    assert found("SYN306", manifest, config=SUBSTRING) == [
        *("ring", "table", "spec", "test", "auth", "DM", "list", "dial"),
    ]
    assert found("SYN306", manifest) == []


def test_portuguese_words_are_examples_only_where_the_manifest_has_some() -> None:
    assert found("SYN306", "X_RECALL=dad, stream\n", config=SUBSTRING) == []
    for manifest in (
        "X_RECALL=dad, arquivo, código\n",
        "# Regras do servidor, quando o usuário pergunta\nX_RECALL=dad\n",
    ):
        assert found("SYN306", manifest, config=SUBSTRING) == ["dad"]


@pytest.mark.parametrize(
    ("keyword", "hosts"), [("DM", "administration"), ("list", "listen"), ("dial", "dialog")]
)
def test_a_keyword_inside_of_words_names_the_words(keyword: str, hosts: str) -> None:
    files = {".synapse/manifest": f"X_STATE=active\nX_RECALL={keyword}, stream\n", **X, **SUBSTRING}
    (diagnostic,) = lint_tree(tree_of(files), select=("SYN306",))
    assert f"`{hosts}`" in diagnostic.message


def test_short_ones_are_reported_where_words_are_looked_into() -> None:
    assert found("SYN306", "X_RECALL=api, ui, c++, css\n", config=SUBSTRING) == ["api", "ui"]


def test_the_only_keyword_is_not_deleted() -> None:
    for recall, has_fix in (("the", False), ("the, unit test", True)):
        files = {".synapse/manifest": f"X_STATE=active\nX_RECALL={recall}\n", **X}
        (diagnostic,) = lint_tree(tree_of(files), select=("SYN306",))
        assert (diagnostic.fix is not None) == has_fix


def test_a_keyword_that_its_domain_needs_is_not_deleted() -> None:
    for recall, config in (
        ("dom, element", SUBSTRING),
        ("test, element", SUBSTRING),
        ("x, unit", {}),
    ):
        files = {".synapse/manifest": f"X_STATE=active\nX_RECALL={recall}\n", **X, **config}
        (diagnostic,) = lint_tree(tree_of(files), select=("SYN306",))
        assert diagnostic.fix is None
        assert "rite a longer" in diagnostic.remedy
        assert "delete" not in diagnostic.remedy


def test_a_domain_that_is_switched_off_has_no_keywords_to_speak_of() -> None:
    manifest = 'Y_STATE=inactive\nY_RECALL=the, code, code, "q"\n'
    assert found("SYN3", manifest) == []


def test_everyday_words_are_common_and_phrases_are_not() -> None:
    recall = "X_RECALL=File, arquivo, código, file upload, pytest\n"
    assert found("SYN307", recall) == ["File", "arquivo", "código"]


@pytest.mark.parametrize(
    ("recall", "contained"),
    [
        ("unit, unit test", ["unit test"]),
        ("unit test, unit", ["unit test"]),
        ("unit, units", []),
        ("unit, Unit", ["Unit"]),
        ("unit, unit, unit test", ["unit", "unit test"]),
        (".git, src/.git", ["src/.git"]),
        ("unit", []),
    ],
)
def test_a_keyword_with_another_one_in_it_adds_nothing(recall: str, contained: list[str]) -> None:
    assert found("SYN308", f"X_RECALL={recall}\n") == contained


def test_within_words_a_longer_word_adds_nothing() -> None:
    assert found("SYN308", "X_RECALL=unit, units\n", config=SUBSTRING) == ["units"]


def test_a_keyword_that_is_there_twice_is_deleted_safely() -> None:
    files = {".synapse/manifest": "X_STATE=active\nX_RECALL=unit, unit\n", **X}
    (diagnostic,) = lint_tree(tree_of(files), select=("SYN308",))
    assert diagnostic.fix
    assert diagnostic.fix.safe


@pytest.mark.parametrize(
    ("recall", "dead"),
    [
        ('"unit test", coverage', ['"unit test"']),
        ("'a b', “c d”, «e f»", ["'a b'", "“c d”", "«e f»"]),
        ("`npm test`, don't, 'tis, rock 'n' roll", []),
        ('"a" or "b"', []),
        ("tests; unit test, coverage", ["tests; unit test"]),
        ("tests|coverage", ["tests|coverage"]),
        ("[tests, unit test]", ["[tests, unit test]"]),
        ("test*, coverage", ["test*"]),
        ("[x], *review, a *b* c, ps | grep, for (;;), **, x;", []),
        ("<synapse-rules>", ["<synapse-rules>"]),
        ("\u0301", ["\u0301"]),
        ("c++, .git, /lean:, ```", []),
        ("x" * 4001, ["x" * 4001]),
    ],
)
def test_what_no_prompt_can_match_is_dead(recall: str, dead: list[str]) -> None:
    assert found("SYN309", f"X_RECALL={recall}\n") == dead


@pytest.mark.parametrize(
    ("recall", "mended"),
    [
        ("tests; unit test", "tests, unit test"),
        ("tests|coverage", "tests, coverage"),
        ('["tests", "unit test"]', "tests, unit test"),
        ("test*", "test"),
    ],
)
def test_a_list_in_another_notation_becomes_a_list(recall: str, mended: str) -> None:
    tree = tree_of({".synapse/manifest": f"X_STATE=active\nX_RECALL={recall}\n", **X})
    made = plan_fixes(tree, lambda now: lint_tree(now, select=("SYN309",)), unsafe=True)
    facts = made.tree.snapshot.facts(".synapse/manifest")
    assert facts is not None
    assert facts.text == f"X_STATE=active\nX_RECALL={mended}\n"


def test_a_long_keyword_lives_where_everything_is_read() -> None:
    config = {".synapse/config.toml": "match_everything = true\n"}
    plain = {".synapse/config.toml": ""}
    recall = f"X_RECALL={'x' * 4001}\n"
    assert found("SYN309", recall, config=plain) == ["x" * 4001]
    assert found("SYN309", recall, config=config) == []


@given(
    st.text(st.characters(exclude_categories=("Cs", "Cc"), exclude_characters=",=#"), min_size=1)
)
def test_what_is_not_dead_is_matched_by_a_prompt_that_says_it(word: str) -> None:
    manifest = f"X_STATE=active\nX_RECALL={word}\n"
    (entry,) = (e for e in parse(manifest).document.entries if e.setting == "RECALL")
    dead = found("SYN309", f"X_RECALL={word}\n")
    if not entry.items or dead:
        return
    plan = plan_of({".synapse/manifest": manifest, **X})
    made = block(plan, f"we say {entry.items[0].value} here", bracket="MODERATE")
    assert "[KEYWORD MATCHES]" in made.text


@pytest.mark.parametrize(
    ("manifest", "idle"),
    [
        ("X_ALWAYS_ON=true\nX_RECALL=unit\n", ["X_RECALL"]),
        (
            "X_ALWAYS_ON=yes\nX_PATHS=src/**\nX_EVERY_N_TURNS=5\nX_ON_TOKENS=9\nX_EXCLUDE=a\n",
            ["X_PATHS", "X_EVERY_N_TURNS", "X_ON_TOKENS", "X_EXCLUDE"],
        ),
        ("X_ALWAYS_ON=false\nX_RECALL=unit\nX_EXCLUDE=manual\n", []),
        ("X_ALWAYS_ON=true\nX_RECALL=\n", []),
        ("X_ALWAYS_ON=true\nX_AGENT_TRIGGER=dev\n", []),
        ("X_EXCLUDE=manual\n", []),
        ("X_AGENT_TRIGGER=dev\nX_EXCLUDE=manual\n", ["X_EXCLUDE"]),
        ("X_RECALL=unit\nX_EXCLUDE=\n", []),
        ("GLOBAL_RECALL=unit\nGLOBAL_EXCLUDE=manual\n", ["GLOBAL_RECALL"]),
        ("CONTEXT_AGENT_TRIGGER=dev\nCONTEXT_ALWAYS_ON=true\n", ["CONTEXT_AGENT_TRIGGER"]),
        ("Y_STATE=inactive\nY_ALWAYS_ON=true\nY_RECALL=unit\n", []),
    ],
)
def test_settings_that_decide_nothing_are_idle(manifest: str, idle: list[str]) -> None:
    assert sorted(found("SYN310", manifest)) == sorted(idle)


def test_every_built_in_domain_has_a_place_of_its_own() -> None:
    for name in map(str.upper, BUILT_IN):
        assert found("SYN310", f"{name}_RECALL=unit\n") == [f"{name}_RECALL"]


def test_a_squads_domain_may_be_called_like_a_built_in_one() -> None:
    files = {
        "squads/s/.synapse/manifest": "CONTEXT_STATE=active\nCONTEXT_RECALL=unit\n",
        "squads/s/.synapse/rules": "- a\n",
    }
    assert findings(files, select=("SYN310",)) == []


def test_the_line_that_alone_declares_a_domain_is_not_deleted() -> None:
    files = {".synapse/manifest": "GLOBAL_RECALL=unit\n", **X}
    (diagnostic,) = lint_tree(tree_of(files), select=("SYN310",))
    assert diagnostic.fix is None


def test_a_misspelt_key_is_not_written_a_second_time() -> None:
    files = {".synapse/manifest": "X_STATE=active\nX_RECALL=unit\nX_RECAL=coverage\n", **X}
    (diagnostic,) = lint_tree(tree_of(files), select=("SYN104",))
    assert diagnostic.fix is None


@pytest.mark.parametrize(
    ("items", "patterns"),
    [
        ("dist/**, draft", ["dist/**"]),
        ("*.lock", ["*.lock"]),
        ("src/*/gen, **/node_modules/**", ["src/*/gen", "**/node_modules/**"]),
        ("dist/, .git, c++, */, 2*3, a*b", ["*/"]),
        ("and/or", []),
    ],
)
def test_patterns_of_paths_exclude_no_prompt_about_their_files(
    items: str, patterns: list[str]
) -> None:
    manifest = f"X_STATE=active\nX_RECALL=unit\nGLOBAL_EXCLUDE={items}\n"
    assert found("SYN313", manifest) == patterns
    plan = plan_of({".synapse/manifest": manifest, **X})
    for pattern in patterns:
        path = pattern.replace("**", "name").replace("*", "name")
        assert "[KEYWORD MATCHES]" in block(plan, f"a unit of {path}", bracket="MODERATE").text


def test_the_word_that_is_proposed_for_a_pattern_excludes_its_files() -> None:
    files = {".synapse/manifest": "X_STATE=active\nX_RECALL=unit\nGLOBAL_EXCLUDE=dist/**\n", **X}
    (diagnostic,) = lint_tree(tree_of(files), select=("SYN313",))
    assert diagnostic.remedy.startswith("Write `dist/`")
    files[".synapse/manifest"] = files[".synapse/manifest"].replace("dist/**", "dist/")
    made = block(plan_of(files), "a unit of dist/name", bracket="MODERATE")
    assert "[KEYWORD MATCHES]" not in made.text
