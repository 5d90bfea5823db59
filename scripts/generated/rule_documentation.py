"""Write docs/rules: a page for each lint rule, and their index."""

from collections.abc import Iterable, Mapping
from itertools import groupby

from synapse_ls.lint.rule_pages import page_markdown, rule_page
from synapse_ls.lint.rule_registry import FAMILIES, all_rules, family_rules, rule_file

INDEX_FILE = "README.md"

_INDEX_HEAD = """\
# Rules

A finding states its effect on what an agent reads, and how to mend it. Errors: content is lost or
changed. Warnings: something is dead. Infos: it works, but probably not as its author believes.
Hints: style. `synapse rule CODE` shows a page in the terminal.

Rules are chosen under `[lint]` in `.synapse/config.toml`, by code, by the beginning of codes
(`SYN3`) or by name: `select`, `ignore`, `severity` and `per_path`.
"""

_INDEX_SOURCES = """\
## Sources

The pages give evidence from public sources:

* SYNAPSE and its reference engine: [aios-core](https://github.com/SynkraAI/aios-core) at
  `d6197fb7c`;
* CARL v1: [carl-core](https://github.com/ChristopherKahler/carl-core) at `fb44905`;
* [Chati.dev](https://github.com/mateusmetzker/Chati.dev) at `1fa102b` and at v3.2.5;
* "SYNAPSE Context Brackets", "Chati Context Engine", "ADR-001: SYNAPSE Unified Context Engine";
* neuron-context.
"""


def documentation_pages() -> Mapping[str, str]:
    """Return all documentation pages, file name -> Markdown: one for each rule, and the index."""
    return {
        **{f"{rule.name}.md": page_markdown(rule) for rule in all_rules()},
        INDEX_FILE: _index_page(),
    }


def _index_page() -> str:
    """Return the index of all rules as Markdown: one table for each family."""
    parts = [_INDEX_HEAD]
    for family in FAMILIES.values():
        rows = [
            f"## {family.title}\n",
            "| Code | Name | Severity | Fix | |",
            "|---|---|---|---|---|",
        ]
        for rule in all_rules():
            if rule.code.startswith(family.prefixes):
                page = rule_page(rule)
                severity = rule.severity.value if rule.default else f"{rule.severity.value}, off"
                fix = "yes" if "Fix" in page.sections else ""
                link = f"[{rule.name}]({rule.name}.md)"
                rows.append(f"| {rule.code} | {link} | {severity} | {fix} | {page.summary} |")
        parts.append("\n".join((*rows, "")))
    return "\n".join((*parts, _INDEX_SOURCES))


def find_faults(files: Iterable[str]) -> list[str]:
    """Return a sentence for each fault of the registry: a rule without its file, a file without a
    rule, and two rules of one code.

    ``files`` are those below ``lint/rules``: ``squads/missing_component.py`` for a rule with a
    check, ``squads/bad-extends.md`` for one without.
    """
    present = {path for path in files if not path.endswith("/__init__.py")}
    expected = {rule_file(name, rule) for name in FAMILIES for rule in family_rules(name)}
    faults = [
        f"lint/rules/{path} belongs to no row of RULES in the `__init__.py` beside it."
        for path in sorted(present - expected)
    ]
    faults += [
        f"A row of RULES has no file lint/rules/{path}." for path in sorted(expected - present)
    ]
    for code, group in groupby(all_rules(), key=lambda rule: rule.code):
        names = [rule.name for rule in group]
        if len(names) > 1:
            faults.append(f"{' and '.join(names)} have the same code, {code}.")
    return faults
