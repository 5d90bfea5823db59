"""``--baseline`` and ``--write-baseline``: findings that are known, and those that are new."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from synapse_ls.cli.check_formats import BY_NAME
from tests.cli.conftest import Synapse

BASELINE = "synapse-baseline.json"
MANIFEST = ".synapse/manifest"
LINES = "LOST_STATE=active\nDOCS_EXCLUDE=draft,,old\nSLEEPY_EXCLUD=x\n"


@pytest.fixture
def untidy(team: Path) -> Path:
    """The tree with three findings, two of which can be fixed."""
    (team / ".synapse/config.toml").write_text('profile = "synapse-live"\n')
    with (team / MANIFEST).open("a") as manifest:
        manifest.write(LINES)
    return team


@pytest.fixture
def known(synapse: Synapse, untidy: Path) -> Path:
    """The same tree, with a baseline of what is found."""
    assert synapse("check", "--write-baseline", BASELINE).code == 0
    return untidy


def add(root: Path, text: str) -> None:
    with (root / MANIFEST).open("a") as manifest:
        manifest.write(text)


def edit(root: Path, old: str, new: str) -> None:
    file = root / MANIFEST
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")


def codes(synapse: Synapse, *options: str) -> list[str]:
    done = synapse("check", "--baseline", BASELINE, "--format", "json", *options)
    return [finding["code"] for finding in done.json]


def test_what_was_written_is_hidden(synapse: Synapse, known: Path) -> None:
    done = synapse("check", "--baseline", BASELINE)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("No new findings · ")
    assert " · 3 hidden by the baseline" in done.out


def test_writing_reports_nothing_and_says_how_many_it_listed(
    synapse: Synapse, untidy: Path
) -> None:
    done = synapse("check", "--write-baseline", BASELINE)
    assert done.code == 0
    assert done.out.startswith("No new findings · ")
    assert f"{BASELINE} lists 3 findings now" in done.err


def test_the_file_has_an_entry_a_line_in_order(synapse: Synapse, known: Path) -> None:
    lines = (known / BASELINE).read_text(encoding="utf-8").splitlines()
    entries = [json.loads(line.strip().rstrip(",")) for line in lines if '"path"' in line]
    assert [entry["code"] for entry in entries] == ["SYN104", "SYN201", "SYN301"]
    assert all(entry["path"] == MANIFEST and entry["count"] == 1 for entry in entries)


def test_writing_again_changes_no_byte(synapse: Synapse, known: Path) -> None:
    before = (known / BASELINE).read_bytes()
    synapse("check", "--write-baseline", BASELINE)
    assert (known / BASELINE).read_bytes() == before


def test_a_sound_tree_has_an_empty_baseline(synapse: Synapse, team: Path) -> None:
    (team / ".synapse/config.toml").write_text('profile = "synapse-live"\n')
    synapse("check", "--write-baseline", BASELINE)
    assert json.loads((team / BASELINE).read_text()) == {"synapse-baseline": 1, "trees": {".": []}}
    assert "hidden" not in synapse("check", "--baseline", BASELINE).out


def test_a_line_that_moved_stays_known(synapse: Synapse, known: Path) -> None:
    edit(known, "LOST_STATE", "\n# A remark\nLOST_STATE")
    assert codes(synapse) == []


def test_a_line_that_was_edited_is_new(synapse: Synapse, known: Path) -> None:
    edit(known, "DOCS_EXCLUDE=draft,,old", "DOCS_EXCLUDE=draft,,older")
    assert codes(synapse) == ["SYN301"]


def test_a_second_equal_finding_is_new(synapse: Synapse, known: Path) -> None:
    add(known, "SLEEPY_EXCLUD=x\n")
    assert codes(synapse).count("SYN104") == 1


def test_the_working_directory_does_not_matter(
    synapse: Synapse, known: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(known / ".synapse")
    assert synapse("check", "--baseline", f"../{BASELINE}").code == 0


@pytest.mark.parametrize("options", [["--no-cache"], ["--severity", "warning"], [MANIFEST]])
def test_other_options_hide_it_as_well(synapse: Synapse, known: Path, options: list[str]) -> None:
    done = synapse("check", "--baseline", BASELINE, *options)
    assert (done.code, done.err) == (0, "")


@pytest.mark.parametrize("form", BY_NAME)
def test_hidden_findings_are_in_no_format(synapse: Synapse, known: Path, form: str) -> None:
    add(known, "FRESH_STATE=active\n")
    done = synapse("check", "--baseline", BASELINE, "--format", form)
    assert done.code == 1
    assert "FRESH" in done.out
    assert "LOST" not in done.out and "SLEEPY" not in done.out


def test_statistics_count_what_is_new(synapse: Synapse, known: Path) -> None:
    add(known, "FRESH_STATE=active\n")
    done = synapse("check", "--baseline", BASELINE, "--statistics", "--format", "json")
    assert [(row["code"], row["count"]) for row in done.json] == [("SYN201", 1)]


def test_a_fix_leaves_what_is_hidden(synapse: Synapse, known: Path) -> None:
    add(known, "TESTING_EXCLUDE=a,,b\n")
    done = synapse("check", "--baseline", BASELINE, "--fix")
    text = (known / MANIFEST).read_text(encoding="utf-8")
    assert "1 fixed" in done.out
    assert "DOCS_EXCLUDE=draft,,old\n" in text and "TESTING_EXCLUDE=a,b\n" in text


def test_a_diff_shows_what_that_fix_does(synapse: Synapse, known: Path) -> None:
    assert synapse("check", "--baseline", BASELINE, "--diff")[:2] == (0, "")


def test_comments_silence_only_what_is_shown(synapse: Synapse, known: Path) -> None:
    add(known, "TESTING_EXCLUDE=a,,b\n")
    synapse("check", "--baseline", BASELINE, "--add-suppressions", "--select", "SYN301")
    text = (known / MANIFEST).read_text(encoding="utf-8")
    assert text.count("synapse: ignore") == 1
    assert "[SYN301]\nTESTING_EXCLUDE" in text


def test_a_fix_can_write_what_is_left(synapse: Synapse, untidy: Path) -> None:
    synapse("check", "--fix", "--write-baseline", BASELINE)
    assert '"SYN301"' not in (untidy / BASELINE).read_text()
    assert synapse("check", "--baseline", BASELINE).err == ""


def test_a_text_that_is_not_saved_has_known_findings_too(synapse: Synapse, known: Path) -> None:
    draft = (known / MANIFEST).read_text(encoding="utf-8") + "FRESH_STATE=active\n"
    options = ("--stdin-filename", MANIFEST, "--format", "json", "--baseline", BASELINE)
    found = synapse("check", "-", *options, stdin=draft).json
    assert [finding["code"] for finding in found] == ["SYN201"]


def test_only_what_is_asked_for_is_written(synapse: Synapse, untidy: Path) -> None:
    synapse("check", "--select", "SYN2", "--write-baseline", BASELINE)
    assert '"SYN201"' in (untidy / BASELINE).read_text()
    assert codes(synapse) == ["SYN301", "SYN104"]


def test_what_is_not_found_any_more_is_a_note(synapse: Synapse, known: Path) -> None:
    edit(known, "LOST_STATE=active\n", "")
    done = synapse("check", "--baseline", BASELINE)
    assert done.code == 0
    assert f"{BASELINE} lists 1 finding not found any more: SYN201 in {MANIFEST};" in done.err
    assert "--prune-baseline takes it out" in done.err


def test_pruning_takes_out_what_is_gone_and_adds_nothing(synapse: Synapse, known: Path) -> None:
    edit(known, "LOST_STATE=active", "FRESH_STATE=active")
    done = synapse("check", "--baseline", BASELINE, "--prune-baseline")
    assert done.code == 1 and "FRESH" in done.out
    assert done.err == f"note: {BASELINE} lists 2 findings now, 3 before\n"
    assert '"SYN201"' not in (known / BASELINE).read_text()
    assert codes(synapse) == ["SYN201"]


def test_pruning_lowers_a_count(synapse: Synapse, known: Path) -> None:
    add(known, "SLEEPY_EXCLUD=x\n")
    synapse("check", "--write-baseline", BASELINE)
    edit(known, "SLEEPY_EXCLUD=x\n", "")
    synapse("check", "--baseline", BASELINE, "--prune-baseline")
    add(known, "SLEEPY_EXCLUD=x\n")
    assert codes(synapse).count("SYN104") == 1


def test_pruning_takes_out_what_a_merge_has_doubled(synapse: Synapse, known: Path) -> None:
    before = (known / BASELINE).read_text(encoding="utf-8")
    entry = next(line for line in before.splitlines(keepends=True) if '"SYN104"' in line)
    (known / BASELINE).write_text(before.replace(entry, entry * 2))
    synapse("check", "--baseline", BASELINE, "--prune-baseline")
    assert (known / BASELINE).read_text(encoding="utf-8") == before


def test_pruning_leaves_what_a_merge_that_is_not_finished_keeps_from_being_found(
    synapse: Synapse, known: Path
) -> None:
    before = (known / BASELINE).read_bytes()
    edit(known, LINES, f"<<<<<<< HEAD\n{LINES}=======\n>>>>>>> branch\n")
    done = synapse("check", "--baseline", BASELINE, "--prune-baseline")
    assert done.code == 1 and "SYN130" in done.out
    assert (known / BASELINE).read_bytes() == before


def test_pruning_leaves_what_was_not_looked_for(synapse: Synapse, known: Path) -> None:
    edit(known, "LOST_STATE=active\n", "")
    before = (known / BASELINE).read_bytes()
    synapse("check", "--baseline", BASELINE, "--prune-baseline", "--select", "SYN3")
    assert (known / BASELINE).read_bytes() == before


def test_pruning_leaves_other_trees(
    synapse: Synapse, known: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = known.parent / "other"
    (other / ".synapse").mkdir(parents=True)
    (other / MANIFEST).write_text("LOST_STATE=active\n")
    monkeypatch.chdir(known.parent)
    synapse("check", f"{known.name}/.synapse", "other/.synapse", "--write-baseline", BASELINE)
    before = json.loads(Path(BASELINE).read_text(encoding="utf-8"))["trees"]
    edit(known, "LOST_STATE=active\n", "")
    synapse("check", f"{known.name}/.synapse", "--baseline", BASELINE, "--prune-baseline")
    after = json.loads(Path(BASELINE).read_text(encoding="utf-8"))["trees"]
    assert after["other"] == before["other"]
    assert len(after[known.name]) == len(before[known.name]) - 1


def test_pruning_after_a_fix_counts_what_the_fix_mended(synapse: Synapse, untidy: Path) -> None:
    synapse("check", "--write-baseline", BASELINE)
    edit(untidy, "DOCS_EXCLUDE=draft,,old", "DOCS_EXCLUDE=draft,,older")
    done = synapse("check", "--baseline", BASELINE, "--fix", "--prune-baseline")
    assert "1 fixed" in done.out
    assert '"SYN301"' not in (untidy / BASELINE).read_text()


def test_pruning_what_is_all_found_changes_no_byte(synapse: Synapse, known: Path) -> None:
    before = (known / BASELINE).read_bytes()
    done = synapse("check", "--baseline", BASELINE, "--prune-baseline")
    assert (done.code, (known / BASELINE).read_bytes()) == (0, before)


@pytest.mark.parametrize(
    "options",
    [
        ["--prune-baseline"],
        ["--prune-baseline", "--write-baseline", BASELINE],
        ["--prune-baseline", "--baseline", BASELINE, "--fix", "--dry-run"],
        ["--prune-baseline", "--baseline", BASELINE, "--watch"],
    ],
)
def test_pruning_wants_a_check_with_a_baseline(
    synapse: Synapse, known: Path, options: list[str]
) -> None:
    assert synapse("check", *options).code == 2


def test_writing_over_a_baseline_says_how_many_there_were(synapse: Synapse, known: Path) -> None:
    done = synapse("check", "--select", "SYN2", "--write-baseline", BASELINE)
    assert f"{BASELINE} lists 1 finding now, 3 before" in done.err


@pytest.mark.parametrize(
    "options", [["--format", "github"], ["--format", "sarif", "--output-file", "report.json"]]
)
def test_a_job_is_told_how_many_are_hidden(
    synapse: Synapse, known: Path, options: list[str]
) -> None:
    done = synapse("check", "--baseline", BASELINE, *options)
    assert done.err.startswith(f"note: 3 findings hidden: {BASELINE} lists them\n")


def test_junit_does_not_say_that_there_is_nothing(synapse: Synapse, known: Path) -> None:
    done = synapse("check", "--baseline", BASELINE, "--format", "junit")
    assert 'name="no new findings"' in done.out


@pytest.mark.parametrize(
    "options",
    [
        ["--select", "SYN3"],
        ["--ignore", "SYN201"],
        ["--exclude", MANIFEST],
        [".synapse/docs"],
        ["--format", "json"],
        ["--quiet"],
    ],
)
def test_what_was_not_looked_for_is_not_called_missing(
    synapse: Synapse, known: Path, options: list[str]
) -> None:
    edit(known, "LOST_STATE=active\n", "")
    assert synapse("check", "--baseline", BASELINE, *options).err == ""


def test_the_log_of_a_job_has_the_note(synapse: Synapse, known: Path) -> None:
    edit(known, "LOST_STATE=active\n", "")
    options = ("--format", "gitlab", "--output-file", "report.json")
    assert "not found any more" in synapse("check", "--baseline", BASELINE, *options).err


def test_several_trees_have_one_file(
    synapse: Synapse, known: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = known.parent / "other"
    (other / ".synapse").mkdir(parents=True)
    (other / MANIFEST).write_text("LOST_STATE=active\n")
    monkeypatch.chdir(known.parent)
    both = (f"{known.name}/.synapse", "other/.synapse")
    synapse("check", *both, "--write-baseline", BASELINE)
    listed = json.loads((known.parent / BASELINE).read_text(encoding="utf-8"))["trees"]
    assert list(listed) == sorted([known.name, "other"])
    assert synapse("check", *both, "--baseline", BASELINE).code == 0


def test_a_baseline_of_another_tree_is_refused(synapse: Synapse, known: Path) -> None:
    (known / "moved").mkdir()
    (known / BASELINE).rename(known / "moved" / BASELINE)
    done = synapse("check", "--baseline", f"moved/{BASELINE}")
    assert (done.code, done.out) == (2, "")
    assert f'The baseline moved/{BASELINE} has no list for the tree ".."' in done.err


def test_a_baseline_that_is_not_there_is_an_error(synapse: Synapse, untidy: Path) -> None:
    done = synapse("check", "--baseline", BASELINE)
    assert (done.code, done.out) == (2, "")
    assert f"synapse check --write-baseline {BASELINE}" in done.err


HEAD = '{"synapse-baseline": 1,\n "trees": {".": [\n  '
ENTRY = '"path": "a", "code": "SYN201", "line": "0"'


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", ":1:1: This is not JSON"),
        ('{"synapse-baseline": 1,\n<<<<<<< HEAD\n', ":2:1: This is not JSON"),
        ("[]", " does not have the layout"),
        ('{"findings": []}', " does not have the layout"),
        ('{\n"synapse-baseline": 2, "trees": {}}', " does not have the layout"),
        ('{"synapse-baseline": 1}', " does not have the layout"),
        ('{"synapse-baseline": 1,\n "trees": {".": 5}}', " does not have the layout"),
        (f"{HEAD}7]}}}}", " does not have the layout"),
        (f'{HEAD}{{"path": "a"}}]}}}}', " does not have the layout"),
        (f'{HEAD}{{{ENTRY}, "count": 0}}]}}}}', " does not have the layout"),
    ],
)
def test_a_damaged_baseline_is_an_error(
    synapse: Synapse, untidy: Path, text: str, sentence: str
) -> None:
    (untidy / BASELINE).write_text(text)
    done = synapse("check", "--baseline", BASELINE)
    assert (done.code, done.out) == (2, "")
    assert f"{BASELINE}{sentence}" in done.err
    assert "remedy: " in done.err


def test_a_file_that_is_no_text_is_no_baseline(synapse: Synapse, untidy: Path) -> None:
    (untidy / BASELINE).write_bytes(b"\xff\xfe{")
    done = synapse("check", "--baseline", BASELINE)
    assert (done.code, done.out) == (2, "")


def test_a_count_without_end_costs_nothing(synapse: Synapse, untidy: Path) -> None:
    (untidy / BASELINE).write_text(f'{HEAD}{{{ENTRY}, "count": {10**15}}}]}}}}')
    assert f"lists {10**15:,} findings" in synapse("check", "--baseline", BASELINE).err


def test_a_damaged_baseline_can_be_written_anew(synapse: Synapse, known: Path) -> None:
    (known / BASELINE).write_text("<<<<<<< HEAD\n" + (known / BASELINE).read_text("utf-8"))
    assert synapse("check", "--write-baseline", BASELINE).code == 0
    assert synapse("check", "--baseline", BASELINE).code == 0


def test_no_other_file_is_written_over(synapse: Synapse, untidy: Path) -> None:
    before = (untidy / MANIFEST).read_bytes()
    done = synapse("check", "--write-baseline", MANIFEST)
    assert (done.code, done.out) == (2, "")
    assert (untidy / MANIFEST).read_bytes() == before


def test_a_page_that_names_baselines_is_not_written_over(synapse: Synapse, untidy: Path) -> None:
    (untidy / "ci.md").write_text("See `synapse-baseline`.\n")
    assert synapse("check", "--write-baseline", "ci.md").code == 2
    assert (untidy / "ci.md").read_text() == "See `synapse-baseline`.\n"


@pytest.mark.parametrize("option", ["--baseline", "--write-baseline"])
def test_an_empty_name_is_no_file(synapse: Synapse, untidy: Path, option: str) -> None:
    done = synapse("check", option, "")
    assert (done.code, done.out) == (2, "")
    assert f"The value of {option} is empty." in done.err


@pytest.mark.parametrize("option", ["--baseline", "--write-baseline"])
def test_a_folder_is_no_baseline(synapse: Synapse, untidy: Path, option: str) -> None:
    done = synapse("check", option, ".synapse")
    assert (done.code, done.out) == (2, "")
    assert "this is a folder" in done.err


def test_a_baseline_in_a_folder_that_is_not_there_is_an_error(
    synapse: Synapse, untidy: Path
) -> None:
    done = synapse("check", "--write-baseline", f"nowhere/{BASELINE}")
    assert (done.code, done.out) == (2, "")
    assert "nowhere" in done.err and "remedy: " in done.err


@pytest.mark.parametrize(
    "options",
    [
        ["--baseline", BASELINE],
        ["--diff"],
        ["--fix", "--dry-run"],
        ["--add-suppressions"],
        ["--watch"],
        ["--show-files"],
        ["--stdin-filename", MANIFEST],
    ],
)
def test_writing_excludes_what_changes_or_checks_nothing(
    synapse: Synapse, known: Path, options: list[str]
) -> None:
    assert synapse("check", "--write-baseline", BASELINE, *options).code == 2
