"""A boundary says nothing that the guard could recognise.

## What it does

Reports

- `{D}_DENY_n` and `{D}_ALLOW_n` whose text is no command line: a quotation without an end, several
  commands in one, a variable;
- those that begin with `write`, `read`, `delete` or `tool` and name no file and no tool;
- `{D}_AUTH_n` whose first word misspells one such as `BLOCKED:`.

## Why it matters

Such a rule never applies: what it should forbid is done without a word.

## Example

```bad
-- .synapse/manifest --
AGENT_DEV_STATE=active
AGENT_DEV_AGENT_TRIGGER=dev
-- .synapse/agent-dev --
AGENT_DEV_DENY_0=git push && git fetch
AGENT_DEV_DENY_1=write
```

```good
-- .synapse/manifest --
AGENT_DEV_STATE=active
AGENT_DEV_AGENT_TRIGGER=dev
-- .synapse/agent-dev --
AGENT_DEV_DENY_0=git push — delegate to @devops
AGENT_DEV_DENY_1=write docs/stories/**
```

## Evidence

The keys are those of this project, after the boundaries of ADR-001 E6, which are sentences.
"""

from collections.abc import Iterator

from synapse_ls.formats.authority_boundary import VERBS, boundary_actions
from synapse_ls.guard.boundary_patterns import parse_pattern
from synapse_ls.lint.fixes import word_fix
from synapse_ls.lint.lint_rule import FileFacts
from synapse_ls.text.edit_distance import nearest_word
from synapse_ls.text.finding import Finding, Severity
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.span import Span
from synapse_ls.workspace.tree_domains import rules_in

_LABEL = lazy_pattern(r"([A-Z]{4,}):")


def check(facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for each boundary, a DENY or ALLOW rule, in which the guard recognises
    nothing.
    """
    for rule in rules_in(facts.document):
        if rule.kind == "auth" and (label := _LABEL.match(rule.text)):
            near = nearest_word(label[1], VERBS)
            place = Span(0, len(label[1])).shift(rule.text_span.start)
            if near and place.cut(facts.text) == label[1]:
                yield Finding(
                    place,
                    f"No boundary begins with `{label[1]}`, so this line forbids and allows "
                    "nothing.",
                    f"Write `{near}`.",
                    word_fix(facts, place, near),
                    own_severity=Severity.ERROR,
                )
        if rule.kind not in ("deny", "allow"):
            continue
        named = [action.action for action in boundary_actions(facts.text, rule)]
        if not any(parse_pattern(what.value) for what in named):
            yield Finding(
                named[0].span if named else rule.text_span,
                "The guard does not recognise what this is about, so it never applies.",
                "Name one command (`git push`), files (`write docs/**`) or a tool (`tool "
                "mcp__github__*`).",
            )
