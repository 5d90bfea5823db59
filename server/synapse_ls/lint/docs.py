"""The rule pages of the documentation, made from the docstrings."""

from __future__ import annotations

from collections.abc import Mapping

from synapse_ls.lint import page
from synapse_ls.lint.page import Page
from synapse_ls.lint.registry import module_of, rules
from synapse_ls.lint.rule import Rule

FAMILIES = {
    "SYN1": "Syntax and keys",
    "SYN2": "References between files",
    "SYN3": "Activation and keywords",
    "SYN4": "Brackets and budgets",
    "SYN5": "Rule content",
    "SYN6": "Squads",
    "SYN7": "Workflows, tasks, stories, agents and sessions; files of Chati.dev (SYN74, SYN75)",
    "SYN8": "Safety",
    "SYN9": "Memory",
}
INDEX = "README.md"

_HEAD = """\
# Rules

A finding states its effect on what an agent reads, and how to mend it. Errors: content is lost or
changed. Warnings: something is dead. Infos: it works, but probably not as its author believes.
Hints: style. `synapse rule CODE` shows a page in the terminal.

Rules are chosen under `[lint]` in `.synapse/config.toml`, by code, by the beginning of codes (`SYN3`)
or by name: `select`, `ignore`, `severity` and `per_path`.
"""

_SOURCES = """\
## Sources

The pages give evidence from public sources: SYNAPSE and its reference engine
([SynkraAI/aios-core](https://github.com/SynkraAI/aios-core), read at `d6197fb7c`), CARL v1
([ChristopherKahler/carl-core](https://github.com/ChristopherKahler/carl-core), read at `fb44905`), Chati.dev
([mateusmetzker/Chati.dev](https://github.com/mateusmetzker/Chati.dev), read at `1fa102b` and at v3.2.5), "SYNAPSE Context Brackets",
"Chati Context Engine", "ADR-001: SYNAPSE Unified Context Engine", and neuron-context.
"""


def page_of(rule: Rule) -> Page:
    """The page of a rule."""
    return page.parse(module_of(rule.name).__doc__ or "")


def family_of(rule: Rule) -> str:
    """What the rules are about whose codes begin like this one's."""
    return next(title for prefix, title in FAMILIES.items() if rule.code.startswith(prefix))


def markdown(rule: Rule) -> str:
    """The page of a rule as Markdown."""
    found = page_of(rule)
    facts = [f"Severity: {rule.severity.value}."]
    facts += ["Has a fix."] if "Fix" in found.sections else []
    facts += [] if rule.default else ["Off unless selected."]
    parts = [f"# {rule.name} ({rule.code})", found.summary, " ".join(facts)]
    for title, text in found.sections.items():
        parts += [f"## {title}", page.render(text)]
    return "\n\n".join(parts) + "\n"


def pages() -> Mapping[str, str]:
    """File name -> Markdown: a page for each rule, and the index."""
    return {**{f"{rule.name}.md": markdown(rule) for rule in rules()}, INDEX: _index()}


def _index() -> str:
    parts = [_HEAD]
    for family, title in FAMILIES.items():
        own = [rule for rule in rules() if rule.code.startswith(family)]
        if own:
            rows = "".join(f"| {' | '.join(_row(rule))} |\n" for rule in own)
            parts.append(
                f"## {title}\n\n| Code | Name | Severity | Fix | |\n|---|---|---|---|---|\n{rows}"
            )
    return "\n".join((*parts, _SOURCES))


def _row(rule: Rule) -> tuple[str, ...]:
    found = page_of(rule)
    severity = rule.severity.value if rule.default else f"{rule.severity.value}, off"
    fix = "yes" if "Fix" in found.sections else ""
    return rule.code, f"[{rule.name}]({rule.name}.md)", severity, fix, found.summary
