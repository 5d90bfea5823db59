"""A file that a client reads by itself has rules that the tree injects, too.

## What it does

Reports, once in each file, the rules of `CLAUDE.md`, `AGENTS.md`, `GEMINI.md`, `.cursor/rules` and
files like them that an active domain of the tree has as well. What `synapse sync` has written there
is not looked at, nor is a file that its front matter (`paths`, `globs`, `applyTo`, `alwaysApply:
false`) keeps for some files or occasions. Accents, capital letters and a label such as `MUST:` make
no other rule; `NEVER: …` is the same as `Never …`.

## Why it matters

A client that calls the hook reads both: each of these rules costs twice. When one of the two is
changed, the other still has the old rule.

## Example

```bad
-- .synapse/manifest --
GLOBAL_STATE=active
-- .synapse/global --
GLOBAL_RULE_0=Write small functions
-- CLAUDE.md --
# Style

- Write small functions
- Name things after what they are
```

```good
-- .synapse/manifest --
GLOBAL_STATE=active
-- .synapse/global --
GLOBAL_RULE_0=Write small functions
-- CLAUDE.md --
# Style

- Name things after what they are
```

## Evidence

Earlier versions of `synapse init` copied the rules of these files, which stayed as they were."""

from collections.abc import Iterator

from synapse_ls.formats.instruction_rules import RuleSource, read_source
from synapse_ls.lint.lint_rule import FileFacts, Tree, weak_cache
from synapse_ls.lint.rules.references.unread_client_file import unread_name
from synapse_ls.text.finding import Finding
from synapse_ls.text.phrases import format_count
from synapse_ls.workspace.rule_comparison import repeated_rules, told_texts


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield at most one finding for a client's file, at the first rule that the tree has as
    well.
    """
    texts = _told_texts(tree)
    source = _source(facts)
    repeats = (
        list(repeated_rules(source, texts))
        if texts and source.scope.always and not unread_name(facts.path)
        else []
    )
    if not repeats:
        return
    first, *other_repeats = repeats
    remedy = (
        "Keep one copy of each: delete them here, or let `synapse init --convert` have the tree "
        "refer to this file."
        if other_repeats
        else "Keep one of the two: delete it here, or in the tree."
    )
    message = (
        "This rule is also in the tree, so a client that reads this file and has the hook gets "
        "it twice."
    )
    if other_repeats:
        message = (
            f"This rule, and {format_count(len(other_repeats), 'rule')} after it, "
            "are also in the tree, so a client that reads this file and has the hook gets "
            "them twice."
        )
    yield Finding(first.span, message, remedy)


@weak_cache
def _source(facts: FileFacts) -> RuleSource:
    return read_source(facts.path, facts.text)


_told_texts = weak_cache(told_texts)
