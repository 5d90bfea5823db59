from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Synapse
from tests.trees import write_tree


@pytest.fixture
def faulty(team: Path) -> Path:
    """The tree with an error, a warning and a hint."""
    with (team / ".synapse/manifest").open("a") as manifest:
        manifest.write("LOST_STATE=active\nMislaid_STATE=active\nLOST_RECAL=x\n")
    with (team / ".synapse/global").open("a") as rules:
        rules.write("Nobody is told this.\n")
    return team


def test_a_sound_tree_exits_with_0(synapse: Synapse, team: Path) -> None:
    (team / ".synapse/config.toml").write_text('profile = "synapse-live"\n')
    done = synapse("check")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[-1].startswith("No findings · ")


@pytest.mark.parametrize("form", ["full", "concise"])
def test_quiet_leaves_the_findings_only(synapse: Synapse, faulty: Path, form: str) -> None:
    loud = synapse("check", "--format", form).out.splitlines()
    quiet = synapse("check", "--format", form, "--quiet")
    assert (quiet.code, quiet.out.splitlines()) == (1, loud[:-1])


def test_findings_exit_with_1(synapse: Synapse, faulty: Path) -> None:
    done = synapse("check")
    assert (done.code, done.err) == (1, "")


def test_the_format_for_people_has_the_name_that_other_commands_give_it(
    synapse: Synapse, faulty: Path
) -> None:
    assert synapse("check", "--format", "text") == synapse("check", "--format", "full")
    refused = synapse("check", "--format", "txt")
    assert "--format takes full, concise, json" in refused.err


def test_what_was_kept_reads_like_what_was_found(synapse: Synapse, faulty: Path) -> None:
    for path in (".synapse/sessions/odd.json", ".synapse/continuation/latest.md"):
        (faulty / path).parent.mkdir(exist_ok=True)
        (faulty / path).write_text("odd\n")
    first = synapse("check")
    assert "invalid-session" in first.out and "invalid-continuation" in first.out
    assert synapse("check") == first


def test_a_finding_is_a_line_its_source_and_its_remedy(synapse: Synapse, faulty: Path) -> None:
    first, *rest = synapse("check", "--select", "unknown-key").out.splitlines()
    assert first.startswith(".synapse/manifest:22:1: warning SYN104 unknown-key: `LOST_RECAL` ")
    assert rest == [
        "  22 │ LOST_RECAL=x",
        "     │ ^^^^^^^^^^",
        "  remedy: Write `LOST_RECALL`.",
        "1 warning · 12 files checked · 1 fixable with --unsafe-fixes",
    ]


def test_a_finding_as_json(synapse: Synapse, faulty: Path) -> None:
    [finding] = synapse("check", "--select", "unknown-key", "--format", "json").json
    place = {"line": 22, "column": 1, "end_line": 22, "end_column": 11}
    assert finding.pop("message").startswith("`LOST_RECAL` ")
    assert finding == {
        "path": ".synapse/manifest",
        "code": "SYN104",
        "name": "unknown-key",
        "severity": "warning",
        "range": place,
        "remedy": "Write `LOST_RECALL`.",
        "fix": {
            "title": "Write `LOST_RECALL`",
            "safe": False,
            "edits": [
                {"path": ".synapse/manifest", "range": place, "new_text": "LOST_RECALL"},
            ],
        },
        "related": [],
    }


def test_json_of_a_sound_tree_is_an_empty_list(synapse: Synapse, team: Path) -> None:
    done = synapse("check", "--format", "json", "--severity", "warning")
    assert (done.code, done.json) == (0, [])


def test_a_tree_that_is_not_there_exits_with_2(synapse: Synapse, tmp_path: Path) -> None:
    done = synapse("check", "--root", str(tmp_path))
    assert (done.code, done.out) == (2, "")


def test_the_exit_code_can_be_waived(synapse: Synapse, faulty: Path) -> None:
    assert synapse("check", "--exit-zero").code == 0


def test_hints_do_not_fail(synapse: Synapse, faulty: Path) -> None:
    done = synapse("check", "--select", "odd-domain-name")
    assert " hint SYN109 " in done.out
    assert done.code == 0


def test_severity_hides_what_is_milder(synapse: Synapse, faulty: Path) -> None:
    out = synapse("check", "--severity", "error").out
    assert ": error " in out and ": warning " not in out and ": hint " not in out


@pytest.mark.parametrize(
    "given", [["SYN109,SYN104"], ["SYN109", "SYN104"], ["odd-domain-name", "SYN104"]]
)
def test_rules_can_be_selected(synapse: Synapse, faulty: Path, given: list[str]) -> None:
    options = [word for code in given for word in ("--select", code)]
    found = synapse("check", *options, "--format", "json").json
    assert {finding["code"] for finding in found} == {"SYN104", "SYN109"}


@pytest.mark.parametrize("given", [[""], [" , "], ["", ""]])
def test_a_selection_of_nothing_is_an_error(
    synapse: Synapse, faulty: Path, given: list[str]
) -> None:
    done = synapse("check", *(word for code in given for word in ("--select", code)))
    assert (done.code, done.out) == (2, "")
    assert "--select names no rule." in done.err
    assert "leave the option out" in done.err


def test_rules_can_be_ignored(synapse: Synapse, faulty: Path) -> None:
    assert synapse("check", "--ignore", "SYN1,SYN2").code == 0


def test_a_code_that_means_no_rule_is_an_error(synapse: Synapse, faulty: Path) -> None:
    done = synapse("check", "--select", "bad-stat")
    assert (done.code, done.out) == (2, "")
    assert "Did you mean bad-state?" in done.err


def test_another_number_is_no_guess_at_a_code(synapse: Synapse, faulty: Path) -> None:
    told = synapse("check", "--select", "SYN599").err
    assert "Did you mean" not in told
    assert "`synapse rule SYN5` lists those of its family." in told
    assert "`synapse rule` lists them." in synapse("check", "--select", "SYN099").err


def test_paths_restrict_the_findings(synapse: Synapse, faulty: Path) -> None:
    assert synapse("check", ".synapse/docs").out == "No findings · 1 file checked\n"
    assert synapse("check", ".synapse/manifest", ".synapse/docs").code == 1
    assert synapse("check", ".synapse").code == 1


@pytest.mark.parametrize(
    ("others", "note"),
    [
        ([], "package.json was not checked: no rule looks at such a file"),
        ([".synapse/manifest"], "of the 2 named files 1 was not checked: no rule looks"),
    ],
)
def test_a_named_file_that_no_rule_looks_at_is_said(
    synapse: Synapse, team: Path, others: list[str], note: str
) -> None:
    (team / "package.json").write_text("{}")
    assert f"note: {note}" in synapse("check", "package.json", *others).err


def test_nothing_is_said_of_named_files_that_were_checked(synapse: Synapse, team: Path) -> None:
    assert "not checked" not in synapse("check", ".synapse/manifest").err


def test_a_path_that_does_not_exist_is_an_error(synapse: Synapse, faulty: Path) -> None:
    done = synapse("check", ".synapse/nowhere")
    assert done.code == 2
    assert done.err.startswith("error: There is no file or folder .synapse/nowhere.")
    copied = synapse("check", ".synapse/manifest:3:1")  # as a finding begins
    assert copied.code == 2 and "Leave the line out: .synapse/manifest" in copied.err


def test_a_path_outside_of_the_root_is_an_error(
    synapse: Synapse, faulty: Path, tmp_path: Path
) -> None:
    done = synapse("check", "--root", str(faulty), str(tmp_path))
    assert done.code == 2
    assert "is not in the tree of" in done.err


def test_paths_of_several_trees(synapse: Synapse, faulty: Path, tmp_path: Path) -> None:
    other = write_tree(tmp_path / "other", {".synapse/manifest": "B_RECAL=x\n"})
    done = synapse("check", str(faulty), str(other), "--select", "unknown-key", "--format", "json")
    assert [Path(f["path"]).is_absolute() for f in done.json] == [False, True]


def test_paths_are_shown_from_the_working_directory(
    synapse: Synapse, faulty: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(faulty.parent)
    out = synapse("check", "--root", faulty.name).out
    assert out.startswith(f"{faulty.name}/.synapse/global:4:1: ")


def test_columns_count_from_1_in_code_points(synapse: Synapse, team: Path) -> None:
    write_tree(team, {".synapse/manifest": "É𝄞_STATE=active\nGLOBAL_STATE=activ\n"})
    [finding] = synapse("check", "--select", "bad-state", "--format", "json").json
    assert finding["range"] == {"line": 2, "column": 14, "end_line": 2, "end_column": 19}


UNTIDY = "CONSTITUTION_ALWAYS_ON=yes\nDOCS_EXCLUDE=draft,,old\n"


@pytest.fixture
def untidy(team: Path) -> Path:
    """The tree with findings that can be fixed unseen."""
    with (team / ".synapse/manifest").open("a") as manifest:
        manifest.write(UNTIDY)
    return team


def test_fix_mends_what_is_safe(synapse: Synapse, untidy: Path) -> None:
    assert "2 fixable with --fix" in synapse("check").out
    done = synapse("check", "--fix")
    assert done.code == 0
    assert "2 fixed" in done.out
    text = (untidy / ".synapse/manifest").read_text()
    assert text.endswith("CONSTITUTION_ALWAYS_ON=true\nDOCS_EXCLUDE=draft,old\n")


def test_a_dry_run_of_fix_is_a_diff(synapse: Synapse, untidy: Path) -> None:
    done = synapse("check", "--fix", "--dry-run")
    assert done.code == 0
    assert "-DOCS_EXCLUDE=draft,,old\n" in done.out and "+DOCS_EXCLUDE=draft,old\n" in done.out
    assert (untidy / ".synapse/manifest").read_text().endswith(UNTIDY)


def test_fix_mends_only_what_is_asked_about(synapse: Synapse, untidy: Path) -> None:
    synapse("check", "--fix", ".synapse/global")
    synapse("check", "--fix", "--select", "SYN8")
    assert (untidy / ".synapse/manifest").read_text().endswith(UNTIDY)


def test_a_dry_run_is_one_of_fix(synapse: Synapse, team: Path) -> None:
    done = synapse("check", "--dry-run")
    assert done.code == 2
    assert done.err.startswith("error: --dry-run needs --fix.")


def test_excluded_files_are_neither_counted_nor_shown(synapse: Synapse, team: Path) -> None:
    with (team / ".synapse/manifest").open("a", encoding="utf-8") as manifest:
        manifest.write("LOST_STATE=active\n")
    every = synapse("check", "--show-files").out.splitlines()
    assert ".synapse/manifest" in every
    for _ in range(2):  # the second time as it was found before
        done = synapse("check", "--exclude", ".synapse/manifest")
        assert done.code == 0
        assert f"{len(every) - 1} files checked" in done.out
    shown = synapse("check", "--show-files", "--exclude", ".synapse/manifest").out.splitlines()
    assert shown == [path for path in every if path != ".synapse/manifest"]


def test_the_settings_say_what_becomes_of_each_rule(synapse: Synapse, team: Path) -> None:
    text = '[lint]\nignore = ["SYN3"]\n[lint.per_path]\n"x/*" = ["SYN4"]\n'
    (team / ".synapse/config.toml").write_text(text, encoding="utf-8")
    lines = synapse("check", "--show-settings", "--select", "SYN104").out.splitlines()
    assert 'lint.ignore = ["SYN3"]  # .synapse/config.toml' in lines
    assert 'lint.per_path = {"x/*" = ["SYN4"]}  # .synapse/config.toml' in lines
    told = {words[0]: " ".join(words[2:]) for line in lines if (words := line.split())}
    assert (told["SYN104"], told["SYN105"]) == ("warning", "does not run")


@pytest.mark.parametrize("listing", ["--show-files", "--show-settings"])
def test_a_listing_for_people_is_not_promised_to_programs(listing: str, synapse: Synapse) -> None:
    done = synapse("check", listing, "--format", "json")
    assert (done.code, done.out) == (2, "")
    assert "`synapse policy --all --format json`" in done.err


@pytest.mark.parametrize("other", ["--fix", "--watch", "--show-settings"])
def test_showing_goes_with_no_other_action(synapse: Synapse, team: Path, other: str) -> None:
    assert synapse("check", "--show-files", other).code == 2


@pytest.mark.skipif(sys.platform == "win32", reason="no such names of files")
@pytest.mark.parametrize("form", ["full", "concise"])
def test_no_path_is_a_command_to_a_runner(synapse: Synapse, team: Path, form: str) -> None:
    page = team / "::stop-commands::x/AGENTS.md"
    page.parent.mkdir()
    page.write_text("# Rules\n\nRead @./no-such-page.md first.\n")
    out = synapse("check", str(page), "--format", form).out
    assert out.startswith("./::stop-commands::x/AGENTS.md:")
    assert not [line for line in out.splitlines() if line.startswith("::")]
