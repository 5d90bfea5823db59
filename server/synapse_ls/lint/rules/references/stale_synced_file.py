"""A file for agents does not say what the rules say now.

## What it does

Compares the part of `AGENTS.md`, `CLAUDE.md`, `.cursor/rules/synapse*.mdc` and other files that
`synapse sync` has written with what it would write today. Files without its marks are not looked
at. Whether a client got the hook meanwhile, and so needs less in its file, only `synapse sync
--check` sees.

## Why it matters

Agents without the hook read that file and nothing else: they are held to rules that were changed,
and do not know those that were added.

## Example

```bad
-- .synapse/manifest --
GLOBAL_STATE=active
-- .synapse/global --
GLOBAL_RULE_0=Write small functions
-- AGENTS.md --
<!-- synapse:begin rules 0123456789ab kept by "synapse sync" -->

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
<!-- synapse:begin rules acc058be6e02 kept by "synapse sync" -->

These rules are kept in `.synapse/`; change them there, then run `synapse sync`.

## Rules for everything

- Write small functions

<!-- synapse:end -->
```

## Evidence

Generated rule files that nobody generates again are the first complaint about tools that make them;
such tools (rulesync, ruler, ai-rulez) have a mode for continuous integration that fails on drift.
"""

from collections.abc import Iterator
from dataclasses import replace

from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.engine.plan_compiler import compile_plan
from synapse_ls.formats.managed_block import MARKS_REMEDY, RULES, ManagedBlock
from synapse_ls.integrations.instruction_files import (
    TARGETS,
    InstructionFile,
    find_target,
    first_difference,
    instruction_files,
    is_current,
    loses_edits,
)
from synapse_ls.lint.lint_rule import FileFacts, Tree, weak_cache
from synapse_ls.text.finding import Finding

RUN_SYNC = "Run `synapse sync`."
GIVE_UP_EDIT = "Take the edit into the tree, or give it up with `synapse sync --force`."


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield at most one finding where a synced file is stale, differs from the rules, at the first
    such line.
    """
    document, target = facts.document, find_target(facts.path)
    if not isinstance(document, ManagedBlock) or target is None:
        return
    if document.defect:
        yield Finding(
            document.span,
            f"{document.defect[0].upper()}{document.defect[1:]} here, so the file is not kept up "
            "to date.",
            MARKS_REMEDY,
        )
        return
    plan, kind = _tree_plan(tree), document.kind or RULES
    files = (file for file in instruction_files(plan, target, kind) if file.path == facts.path)
    if (file := next(files, None)) is None:
        yield Finding(
            document.begin,
            "The rules have nothing to say here any more, yet agents read this.",
            RUN_SYNC,
        )
    elif not is_current(file, document) and not _is_written_for_another_target(
        plan, file, kind, document
    ):
        place = facts.lines.line_span(facts.lines.line_of(first_difference(file, document)))
        if loses_edits(file, document):
            yield Finding(
                place,
                "Somebody has changed what `synapse sync` wrote, so agents read what the tree does "
                "not say.",
                GIVE_UP_EDIT,
            )
        else:
            message = "Agents that read this file do not get what the rules say now."
            yield Finding(place, message, RUN_SYNC)


def _is_written_for_another_target(
    plan: Plan, file: InstructionFile, kind: str, block: ManagedBlock
) -> bool:
    """Return whether the file has what another target would have: one may be a link to the
    other.
    """
    if file.whole:
        return False
    shared = [target for target in TARGETS.values() if not target.main_place.is_whole]
    return any(
        is_current(instruction_file, block)
        for target in shared
        for instruction_file in instruction_files(plan, replace(target, imports=True), kind)
        if not instruction_file.whole
    )


@weak_cache
def _tree_plan(tree: Tree) -> Plan:
    return compile_plan(tree, "")
