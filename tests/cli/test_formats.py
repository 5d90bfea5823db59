"""What each format of ``synapse check`` says, to those who read it."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import quote
from xml.etree import ElementTree

import jsonschema
import pytest

from synapse_ls.cli.check_formats import BY_NAME, source_excerpt
from synapse_ls.cli.check_report import CHECKOUTS
from synapse_ls.lint.rule_registry import all_rules
from synapse_ls.text.line_index import LineIndex
from tests.cli.conftest import Synapse
from tests.support import mark
from tests.trees import write_tree

HOSTILE = "100%: a,b\u202e::error::<b>&"


@pytest.fixture
def faulty(team: Path) -> Path:
    """The tree with an error, warnings, an info and a hint; two of the warnings are of one kind."""
    with (team / ".synapse/manifest").open("a", encoding="utf-8") as manifest:
        manifest.write("LOST_STATE=active\nLost_STATE=active\nLOST_RECAL=x\nLOST_RECAL=x\n")
        manifest.write(f"DOCS_EXCLUDE=a,,b\nDOCS_RECAL={HOSTILE}\n")
    with (team / ".synapse/global").open("a") as text:
        text.write("Nobody is told this.\n")
    return team


def findings(synapse: Synapse) -> list[dict[str, object]]:
    found: list[dict[str, object]] = synapse("check", "--format", "json").json
    return found


@pytest.mark.parametrize("form", BY_NAME)
def test_every_format_takes_a_sound_tree(synapse: Synapse, team: Path, form: str) -> None:
    assert synapse("check", "--format", form).code == 0


@pytest.mark.parametrize("form", BY_NAME)
def test_every_format_fails_for_findings(synapse: Synapse, faulty: Path, form: str) -> None:
    done = synapse("check", "--format", form)
    assert (done.code, done.err) == (1, "")


@pytest.mark.parametrize("form", BY_NAME)
def test_a_report_can_go_to_a_file(synapse: Synapse, faulty: Path, form: str) -> None:
    told = synapse("check", "--format", form).out
    done = synapse("check", "--format", form, "--output-file", "report", "--color", "always")
    assert (done.code, done.out) == (1, "")
    assert (faulty / "report").read_text(encoding="utf-8") == told


def test_a_report_that_cannot_be_written_is_an_error(synapse: Synapse, faulty: Path) -> None:
    done = synapse("check", "--output-file", "nowhere/report")
    assert done.code == 2
    assert "nowhere" in done.err


def test_concise_is_a_line_for_each_finding(synapse: Synapse, faulty: Path) -> None:
    lines = synapse("check", "--format", "concise").out.splitlines()
    assert len(lines) == len(findings(synapse)) + 1
    assert lines[1].startswith(".synapse/manifest:")


def test_json_lines_are_the_items_of_json(synapse: Synapse, faulty: Path) -> None:
    lines = synapse("check", "--format", "json-lines").out.splitlines()
    assert [json.loads(line) for line in lines] == findings(synapse)


# SARIF: what its schema requires of the objects that we write (SARIF 2.1.0, 3.13 and following).
REGION = {
    "type": "object",
    "required": ["startLine", "startColumn", "endLine", "endColumn"],
    "additionalProperties": {"type": "integer", "minimum": 1},
}
ARTIFACT = {
    "type": "object",
    "required": ["uri"],
    "properties": {"uri": {"type": "string", "pattern": r"^[!#-;=?-\[\]_a-z~%]+$"}},
}
MESSAGE = {"type": "object", "required": ["text"], "properties": {"text": {"minLength": 1}}}
LOCATION = {
    "type": "object",
    "required": ["physicalLocation"],
    "properties": {
        "message": MESSAGE,
        "physicalLocation": {
            "type": "object",
            "required": ["artifactLocation", "region"],
            "properties": {"artifactLocation": ARTIFACT, "region": REGION},
        },
    },
}
REPLACEMENT = {
    "type": "object",
    "required": ["deletedRegion"],
    "properties": {"deletedRegion": REGION, "insertedContent": MESSAGE | {"properties": {}}},
}
CHANGE = {
    "type": "object",
    "required": ["artifactLocation", "replacements"],
    "properties": {
        "artifactLocation": ARTIFACT,
        "replacements": {"type": "array", "minItems": 1, "items": REPLACEMENT},
    },
}
LEVEL = {"enum": ["none", "note", "warning", "error"]}
RULE = {
    "type": "object",
    "required": ["id", "name", "shortDescription", "fullDescription", "help"],
    "properties": {
        "shortDescription": MESSAGE,
        "fullDescription": MESSAGE,
        "help": MESSAGE,
        "defaultConfiguration": {"properties": {"level": LEVEL, "enabled": {"type": "boolean"}}},
        "properties": {"properties": {"tags": {"type": "array", "uniqueItems": True}}},
    },
}
RESULT = {
    "type": "object",
    "required": ["message", "ruleId", "ruleIndex", "level", "locations"],
    "properties": {
        "message": MESSAGE,
        "level": LEVEL,
        "locations": {"type": "array", "items": LOCATION},
        "relatedLocations": {"type": "array", "items": LOCATION},
        "partialFingerprints": {"additionalProperties": {"type": "string"}},
        "fixes": {
            "type": "array",
            "items": {
                "required": ["artifactChanges"],
                "properties": {"artifactChanges": {"type": "array", "items": CHANGE}},
            },
        },
    },
}
SARIF = {
    "type": "object",
    "required": ["version", "runs"],
    "properties": {
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["tool", "results"],
                "properties": {
                    "columnKind": {"const": "unicodeCodePoints"},
                    "invocations": {"items": {"required": ["executionSuccessful"]}},
                    "results": {"type": "array", "items": RESULT},
                    "tool": {
                        "required": ["driver"],
                        "properties": {
                            "driver": {
                                "required": ["name", "version", "rules"],
                                "properties": {"rules": {"type": "array", "items": RULE}},
                            }
                        },
                    },
                },
            },
        },
    },
}


def test_sarif_has_what_its_schema_requires(synapse: Synapse, faulty: Path) -> None:
    document = synapse("check", "--format", "sarif").json
    jsonschema.validate(document, SARIF)


def test_sarif_has_every_finding_with_its_rule_and_fix(synapse: Synapse, faulty: Path) -> None:
    [run] = synapse("check", "--format", "sarif").json["runs"]
    catalogue = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in catalogue] == [rule.code for rule in all_rules()]
    found = findings(synapse)
    assert [result["ruleId"] for result in run["results"]] == [f["code"] for f in found]
    assert ["fixes" in result for result in run["results"]] == [f["fix"] is not None for f in found]
    assert all(catalogue[r["ruleIndex"]]["id"] == r["ruleId"] for r in run["results"])


def test_sarif_names_files_from_the_working_directory(
    synapse: Synapse, faulty: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(faulty.parent)
    [run] = synapse("check", "--root", faulty.name, "--format", "sarif").json["runs"]
    place = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place["uri"].startswith("%C3%89quipe%20n%C2%BA%201%20")


def test_sarif_has_no_link_that_stands_in_a_tree(
    synapse: Synapse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(
        write_tree(
            tmp_path / "x", {".synapse/manifest": "A_STATE=[Approve](https://evil.example)\n"}
        )
    )
    [run] = synapse("check", "--exit-zero", "--format", "sarif").json["runs"]
    said = [result["message"]["text"] for result in run["results"]]
    assert any(text.startswith(r"`[Approve]\(https://evil.example)` is not") for text in said)
    assert not any("](" in text for text in said)


def test_github_gets_one_command_a_line_that_nothing_in_a_tree_can_forge(
    synapse: Synapse, faulty: Path
) -> None:
    lines = synapse("check", "--format", "github").out.splitlines()
    assert len(lines) == len(findings(synapse))
    assert {line.split(" ", 1)[0] for line in lines} == {"::error", "::warning", "::notice"}
    assert all(line.count("::") >= 2 for line in lines)
    place = "file=.synapse/manifest,line=22,endLine=22,col=1,endColumn=11::"
    assert any(place in line for line in lines)


def test_github_escapes_what_would_end_a_property(
    synapse: Synapse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write_tree(tmp_path / "a,b:c%", {".synapse/manifest": "B_RECAL=x\n"})
    monkeypatch.chdir(tmp_path)
    out = synapse("check", "--root", str(root), "--format", "github").out
    assert "file=a%2Cb%3Ac%25/.synapse/manifest," in out


def test_gitlab_has_what_a_report_of_code_quality_needs(synapse: Synapse, faulty: Path) -> None:
    issues = synapse("check", "--format", "gitlab").json
    assert {issue["severity"] for issue in issues} == {"critical", "major", "minor", "info"}
    for issue in issues:
        assert issue["description"] and issue["check_name"]
        assert not issue["location"]["path"].startswith(("/", "./"))
        assert issue["location"]["lines"]["begin"] >= 1


def test_gitlab_recognises_findings_that_moved(synapse: Synapse, faulty: Path) -> None:
    def fingerprints() -> list[str]:
        return [issue["fingerprint"] for issue in synapse("check", "--format", "gitlab").json]

    before = fingerprints()
    assert len(set(before)) == len(before)
    manifest = faulty / ".synapse/manifest"
    manifest.write_text(f"# A line more\n\n{manifest.read_text('utf-8')}", encoding="utf-8")
    assert fingerprints() == before


# JUnit: the attributes that Jenkins' schema of such reports has (junit-10.xsd of its xUnit plugin).
JUNIT = {
    "testsuites": {"name", "time", "tests", "failures", "errors"},
    "testsuite": {"name", "tests", "failures", "errors", "group", "time", "skipped", "timestamp"}
    | {"hostname", "id", "package", "file", "log", "url", "version"},
    "testcase": {"name", "time", "classname", "group"},
    "failure": {"type", "message"},
    "system-out": set[str](),
}


def test_junit_is_xml_with_a_case_for_each_finding(synapse: Synapse, faulty: Path) -> None:
    report = ElementTree.fromstring(synapse("check", "--format", "junit").out)
    found = findings(synapse)
    count = sum(finding["severity"] in ("error", "warning") for finding in found)
    assert (report.tag, report.get("tests"), report.get("failures")) == (
        "testsuites",
        str(len(found)),
        str(count),
    )
    suites = report.findall("testsuite")
    assert [suite.get("name") for suite in suites] == [".synapse/global", ".synapse/manifest"]
    assert sum(int(suite.get("failures", "")) for suite in suites) == count
    assert len(report.findall(".//testcase/failure")) == count
    for element in report.iter():
        assert set(element.attrib) <= JUNIT[element.tag], element.tag
    assert len(report.findall(".//testcase/system-out")) == len(found) - count > 0


@pytest.mark.parametrize("variable", CHECKOUTS)
@pytest.mark.parametrize("form", ["github", "gitlab", "sarif"])
def test_services_find_the_files_from_the_root_of_the_checkout(
    synapse: Synapse, faulty: Path, monkeypatch: pytest.MonkeyPatch, form: str, variable: str
) -> None:
    monkeypatch.setenv(variable, str(faulty.parent))
    monkeypatch.chdir(faulty / ".synapse")
    where = ".synapse/manifest"
    folder = faulty.name
    escaped = {"sarif": quote(folder), "gitlab": json.dumps(folder)[1:-1], "github": folder}[form]
    out = synapse("check", "--format", form).out
    assert f"{escaped}/{where}" in out or f"{folder}/{where}" in out


def test_a_checkout_somewhere_else_changes_no_path(
    synapse: Synapse, faulty: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = synapse("check", "--format", "github").out
    monkeypatch.setenv("GITHUB_WORKSPACE", str(faulty / "elsewhere"))
    assert synapse("check", "--format", "github").out == before


def test_junit_of_a_sound_tree_has_a_case_that_passed(synapse: Synapse, team: Path) -> None:
    report = ElementTree.fromstring(
        synapse("check", "--format", "junit", "--severity", "error").out
    )
    assert len(report.findall(".//testcase")) == 1
    assert report.get("failures") == "0"


def test_statistics_count_the_findings_of_each_rule(synapse: Synapse, faulty: Path) -> None:
    lines = synapse("check", "--statistics", "--select", "SYN104,SYN301").out.splitlines()
    assert [line.split() for line in lines[:3]] == [
        ["findings", "code", "name", "fixable", "unsafe"],
        ["3", "SYN104", "unknown-key", "2"],
        ["1", "SYN301", "empty-recall-item", "1"],
    ]


def test_statistics_as_json(synapse: Synapse, faulty: Path) -> None:
    done = synapse("check", "--statistics", "--select", "SYN301", "--format", "json")
    assert done.json == [
        {
            "code": "SYN301",
            "name": "empty-recall-item",
            "count": 1,
            "safe_fixes": 1,
            "unsafe_fixes": 0,
        }
    ]


def test_other_formats_have_no_statistics(synapse: Synapse, faulty: Path) -> None:
    assert synapse("check", "--statistics", "--format", "sarif").code == 2


def framed(marked: str) -> list[tuple[str, str, str]]:
    text, [span] = mark(marked)
    rows = source_excerpt(LineIndex(text), text, span)
    return [(row.margin, row.source, row.carets) for row in rows]


def test_a_frame_marks_columns_and_not_characters() -> None:
    [(margin, source, carets)] = framed("規則=«é́𝄞x»y")
    assert (margin, source) == ("1", "規則=é́𝄞xy")
    assert carets == " " * 5 + "^" * 3


def test_a_frame_shows_what_is_hidden() -> None:
    [(_, source, carets)] = framed("A=«\u202eb»")
    assert source == "A=\\u202eb"
    assert carets == "  " + "^" * 7


def test_a_frame_of_a_long_line_is_cut_around_the_mark() -> None:
    [(_, source, carets)] = framed("x" * 500 + "«yy»" + "z" * 500)
    assert source.startswith("…x") and source.endswith("z…")
    assert source[carets.index("^") : len(carets)] == "yy"


def test_a_frame_of_many_lines_shows_the_first_and_the_last() -> None:
    rows = framed("«a\nb\nc\nd\ne»\n")
    assert [(margin, source) for margin, source, _ in rows] == [("1", "a"), ("…", ""), ("5", "e")]


def test_a_place_without_characters_has_a_caret() -> None:
    assert framed("A=«»b") == [("1", "A=b", "  ^")]


def test_an_empty_line_has_no_frame() -> None:
    assert framed("a\n«»\nb") == []
