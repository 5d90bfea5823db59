"""A check of a rule is no sentence that can be checked.

## What it does

Reports `{D}_CHECK_n` that begins as a check does (`never`, `run` or `files`) and is none: another
word than those of the language, a command that cannot be read, a file without a name.

## Why it matters

Such a check checks nothing: `synapse audit` passes over it without a word.

## Example

```bad
-- .synapse/manifest --
GLOBAL_STATE=active
-- .synapse/global --
GLOBAL_RULE_0=Run the tests before you commit
GLOBAL_CHECK_0=run the tests first
```

```good
-- .synapse/manifest --
GLOBAL_STATE=active
-- .synapse/global --
GLOBAL_RULE_0=Run the tests before you commit
GLOBAL_CHECK_0=run `npm test` before `git commit`
```

## Evidence

The keys and the language are those of this project.
"""

from collections.abc import Iterator

from synapse_ls.formats.rule_syntax import SENTENCES, parse_check
from synapse_ls.guard.check_breaches import parse_check_patterns
from synapse_ls.lint.lint_rule import FileFacts
from synapse_ls.text.finding import Finding
from synapse_ls.workspace.tree_domains import rules_in


def check(facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for each check of a rule that nobody can read."""
    for rule in rules_in(facts.document):
        if rule.kind != "check":
            continue
        rule_check = parse_check(rule.text)
        if rule_check is None or parse_check_patterns(rule_check) is None:
            yield Finding(
                rule.text_span,
                "This checks nothing, because it is no sentence of the language of checks.",
                f"Write one of: {'; '.join(f'`{sentence}`' for sentence in SENTENCES)}.",
            )
