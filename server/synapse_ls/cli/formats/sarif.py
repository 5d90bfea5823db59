"""``--format sarif``: SARIF 2.1.0 (OASIS), for code scanning services and editors.

Places are relative to the root of the checkout, where a service tells it, else to the working directory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from synapse_ls.cli.formats.identity import identified
from synapse_ls.lint.diagnostic import Severity
from synapse_ls.lint.docs import family_of, markdown, page_of
from synapse_ls.lint.registry import rules
from synapse_ls.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from synapse_ls.cli.console import Console
    from synapse_ls.cli.formats.report import Checked, Report
    from synapse_ls.lint.diagnostic import Diagnostic, Fix
    from synapse_ls.lint.rule import Rule
    from synapse_ls.text.edit import TextEdit
    from synapse_ls.text.span import Span

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


def write(report: Report, console: Console) -> None:
    """Write the report."""
    catalogue = rules()
    driver = {
        "name": "Synapse LS",
        "version": VERSION,
        "semanticVersion": VERSION,
        "rules": [_rule(rule) for rule in catalogue],
    }
    places = {rule.code: number for number, rule in enumerate(catalogue)}
    results = [_result(*found, places) for found in identified(report)]
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": True}],
        "results": results,
    }
    console.json({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule(rule: Rule) -> Json:
    page = page_of(rule)
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": page.summary},
        "fullDescription": {"text": page.sections["What it does"]},
        "help": {"text": page.sections["Why it matters"], "markdown": markdown(rule)},
        "defaultConfiguration": {"enabled": rule.default, "level": _LEVELS[rule.severity]},
        "properties": {"tags": [family_of(rule)]},
    }


def _result(tree: Checked, found: Diagnostic, identity: str, places: dict[str, int]) -> Json:
    result: Json = {
        "ruleId": found.code,
        "ruleIndex": places[found.code],
        "level": _LEVELS[found.severity],
        "message": {"text": f"{found.message} {found.remedy}".rstrip()},
        "locations": [{"physicalLocation": _physical(tree, found.path, found.span)}],
        "partialFingerprints": {"finding/v1": identity},
    }
    if found.related:
        result["relatedLocations"] = [
            {
                "id": number,
                "physicalLocation": _physical(tree, related.path, related.span),
                "message": {"text": related.message},
            }
            for number, related in enumerate(found.related, start=1)
        ]
    if found.fix:
        result["fixes"] = [_fix(tree, found.fix)]
    return result


def _fix(tree: Checked, fix: Fix) -> Json:
    by_path: dict[str, list[TextEdit]] = {}
    for path, edit in fix.edits:
        by_path.setdefault(path, []).append(edit)
    return {
        "description": {"text": fix.title},
        "artifactChanges": [_change(tree, path, edits) for path, edits in by_path.items()],
        "properties": {"safe": fix.safe},
    }


def _change(tree: Checked, path: str, edits: Sequence[TextEdit]) -> Json:
    return {
        "artifactLocation": _artifact(tree, path),
        "replacements": [
            {
                "deletedRegion": _region(tree, path, edit.span),
                "insertedContent": {"text": edit.new_text},
            }
            for edit in edits
        ],
    }


def _physical(tree: Checked, path: str, span: Span) -> Json:
    return {"artifactLocation": _artifact(tree, path), "region": _region(tree, path, span)}


def _region(tree: Checked, path: str, span: Span) -> Json:
    place = tree.range(path, span)
    return {
        "startLine": place["line"],
        "startColumn": place["column"],
        "endLine": place["end_line"],
        "endColumn": place["end_column"],
    }


def _artifact(tree: Checked, path: str) -> Json:
    shown = tree.in_repository(path)
    if shown.startswith("/"):
        return {"uri": f"file://{quote(shown)}"}
    if shown[1:2] == ":":  # a drive of Windows
        return {"uri": f"file:///{quote(shown.replace(chr(92), '/'), safe='/:')}"}
    return {"uri": quote(shown), "uriBaseId": _BASE}
