"""The listings of ``synapse check``: its files, its settings, how many findings each rule has."""

from argparse import Namespace
from collections import Counter
from collections.abc import Mapping

from synapse_ls.cli import check_report, check_scope, opened_trees
from synapse_ls.cli.console import Console, Part, Progress, Styled
from synapse_ls.formats.toml_document import dotted_key
from synapse_ls.lint.rule_registry import all_rules
from synapse_ls.queries.policy_report import setting_reports
from synapse_ls.text.fast_json import dumps

_SETTING_PREFIX = "lint."


def write_listing(options: Namespace, progress: Progress, console: Console) -> int:
    """Write the listing of the files or the settings of each tree, as the options ask; return 0."""
    every = [opened_trees.OpenedTree(scope, progress) for scope in check_scope.scopes_of(options)]
    progress.end()
    for number, opened in enumerate(every):
        if options.show_files:
            tree = check_report.CheckedTree(opened.scope.root, lambda _path: "", 0, ())
            for path in opened.scope.linted_paths(opened.tree.snapshot):
                console.line(tree.display_path(path))
        else:
            if number:
                console.line()
            # Write the configuration as it was read, and what comes of it and of the options: rule
            # by rule.
            config = opened.tree.snapshot.config
            lint = config.lint
            console.line(Styled(opened.scope.root, "title"))
            for setting in setting_reports(config):
                if setting.name.startswith(_SETTING_PREFIX):
                    source = Styled(f"  # {setting.source}" if setting.source else "", "dim")
                    console.line(f"{setting.name} = {toml_value(setting.value)}", source)
            console.line()
            policy = opened.scope.policy(lint)
            rows: list[list[Part]] = []
            for rule in all_rules():
                severity = policy.severity(rule) or rule.severity
                runs = policy.runs(rule)
                severity_part = (
                    Styled(severity.value, check_report.STYLES[severity])
                    if runs
                    else Styled("does not run", "dim")
                )
                rows.append([rule.code, Styled(rule.name, "name"), severity_part])
            console.table(rows, ("code", "name", "severity"))
    return 0


def toml_value(value: object) -> str:
    """Return a setting as TOML writes it."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(toml_value, value))}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{dotted_key([k])} = {toml_value(v)}' for k, v in value.items())}}}"
    return dumps(value)  # a text or a truth is written as in JSON


def write_statistics(report: check_report.Report, form: str, console: Console) -> None:
    """Write the listing of how many findings each rule has (``--statistics``), the most frequent
    first.
    """
    findings = [diagnostic for _, diagnostic in report.findings()]
    counts = Counter((d.code, d.name) for d in findings)
    safe = Counter((d.code, d.name) for d in findings if d.fix and d.fix.safe)
    unsafe = Counter((d.code, d.name) for d in findings if d.fix and not d.fix.safe)
    rules = sorted(counts, key=lambda rule: (-counts[rule], rule))
    if form == "json":
        console.json(
            [
                {
                    "code": code,
                    "name": name,
                    "count": counts[code, name],
                    "safe_fixes": safe[code, name],
                    "unsafe_fixes": unsafe[code, name],
                }
                for code, name in rules
            ]
        )
        return
    rows: list[list[Part]] = [
        [
            str(counts[rule]),
            rule[0],
            Styled(rule[1], "name"),
            str(safe[rule] or ""),
            str(unsafe[rule] or ""),
        ]
        for rule in rules
    ]
    if counts:
        console.table(rows, ("findings", "code", "name", "fixable", "unsafe"))
    console.line(*check_report.summary_line(report))
