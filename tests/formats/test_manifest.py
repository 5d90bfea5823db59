from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given

from synapse_ls.formats import manifest, manifest_settings
from synapse_ls.formats.manifest import DomainDeclaration, Manifest
from synapse_ls.text.finding import Finding
from synapse_ls.text.line_index import LineIndex
from synapse_ls.text.text_edit import TextEdit, apply_edits
from tests.formats.texts import assert_inside, hostile_texts
from tests.support import corpus, mark


def read(text: str) -> Manifest:
    return manifest.parse(text).document


def domain(text: str) -> DomainDeclaration:
    (only,) = read(text).domains.values()
    return only


def problems(text: str) -> list[Finding]:
    return list(manifest.parse(text).problems)


def kinds(text: str) -> list[str]:
    return [problem.kind for problem in problems(text)]


def only_problem(fixture: str) -> Finding:
    """The one problem of a fixture; it stands exactly where the fixture is marked."""
    text, spans = mark(fixture)
    (problem,) = problems(text)
    assert [problem.span] == list(spans)
    return problem


def suggestion(problem: Finding) -> str | None:
    return dict(problem.data).get("suggestion")


# What is read


def test_a_manifest_declares_its_domains_in_order_of_first_mention() -> None:
    document = read("B_STATE=active\nA_RECALL=x\nB_RECALL=y\nA_STATE=inactive\n")
    assert list(document.domains) == ["B", "A"]
    assert document.domains["B"].span == (0, 1)


def test_of_a_manifest_without_end_the_first_settings_are_read() -> None:
    text = "".join(f"D{n}_STATE=active\n" for n in range(manifest.MAX_SETTINGS + 5))
    found = manifest.parse(text)
    assert len(found.document.domains) == manifest.MAX_SETTINGS
    (problem,) = found.problems
    assert problem.kind == "too-many-settings"
    assert problem.span.cut(text) == f"D{manifest.MAX_SETTINGS}_STATE=active"


def test_a_listed_file_is_a_domain_that_its_name_brings_in() -> None:
    found = read(
        "constitution=.synapse/constitution\nagent-dev=.synapse/agent-dev\n"
        "wf=./.synapse/workflow-story-dev\ntesting=testing\n"
    ).domains
    assert list(found) == ["CONSTITUTION", "AGENT_DEV", "WORKFLOW_STORY_DEV", "TESTING"]
    assert all(declaration.is_active for declaration in found.values())
    assert found["AGENT_DEV"].agent_trigger == "dev"
    assert found["WORKFLOW_STORY_DEV"].workflow_trigger == "story_dev"
    assert [name for name, declared in found.items() if declared.always_on] == ["TESTING"]


def test_what_a_manifest_says_of_a_listed_file_counts() -> None:
    text = "TESTING_RECALL=unit test\ntesting=.synapse/testing\nTESTING_STATE=inactive\n"
    found = domain(text)
    assert (found.always_on, found.recall, found.is_active) == (False, ("unit test",), False)


def test_all_listed_files_are_one_problem() -> None:
    fixture = "«global»=.synapse/global\nagent-dev=.synapse/agent-dev\n"
    assert only_problem(fixture).kind == "listed-files"


@pytest.mark.parametrize("line", ["testing=docs/testing", "testing=tests", "a=.synapse/x.md"])
def test_another_value_is_no_listed_file(line: str) -> None:
    assert kinds(line) == ["unknown-key"]
    assert not read(line).domains


def test_every_setting_is_read() -> None:
    found = domain(
        "D_STATE=inactive\nD_ALWAYS_ON=true\nD_NON_NEGOTIABLE=TRUE\nD_AGENT_TRIGGER=dev\n"
        "D_WORKFLOW_TRIGGER=story_development\nD_RECALL=a, b c\nD_EXCLUDE=x\nD_PATHS=src/**\n"
        "D_EVERY_N_TURNS=5\nD_ON_TOKENS=20000\nD_EXTENDS=override\n"
    )
    assert not found.is_active
    assert found.always_on
    assert found.non_negotiable
    assert (found.agent_trigger, found.workflow_trigger) == ("dev", "story_development")
    assert (found.recall, found.exclude, found.paths) == (("a", "b c"), ("x",), ("src/**",))
    assert (found.every_n_turns, found.on_tokens, found.extends) == (5, 20000, "override")


def test_a_setting_that_is_absent_has_its_default() -> None:
    found = domain("D_STATE=active\n")
    assert found.is_active
    assert not found.always_on
    assert not found.non_negotiable
    assert (found.agent_trigger, found.recall, found.every_n_turns) == ("", (), None)


def test_a_domain_without_state_is_active_and_no_problem() -> None:
    assert domain("D_RECALL=x").is_active
    assert kinds("D_RECALL=x") == []


def test_a_suffix_takes_no_part_of_the_domain_name() -> None:
    assert list(read("MY_STATE_MACHINE_STATE=active").domains) == ["MY_STATE_MACHINE"]


def test_globals_declare_no_domain() -> None:
    document = read("DEVMODE=true\nGLOBAL_EXCLUDE=wip, draft\n")
    assert document.devmode
    assert document.global_exclude == ("wip", "draft")
    assert not document.domains


def test_extends_declares_no_domain() -> None:
    document = read("ETL_EXTENDS=override\n")
    assert dict(document.extends) == {"ETL": "override"}
    assert not document.domains
    assert [entry.setting for entry in document.entries] == ["EXTENDS"]


def test_comments_and_blank_lines_are_skipped() -> None:
    document = read("# A_STATE=active\n\n   \n  #B_STATE=active\nC_STATE=active")
    assert list(document.domains) == ["C"]


def test_spaces_around_equals_are_accepted() -> None:
    text = "  D_STATE =  inactive  "
    assert not domain(text).is_active
    assert kinds(text) == []


def test_a_value_may_contain_equals() -> None:
    assert domain("D_RECALL=a=b").recall == ("a=b",)


@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r"])
def test_every_line_break_ends_a_value(line_break: str) -> None:
    document = read(f"A_STATE=active{line_break}B_AGENT_TRIGGER=dev{line_break}")
    assert [entry.value.value for entry in document.entries] == ["active", "dev"]


def test_a_line_separator_is_part_of_the_value() -> None:
    assert domain("D_RECALL=a\u2028b").recall == ("a\u2028b",)


def test_a_byte_order_mark_is_white_space() -> None:
    assert list(read("\ufeffA_STATE=active\n\ufeff# note\n").domains) == ["A"]


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment\n#\n"])
def test_a_text_without_entries_is_an_empty_manifest(text: str) -> None:
    document, found = manifest.parse(text)
    assert (document.entries, dict(document.domains), found) == ((), {}, ())


def test_an_entry_knows_its_places() -> None:
    text, spans = mark("""
        # header
        «  «AGENT_DEV_RECALL» = «unit test» ,«tdd» »
    """)
    (entry,) = read(text).entries
    assert (entry.domain, entry.setting) == ("AGENT_DEV", "RECALL")
    assert (entry.span, entry.key.span, *(item.span for item in entry.items)) == spans


def test_an_entry_is_found_by_an_offset_on_its_line() -> None:
    text = "A_STATE=active\n\nB_STATE=active"
    document = read(text)
    found = [document.entry_at(offset) for offset in (0, 14, 15, 16, len(text))]
    assert [entry and entry.domain for entry in found] == ["A", "A", None, "B", "B"]


def test_an_edit_of_one_value_leaves_the_rest_untouched() -> None:
    text = "# head\r\n\r\nA_STATE = active\r\n# tail\r\nB_STATE=active"
    (value,) = [entry.value for entry in read(text).entries if entry.domain == "A"]
    changed = apply_edits(text, [TextEdit(value.span, "inactive")])
    assert changed == "# head\r\n\r\nA_STATE = inactive\r\n# tail\r\nB_STATE=active"


# What is wrong


def test_a_line_without_equals_is_reported() -> None:
    assert only_problem("A_STATE=active\n  «just words»  \n").kind == "malformed-line"


def test_a_line_without_key_is_reported() -> None:
    assert only_problem("«=active»").kind == "malformed-line"


def test_a_colon_in_place_of_equals_gets_a_fix() -> None:
    problem = only_problem("A_STATE«:» active")
    assert (problem.kind, suggestion(problem)) == ("malformed-line", "=")


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("DEV_RECAL", "DEV_RECALL"),
        ("MY_DEV_ALWAYSON", "MY_DEV_ALWAYS_ON"),
        ("DEV_AGENT_TRIGER", "DEV_AGENT_TRIGGER"),
        ("dev_state", "DEV_STATE"),
        ("DEV_MODE", "DEVMODE"),
        ("GLOBAL_EXCLUDES", "GLOBAL_EXCLUDE"),
        ("ETL_SQUAD_TRIGGER", None),
        ("STATE", None),
        ("_STAET", None),
    ],
)
def test_an_unknown_key_suggests_the_one_that_was_meant(key: str, meant: str | None) -> None:
    problem = only_problem(f"«{key}»=x")
    assert (problem.kind, suggestion(problem)) == ("unknown-key", meant)


def test_a_trigger_that_squads_do_not_need_says_what_they_do() -> None:
    assert "the squad's own `.synapse/manifest`" in only_problem("«ETL_SQUAD_TRIGGER»=x").remedy


def test_keys_of_the_same_foreign_ending_are_one_problem() -> None:
    text = "A_SQUAD_TRIGGER=a\nB_STATE=active\nB_SQUAD_TRIGGER=b\nB_ODD=c\n"
    found = [p for p in manifest.parse(text).problems if p.kind == "unknown-key"]
    assert [problem.span.cut(text) for problem in found] == ["A_SQUAD_TRIGGER", "B_ODD"]
    assert found[0].message.startswith("2 keys that end in `_SQUAD_TRIGGER` are ignored")


def test_unknown_keys_of_a_domain_or_with_one_ending_have_one_cause() -> None:
    text = (
        "A_STATE=active\nB_STATE=active\nA_TYPE=x\nB_TYPE=x\n"
        "A_REGISTRY=x\nA_LEADER_ELECTION=x\nB_ODD=x\nC_ODD_ONE=x\n"
    )
    found = [(p.span.cut(text), p.message) for p in manifest.parse(text).problems]
    assert found == [
        (
            "A_TYPE",
            "2 keys that end in `_TYPE` are ignored, because that is no setting of the manifest.",
        ),
        (
            "A_REGISTRY",
            "2 keys of A are ignored, because they do not end in a setting of the manifest: `_REGISTRY`, "
            "`_LEADER_ELECTION`.",
        ),
        ("B_ODD", "`B_ODD` is ignored, because there is no setting `ODD`."),
        (
            "C_ODD_ONE",
            "`C_ODD_ONE` is ignored, because it does not end in a setting of the manifest.",
        ),
    ]


def test_an_unknown_key_is_kept_as_an_entry_and_declares_nothing() -> None:
    document = read("A_PRIORITY=3")
    (entry,) = document.entries
    assert (entry.key.value, entry.value.value, entry.setting) == ("A_PRIORITY", "3", "")
    assert not document.domains


def test_a_rule_in_the_manifest_is_sent_to_its_file() -> None:
    problem = only_problem("«DEV_DENY_0»=git push")
    assert problem.kind == "unknown-key"
    assert "own file" in problem.message


@pytest.mark.parametrize(
    ("word", "active", "meant"),
    [
        ("true", True, "active"),
        ("1", True, "active"),
        ("no", False, "inactive"),
        ("disabled", False, "inactive"),
        ("actve", True, "active"),
        ("inactiv", True, "inactive"),
        ("maybe", True, None),
        ("desligado", True, "inactive"),
        ("ativo", True, "active"),
    ],
)
def test_another_spelling_of_a_state_is_read_if_possible_and_reported(
    word: str, active: bool, meant: str
) -> None:
    problem = only_problem(f"D_STATE=«{word}»")
    assert (problem.kind, suggestion(problem)) == ("bad-state", meant)
    assert domain(f"D_STATE={word}").is_active is active


def test_a_state_in_capitals_is_fine() -> None:
    assert kinds("D_STATE=ACTIVE\nE_STATE=Inactive") == []


def test_an_empty_state_is_active_and_reported() -> None:
    assert kinds("D_STATE=") == ["bad-state"]
    assert domain("D_STATE=").is_active


@pytest.mark.parametrize(
    ("word", "read_as", "meant"),
    [("yes", True, "true"), ("1", True, "true"), ("on", False, "true"), ("tru", False, "true")],
)
def test_another_spelling_of_a_boolean_is_read_as_carl_reads_it(
    word: str, read_as: bool, meant: str
) -> None:
    problem = only_problem(f"D_ALWAYS_ON=«{word}»")
    assert (problem.kind, suggestion(problem)) == ("bad-boolean", meant)
    assert domain(f"D_ALWAYS_ON={word}").always_on is read_as


def test_devmode_takes_one_word_more() -> None:
    assert read("DEVMODE=on").devmode
    assert kinds("DEVMODE=on") == ["bad-boolean"]


@pytest.mark.parametrize("word", ["", "0", "-3", "1.5", "ten", "٣", "9" * 20])
def test_a_count_that_is_no_count_is_reported_and_absent(word: str) -> None:
    assert kinds(f"D_EVERY_N_TURNS={word}") == ["bad-number"]
    assert domain(f"D_EVERY_N_TURNS={word}").every_n_turns is None


def test_a_wrong_way_to_extend_is_reported() -> None:
    problem = only_problem("ETL_EXTENDS=«overide»")
    assert (problem.kind, suggestion(problem)) == ("bad-extends", "override")


def test_the_last_of_duplicate_keys_wins_and_is_reported() -> None:
    problem = only_problem("D_RECALL=a\n«D_RECALL»=b\n")
    assert problem.kind == "duplicate-key"
    assert dict(problem.data) == {"first_start": "0", "first_end": "10"}
    assert domain("D_RECALL=a\nD_RECALL=b\n").recall == ("b",)


def test_duplicates_of_global_and_extends_keys_are_reported() -> None:
    assert kinds("DEVMODE=false\nDEVMODE=false\nA_EXTENDS=none\nA_EXTENDS=none") == [
        "duplicate-key",
        "duplicate-key",
    ]


@pytest.mark.parametrize(
    ("value", "mended"),
    [("a«,»,b", "a,b"), ("a«, »,b", "a,b"), ("«,»a", "a"), ("a«,,»", "a"), ("«,»", "")],
)
def test_an_empty_list_item_is_a_problem_that_deleting_mends(value: str, mended: str) -> None:
    fixture = f"D_RECALL={value}"
    problem = only_problem(fixture)
    assert problem.kind == "empty-recall-item"
    text = mark(fixture).text
    assert apply_edits(text, [TextEdit(problem.span, "")]) == f"D_RECALL={mended}"


def test_a_list_that_is_empty_as_a_whole_is_fine() -> None:
    assert kinds("D_EXCLUDE=\nD_RECALL=  ") == []


def test_a_note_behind_a_word_is_reported_and_the_word_is_read() -> None:
    problem = only_problem("D_STATE=inactive «# until June»")
    assert problem.kind == "inline-comment"
    assert not domain("D_STATE=inactive # until June").is_active
    assert domain("D_AGENT_TRIGGER=dev # Dex").agent_trigger == "dev"
    assert domain("D_ALWAYS_ON=true\t#x").always_on


def test_a_note_in_place_of_a_word_leaves_the_word_empty() -> None:
    assert kinds("D_STATE=# active") == ["bad-state", "inline-comment"]


def test_a_number_sign_inside_a_word_is_part_of_it() -> None:
    assert domain("D_AGENT_TRIGGER=dev#2").agent_trigger == "dev#2"


def test_a_list_keeps_what_looks_like_a_note_and_reports_it() -> None:
    assert only_problem("D_RECALL=git, push «# main words»").kind == "inline-comment"
    assert domain("D_RECALL=git, push # main words").recall == ("git", "push # main words")


def test_number_signs_in_list_items_are_fine() -> None:
    assert kinds("D_RECALL=c#, issue #12, #deploy") == []


@pytest.mark.parametrize(
    ("name", "usual"), [("dev", "DEV"), ("My-Dom", "MY_DOM"), ("two words", "TWO_WORDS")]
)
def test_an_odd_domain_name_is_reported_once_and_read(name: str, usual: str) -> None:
    problem = only_problem(f"«{name}»_STATE=inactive\n{name}_RECALL=x")
    assert (problem.kind, suggestion(problem)) == ("odd-domain-name", usual)
    assert not domain(f"{name}_STATE=inactive").is_active


def test_a_domain_name_keeps_its_letters_without_their_accents() -> None:
    assert only_problem("«Ação»_STATE=inactive").remedy == "Write `ACAO`."


@pytest.mark.parametrize("name", ["T\u0415STING", "тесты", "測試"])
def test_nothing_is_suggested_for_a_name_in_another_script(name: str) -> None:
    problem = only_problem(f"«{name}»_STATE=inactive")
    assert problem.remedy == "Give the domain a name in the letters A to Z."


def test_every_problem_tells_its_effect_and_the_place() -> None:
    text = "DEVMODE=on\njunk\nA_STATE=x # y\nA_STATE=\nb_RECALL=,\nA_ON_TOKENS=-\nA_FOO=1\n"
    found = problems(text)
    assert len({problem.kind for problem in found}) == 9
    assert_inside(text, found)


@example("A_RULE_x=A_RULE_x")
@given(hostile_texts)
def test_any_text_gives_a_manifest_whose_spans_are_in_the_text(text: str) -> None:
    document, found = manifest.parse(text)
    assert_inside(text, found)
    lines = LineIndex(text)
    for entry in document.entries:
        assert entry.span == lines.line_span(lines.line_of(entry.span.start))
        for piece in (entry.key, entry.value, *entry.items):
            assert piece.span.cut(text) == piece.value
    listed = {entry.line.listed.domain for entry in document.listed if entry.line.listed}
    for declared in document.domains.values():
        # A line `name=path` names its domain as it is spelled; the domain has the usual form of it.
        assert declared.name in (declared.span.cut(text), *listed)
        assert declared.every_n_turns is None or declared.every_n_turns > 0


@given(hostile_texts)
def test_lines_that_are_no_entries_change_nothing(text: str) -> None:
    with_comments = "".join(f"{line}\n# note\n\n" for line in text.split("\n"))
    plain = "".join(f"{line}\n" for line in text.split("\n"))
    assert [(e.key.value, e.value.value) for e in read(with_comments).entries] == [
        (e.key.value, e.value.value) for e in read(plain).entries
    ]


@given(hostile_texts, hostile_texts)
def test_what_is_known_of_lines_from_another_text_changes_nothing(text: str, other: str) -> None:
    manifest.parse(f"{text}\n{other}\n{text}")
    after_another = manifest.parse(text)
    manifest_settings._parse_cached_line.cache_clear()
    assert after_another == manifest.parse(text)


def test_manifests_of_real_trees_have_only_defensible_problems() -> None:
    known = {"unknown-key", "duplicate-key"}
    trees: list[Path] = [*corpus().glob("*/.synapse/manifest"), *corpus().glob("*/.carl/manifest")]
    for path in trees:
        document, found = manifest.parse(path.read_text("utf-8"))
        assert document.domains
        assert {problem.kind for problem in found} <= known


def test_a_manifest_is_no_shell_script() -> None:
    text = "export TESTING_STATE=active\n"
    document, (problem,) = manifest.parse(text)
    assert not document.domains
    assert (problem.kind, problem.span.cut(text)) == ("malformed-line", "export ")


@pytest.mark.parametrize(
    ("paths", "outside"),
    [("../x, src/**", ["../x"]), ("~/x", ["~/x"]), ("C:\\x", ["C:\\x"]), ("a/../b, /src, ..", [])],
)
def test_patterns_of_files_stay_below_the_root(paths: str, outside: list[str]) -> None:
    text = f"X_PATHS={paths}\n"
    found = [
        p.span.cut(text) for p in manifest.parse(text).problems if p.kind == "path-leaves-root"
    ]
    assert found == outside


@pytest.mark.parametrize(
    "text",
    [
        "AGENT_DEV_STATE=active\nAGENT-DEV_STATE=inactive\n",
        "AGENT-DEV_STATE=inactive\nAGENT_DEV_STATE=active\n",
    ],
)
def test_a_second_spelling_of_a_domain_is_another_domain(text: str) -> None:
    document, (problem,) = manifest.parse(text)
    assert set(document.domains) == {"AGENT_DEV", "AGENT-DEV"}
    assert (problem.kind, problem.span.cut(text)) == ("twin-domain", "AGENT-DEV")


def test_listed_files_outside_the_folder_are_one_problem_of_their_own() -> None:
    lines = "dev=.synapse/dev\nowner=.business/OWNER.md\n# Who\nlaw=docs/law.md\n"
    kinds = {problem.kind: problem for problem in manifest.parse(lines).problems}
    assert kinds["unknown-key"].message == (
        "2 lines declare no domain, because the files that they list are not beside the manifest; the first "
        "lists `.business/OWNER.md`."
    )
    assert "beside the manifest" in kinds["unknown-key"].remedy
    (alone,) = [
        p for p in manifest.parse(lines.partition("# Who")[0]).problems if p.kind == "unknown-key"
    ]
    assert alone.message == (
        "`owner` declares no domain, because `.business/OWNER.md` is not beside the manifest."
    )


def test_commas_in_braces_separate_no_patterns() -> None:
    document, problems = manifest.parse(
        "WEB_STATE=active\nWEB_PATHS=src/**/*.{ts,tsx}, docs/{a,b}/{c,d}.md\n"
    )
    assert problems == ()
    assert document.domains["WEB"].paths == (
        *("src/**/*.ts", "src/**/*.tsx"),
        *("docs/a/c.md", "docs/a/d.md", "docs/b/c.md", "docs/b/d.md"),
    )


def test_several_keys_that_name_files_have_the_remedy_of_one() -> None:
    _, (problem,) = manifest.parse("A_FILE=rules/a\nB_FILE=rules/b\n")
    assert problem.remedy.startswith("Delete them, and give each rule file the name of its domain")
