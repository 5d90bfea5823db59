"""A finding names the cause that its line has, and what to write in its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lint.clean import write
from tests.lint.test_people_mistakes import BASE, read_tree, take, ways_out

MANIFEST, RULES = ".synapse/manifest", ".synapse/testing"
_ONE_OF = "Only one agent can stand here, so neither `@dev` nor `@qa` activates TESTING."
_RULE = "TESTING_RULE_0=Test first.\n"
_NO_DOMAIN = "Write a domain before it, for example `TESTING_STATE`, or begin the line with `#` to make it a comment."
_PROSE = "This line is not injected, because the other rules of the file have keys."
_NO_NUMBER = (
    "does not end in `_` and a number, so its rule is injected after all rules with numbered keys."
)
_NO_MARK = "is injected here, but other programs do not find it, because it has no `_RULE_`."


@pytest.mark.parametrize(
    ("path", "line", "message", "remedy"),
    [
        (MANIFEST, "testing_state=active", "keys are in upper case", "Write `TESTING_STATE`."),
        (MANIFEST, "Testing_State=active", "keys are in upper case", "Write `TESTING_STATE`."),
        (MANIFEST, "testing-state=active", "a key has `_`, not `-`", "Write `TESTING_STATE`."),
        (
            MANIFEST,
            "TESTING_ENABLED=false",
            "no setting `ENABLED`",
            "Write `TESTING_STATE=inactive` in place of `TESTING_ENABLED=false`.",
        ),
        (
            MANIFEST,
            "TESTING_ALWAYSON=yes",
            "no setting `ALWAYSON`",
            "Write `TESTING_ALWAYS_ON=true` in place of `TESTING_ALWAYSON=yes`.",
        ),
        (MANIFEST, "state=active", "does not begin with a domain", _NO_DOMAIN),
        (
            MANIFEST,
            "TESTING_STATE='inactive'",
            "`'inactive'` with quotation marks is not a state",
            "Delete the quotation marks.",
        ),
        (MANIFEST, "TESTI\u041dG_STATE=active", "Letter 6 of `TESTI\u041dG` is Cyrillic", "Write"),
        (
            RULES,
            "TESTING_RULE_0=password: Tr0ub4dor&3xyzQ",
            "can use it",
            "Change this password in the service that it opens. Here, write",
        ),
        (MANIFEST, "TESTING_ON_TOKENS=120k", "`120k` is not a whole", "Write `120000`."),
        (MANIFEST, "TESTING_ON_TOKENS=1,500", "`1,500` is not a whole", "Write `1500`."),
        (MANIFEST, "TESTING_ON_TOKENS=2m", "`2m` is not a whole", "Write `2000000`."),
        (MANIFEST, ";TESTING_STATE=active", "`;` does not begin a comment", "Write `#`."),
        (
            MANIFEST,
            "[testing]",
            "A manifest has no sections",
            "Begin each key with `TESTING_`, and",
        ),
        (MANIFEST, "TESTING_EVERY_N_TURNS=Twelve", "`Twelve` is not a whole", "Write `12`."),
        (
            MANIFEST,
            "TESTING_RECALL=uni\u200bt",
            "so the word that it is in never",
            "Delete the hidden",
        ),
        (RULES, _RULE + "A\u200bb", "An agent reads 1 invisible character (U+200B) here", "Delete"),
        (RULES, "TESTNG_RULE_0=Test.", "No domain is called `TESTNG`", "Write `TESTING`."),
        (
            ".claude/rules/a.md",
            "---\npaths: src\\**\n---\n- Test.",
            "folders are separated by `/`",
            "Write `/` in place of each `\\`: `src/**`.",
        ),
        (MANIFEST, "TESTING_RECALL=/mock(s|ing)/", "not regular", "Write `mocks, mocking`."),
        (MANIFEST, "TESTING_RECALL=x\nTESTING_EXCLUDE=/a\\w+b/", "not regular", "Write the words"),
        (MANIFEST, 'TESTING_PATHS=["a/**", "b"]', "its `[]` and quotation marks", "Delete the sq"),
        (
            MANIFEST,
            'TESTING_RECALL="unit"',
            "its quotation marks are",
            "Delete the quotation marks.",
        ),
        (
            MANIFEST,
            "TESTING_AGENT_TRIGGER=dev,qa",
            _ONE_OF,
            "Keep `dev`. For `qa`, make a second domain: add `TESTING_QA_STATE=active` and "
            "`TESTING_QA_AGENT_TRIGGER=qa`, and copy the rules into a new file "
            "`.synapse/testing-qa`.",
        ),
        (MANIFEST, "TESTING_PATHS=!a/**", "`!` does not exclude files here", "Delete the pattern,"),
        (
            MANIFEST,
            "TESTING_PATHS=../a/**",
            "leads out of the workspace folder",
            "Write it relative to the workspace folder",
        ),
        (MANIFEST, "TESTING_PATHS=/home/me/a/**", "is an absolute path", "Write it relative"),
        (
            RULES,
            _RULE + "TESTING_RULE_1=Test first.",
            "This repeats TESTING_RULE_0, so only",
            "Delete",
        ),
        (
            RULES,
            "TESTING_RULE_0=Follow `docs/a.md`.",
            "There is no file",
            "Correct the path, or take",
        ),
        (RULES, _RULE + "// TESTING_RULE_1=No.", "`//` does not begin a comment", "Write `#`."),
        (RULES, _RULE + "Never push.", _PROSE, "Write DOMAIN_RULE_n= before the text"),
        (RULES, _RULE + "\n  and more.", _PROSE, "Write DOMAIN_RULE_n= before the text"),
        (RULES, _RULE + "  - and more.", _PROSE, "Write DOMAIN_RULE_n= before the text"),
        (RULES, _RULE + "  and more.", "A rule ends where its line ends", "Join it to the"),
        (RULES, "TESTING_RULE_0=Never\npush.", "A rule ends where its line ends", "Join it to the"),
        (
            RULES,
            "TESTING_RULE_0=A \\\nB \\\nC.",
            "The `\\` at the end of the line above does not continue",
            "Delete the `\\`, and",
        ),
        (RULES, "TESTING_RULE=Test first.", _NO_NUMBER, "Write `TESTING_RULE_1`."),
        (RULES, "TESTING_RUEL_0=Test first.", _NO_MARK, "Write `TESTING_RULE_0`."),
    ],
)
def test_a_finding_names_the_cause_of_its_own_line(
    path: str, line: str, message: str, remedy: str, tmp_path: Path
) -> None:
    found = read_tree(write(tmp_path, {**BASE, path: f"{line}\n"}))[1]
    assert any(message in f.message and f.remedy.startswith(remedy) for f in found), found


def test_the_name_of_another_domain_in_a_key_is_not_called_unknown(tmp_path: Path) -> None:
    manifest = BASE[MANIFEST] + "TESTINGS_STATE=active\nTESTINGS_RECALL=suite\n"
    files = {MANIFEST: manifest, RULES: "TESTINGS_RULE_0=Test.\n"}
    found = read_tree(write(tmp_path, {**BASE, **files, ".synapse/testings": "- Test all.\n"}))[1]
    (finding,) = (f for f in found if f.code == "SYN116")
    assert "though the key begins with the name `TESTINGS`" in finding.message


def test_a_bare_setting_gets_the_domain_that_does_not_have_it_yet(tmp_path: Path) -> None:
    files = {**BASE, MANIFEST: "STATE=active\nTESTING_RECALL=unit test\n"}
    tree, found = read_tree(write(tmp_path, files))
    (finding,) = (f for f in found if f.code == "SYN104")
    action = ways_out(tree, finding)[0]
    assert action.title == "Write `TESTING_STATE`"
    take(tmp_path, action)
    assert read_tree(tmp_path)[1] == ()


def test_the_rest_of_a_rule_is_joined_without_its_backslashes(tmp_path: Path) -> None:
    text = "TESTING_RULE_0=Write \\\n  the test \\\n  first.\nTESTING_RULE_1=Name it.\n"
    found = read_tree(write(tmp_path, {**BASE, RULES: text}))[1]
    (fix,) = (f.fix for f in found if f.code == "SYN112")
    assert fix is not None
    ((_, edit),) = fix.edits
    after = text[: edit.span.start] + edit.new_text + text[edit.span.end :]
    assert after == "TESTING_RULE_0=Write the test first.\nTESTING_RULE_1=Name it.\n"


def test_a_rule_file_that_a_key_names_is_moved_and_the_key_deleted(tmp_path: Path) -> None:
    manifest = "TESTING_STATE=active\nTESTING_RECALL=unit\nTESTING_FILE=test-rules\n"
    files = {**BASE, MANIFEST: manifest, ".synapse/test-rules": BASE[RULES]}
    del files[RULES]
    tree, found = read_tree(write(tmp_path, files))
    (finding,) = (f for f in found if f.code == "SYN201")
    (action,) = ways_out(tree, finding)
    assert (
        action.title == "Rename `.synapse/test-rules` to `.synapse/testing`, and delete this line"
    )
    take(tmp_path, action)
    assert read_tree(tmp_path)[1] == ()


def test_a_rule_file_of_a_folder_below_is_to_be_moved_and_named(tmp_path: Path) -> None:
    manifest = "TESTING_STATE=active\nTESTING_FILE=rules/tests\n"
    files = {**BASE, MANIFEST: manifest, ".synapse/rules/tests": BASE[RULES]}
    del files[RULES]
    found = read_tree(write(tmp_path, files))[1]
    (remedy,) = (f.remedy for f in found if f.code == "SYN201")
    assert remedy == (
        "Move `.synapse/rules/tests` into the folder `.synapse`, name it `testing`, and delete "
        "this line."
    )


@pytest.mark.parametrize(("other", "marked"), [("Qwen", 0), ("Gemini", 1)])
def test_variants_of_one_section_may_say_the_same(other: str, marked: int, tmp_path: Path) -> None:
    rules = "".join(f"- Never push to branch {n}.\n" for n in range(5))
    text = f"# Agents\n\n## Notes\n\n### Gemini\n\n{rules}\n### {other}\n\n{rules}"
    config = '[[adopted]]\npath = "AGENTS.md"\n'
    files = {**BASE, ".synapse/config.toml": config, "AGENTS.md": text}
    found = read_tree(write(tmp_path, files))[1]
    assert [f.code for f in found if f.path == "AGENTS.md"] == ["SYN507"] * marked


@pytest.mark.parametrize(
    ("folder", "message"),
    [
        (
            ".cursor/rules",
            "Cursor perhaps does not read 2 files of this folder, because its rules are",
        ),
        (".github/instructions", "VS Code does not read 2 files of this folder, because it reads"),
    ],
)
def test_files_of_one_folder_that_a_client_passes_over_have_one_cause(
    folder: str, message: str, tmp_path: Path
) -> None:
    names = ("a.md", "b.md", "below/c.md")
    files = {**BASE, **{f"{folder}/{name}": f"- Rule {name} here.\n" for name in names}}
    found = [f for f in read_tree(write(tmp_path, files))[1] if f.code == "SYN216"]
    assert [f.path for f in found] == [f"{folder}/a.md", f"{folder}/below/c.md"]
    assert found[0].message.startswith(message)


@pytest.mark.parametrize(
    ("path", "text", "marked"),
    [
        ("personas/tester.mdc", "# Tester\n", 0),
        ("skills/review/SKILL.md", "# Review\n", 0),
        ("dev.mdc", "# dev\n\nACTIVATION-NOTICE: This file has all you are.\n", 0),
        ("dev.md", "# dev\n\n```yaml\nagent:\n  id: dev\n```\n", 0),
        ("style.mdc", "# Style\n", 1),
    ],
)
def test_what_people_name_is_not_to_be_applied_always(
    path: str, text: str, marked: int, tmp_path: Path
) -> None:
    found = read_tree(write(tmp_path, {**BASE, f".cursor/rules/{path}": text}))[1]
    assert [f.code for f in found if ".cursor/" in f.path] == ["SYN216"] * marked


@pytest.mark.parametrize(("always", "marked"), [("false", 1), ("true", 0)])
def test_globs_do_not_matter_where_cursor_always_applies_a_file(
    always: str, marked: int, tmp_path: Path
) -> None:
    text = f"---\nglob: src\\**\nalwaysApply: {always}\n---\n# Style\n"
    found = read_tree(write(tmp_path, {**BASE, ".cursor/rules/style.mdc": text}))[1]
    assert [f.code for f in found if ".cursor/" in f.path] == ["SYN216"] * marked


def test_what_may_be_a_persona_is_not_applied_always_by_a_fix(tmp_path: Path) -> None:
    files = {**BASE, ".cursor/rules/translator.mdc": "You are a translator.\n"}
    (finding,) = (f for f in read_tree(write(tmp_path, files))[1] if f.code == "SYN216")
    assert finding.fix is None


@pytest.mark.parametrize(("folder", "marked"), [(".cursor/skills/react/", 0), ("", 1)])
def test_codex_reads_no_skill_of_another_client(folder: str, marked: int, tmp_path: Path) -> None:
    found = read_tree(write(tmp_path, {**BASE, f"{folder}AGENTS.md": "A line.\n\n" * 4000}))[1]
    assert [f.code for f in found if f.path.endswith("AGENTS.md")] == ["SYN216"] * marked
