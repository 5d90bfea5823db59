"""A file for agents does not say what the rules say now.

## What it does

Compares the part of `AGENTS.md`, `CLAUDE.md`, `.cursor/rules/synapse*.mdc` and other files that
`synapse sync` has written with what it would write today. Files without its marks are not looked at.
Whether a client got the hook meanwhile, and so needs less in its file, only `synapse sync --check` sees.

## Why it matters

Agents without the hook read that file and nothing else: they are held to rules that were changed, and
do not know those that were added.

## Example

```bad
-- .synapse/manifest --
GLOBAL_STATE=active
-- .synapse/global --
GLOBAL_RULE_0=Write small functions
-- AGENTS.md --
<!-- synapse:begin rules 0123456789ab made by "synapse sync" -->

These rules are kept in `.synapse/`; change them there, then run `synapse sync`.

## Rules for everything

- Write large functions

<!-- synapse:end -->
```

```good
-- .synapse/manifest --
GLOBAL_STATE=active
-- .synapse/global --
GLOBAL_RULE_0=Write small functions
-- AGENTS.md --
<!-- synapse:begin rules acc058be6e02 made by "synapse sync" -->

These rules are kept in `.synapse/`; change them there, then run `synapse sync`.

## Rules for everything

- Write small functions

<!-- synapse:end -->
```

## Evidence

Generated rule files that nobody generates again are the first complaint about tools that make them;
such tools (rulesync, ruler, ai-rulez) have a mode for continuous integration that fails on drift.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from synapse_ls.engine.compile import compile_plan
from synapse_ls.engine.plan import Plan
from synapse_ls.formats.managed import MEND, RULES, Managed
from synapse_ls.lint.diagnostic import Finding, Severity
from synapse_ls.lint.lookup import once
from synapse_ls.lint.rule import Reach, TreeRule
from synapse_ls.sync.files import first_difference, is_current, is_lost, wanted
from synapse_ls.sync.registry import TARGETS, target_of
from synapse_ls.sync.target import Target, Wanted
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.kinds import FileKind
from synapse_ls.workspace.tree import Tree

RUN = "Run `synapse sync`."
GIVE_UP = "Take the edit into the tree, or give it up with `synapse sync --force`."


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """At most one finding, at the first line that differs."""
    found, target = facts.document, target_of(facts.path)
    if not isinstance(found, Managed) or target is None:
        return
    if found.broken:
        yield Finding(
            found.span,
            f"{found.broken[0].upper()}{found.broken[1:]} here, so the file is not kept up to date.",
            MEND,
        )
        return
    plan, kind = _plan(tree), found.kind or RULES
    file = next((one for one in wanted(plan, target, kind) if one.path == facts.path), None)
    if file is None:
        yield Finding(
            found.begin, "The rules have nothing to say here any more, yet agents read this.", RUN
        )
    elif not is_current(file, found) and not _is_anothers(plan, file, kind, found):
        yield _finding(facts, file, found)


def _finding(facts: FileFacts, file: Wanted, found: Managed) -> Finding:
    line = facts.lines.line_of(first_difference(file, found))
    place = facts.lines.line_span(line)
    if is_lost(file, found):
        return Finding(
            place,
            "Somebody has changed what `synapse sync` wrote: agents read what the tree does not say, "
            "and the next run leaves the file alone.",
            GIVE_UP,
        )
    return Finding(place, "Agents that read this file are not told what the rules say now.", RUN)


def _is_anothers(plan: Plan, file: Wanted, kind: str, found: Managed) -> bool:
    """Whether the file says what another target's would: one may be a link to the other."""
    if file.whole:
        return False
    shared = [target for target in TARGETS.values() if not target.standing.whole]
    return any(
        is_current(one, found)
        for target in shared
        for one in wanted(plan, _importing(target), kind)
        if not one.whole
    )


def _importing(target: Target) -> Target:
    return replace(target, imports=True)


@once
def _plan(tree: Tree) -> Plan:
    return compile_plan(tree, "")


RULE = TreeRule(
    code="SYN211",
    name="stale-synced-file",
    severity=Severity.WARNING,
    kinds=frozenset({FileKind.SYNCED}),
    check=check,
    reads={"content": Reach.EVERYWHERE, "file": Reach.EVERYWHERE},
)
