"""Write ``--format sarif``: SARIF 2.1.0 (OASIS), for code scanning services and editors.

Places are relative to the root of the checkout, where a service tells it, else to the working
directory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from synapse_ls.cli.check_report import CheckedTree, Report, fingerprint_findings
from synapse_ls.cli.console import Console
from synapse_ls.lint.lint_rule import LintRule
from synapse_ls.lint.rule_pages import family_title, page_markdown, rule_page
from synapse_ls.lint.rule_registry import all_rules
from synapse_ls.text.finding import Finding, Severity
from synapse_ls.text.span import Span
from synapse_ls.text.text_edit import TextEdit
from synapse_ls.version import REPOSITORY, VERSION, page_address

if TYPE_CHECKING:
    Json = dict[str, Any]

_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_BASE = "%SRCROOT%"
_LEVELS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFO: "note",
    Severity.HINT: "note",
}


def write_sarif(report: Report, console: Console) -> None:
    """Write the report of `synapse check` in the format ``sarif``."""
    catalogue = all_rules()
    driver = {
        "name": "Synapse LS",
        "version": VERSION,
        "semanticVersion": VERSION,
        **({"informationUri": REPOSITORY} if REPOSITORY else {}),
        "rules": [_rule_descriptor(rule) for rule in catalogue],
    }
    places = {rule.code: number for number, rule in enumerate(catalogue)}
    results = [_result_object(*finding, places) for finding in fingerprint_findings(report)]
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": True}],
        "results": results,
    }
    console.json({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule_descriptor(rule: LintRule) -> Json:
    page = rule_page(rule)
    address = page_address(f"docs/rules/{rule.name}.md")
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": page.summary},
        "fullDescription": {"text": page.sections["What it does"]},
        **({"helpUri": address} if address else {}),
        "help": {"text": page.sections["Why it matters"], "markdown": page_markdown(rule)},
        "defaultConfiguration": {"enabled": rule.default, "level": _LEVELS[rule.severity]},
        "properties": {"tags": [family_title(rule)]},
    }


def _result_object(
    tree: CheckedTree, finding: Finding, fingerprint: str, places: dict[str, int]
) -> Json:
    result: Json = {
        "ruleId": finding.code,
        "ruleIndex": places[finding.code],
        "level": _LEVELS[finding.severity],
        "message": {"text": f"{finding.message} {finding.remedy}".rstrip()},
        "locations": [{"physicalLocation": _physical_location(tree, finding.path, finding.span)}],
        "partialFingerprints": {"finding/v1": fingerprint},
    }
    if finding.related:
        result["relatedLocations"] = [
            {
                "id": number,
                "physicalLocation": _physical_location(tree, related.path, related.span),
                "message": {"text": related.message},
            }
            for number, related in enumerate(finding.related, start=1)
        ]
    if finding.fix:
        fix = finding.fix
        by_path: dict[str, list[TextEdit]] = {}
        for path, edit in fix.edits:
            by_path.setdefault(path, []).append(edit)
        result["fixes"] = [
            {
                "description": {"text": fix.title},
                "artifactChanges": [
                    {
                        "artifactLocation": _artifact_location(tree, path),
                        "replacements": [
                            {
                                "deletedRegion": _source_region(tree, path, edit.span),
                                "insertedContent": {"text": edit.new_text},
                            }
                            for edit in edits
                        ],
                    }
                    for path, edits in by_path.items()
                ],
                "properties": {"safe": fix.safe},
            }
        ]
    return result


def _physical_location(tree: CheckedTree, path: str, span: Span) -> Json:
    return {
        "artifactLocation": _artifact_location(tree, path),
        "region": _source_region(tree, path, span),
    }


def _source_region(tree: CheckedTree, path: str, span: Span) -> Json:
    place = tree.range(path, span)
    return {
        "startLine": place["line"],
        "startColumn": place["column"],
        "endLine": place["end_line"],
        "endColumn": place["end_column"],
    }


def _artifact_location(tree: CheckedTree, path: str) -> Json:
    location = tree.repository_path(path)
    if location.startswith("/"):
        return {"uri": f"file://{quote(location)}"}
    if location[1:2] == ":":  # a drive of Windows
        return {"uri": f"file:///{quote(location.replace(chr(92), '/'), safe='/:')}"}
    return {"uri": quote(location), "uriBaseId": _BASE}
