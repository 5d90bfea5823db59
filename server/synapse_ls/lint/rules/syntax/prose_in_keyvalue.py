"""Prose stands between rules that have keys.

## What it does

Reports lines without a key in a file whose other rules have keys.

## Why it matters

A file is either `KEY=value` or plain text. One key makes it the former, and then every line
without a key is lost.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
Never commit to main.
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
GLOBAL_RULE_1=Never commit to main.
```

## Evidence

The reference reader (`domain-loader.js`, SynkraAI/aios-core) decides on the mode of the whole file
by the first upper-case key and then skips all other lines.

## Fix

The lines get keys with the next free numbers. What is injected changes.
"""

from __future__ import annotations

from synapse_ls.lint.fixes import next_index, single_edit_fix
from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Finding, Fix, Severity
from synapse_ls.text.line_index import iter_lines
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.naming_conventions import domain_of_file
from synapse_ls.workspace.tree_domains import rules_in


def give_keys(facts: FileFacts, problem: Finding) -> Fix | None:
    """Returns the fix that makes a rule of every line of prose, under the prefix of the file's
    domain; where no rule has that, under the prefix of the rule above or else of the first one.
    """
    rules = [rule for rule in rules_in(facts.document) if rule.kind == "rule" and rule.domain]
    if not rules:
        return None
    # A key above that is mistyped is no model.
    own = [rule for rule in rules if rule.domain == domain_of_file(facts.path)] or rules
    above = [rule for rule in own if rule.span.end <= problem.span.start]
    model = above[-1] if above else own[0]
    index = next_index(model, rules)
    prose = problem.span.cut(facts.text)
    pieces: list[str] = []
    last = 0
    for start, end in iter_lines(prose):
        line = prose[start:end].strip().lstrip("-*• ")
        pieces.append(prose[last:start])
        if line:
            pieces.append(f"{model.domain}_RULE_{index}={line}")
            index += 1
        last = end
    return single_edit_fix(
        facts, "Give every line a key", problem.span, "".join(pieces), safe=False
    )


RULE = ProblemRule(
    code="SYN112",
    name="prose-in-keyvalue",
    severity=Severity.ERROR,
    claims=("prose-in-keyvalue",),
    fix=give_keys,
)
