"""A star-command is defined in two places of a file.

## What it does

Reports rules of a star-command that are apart from its first ones, with those of another command
in between.

## Why it matters

The second definition does not replace the first: a prompt with the command injects the rules of
both.

## Example

```bad
-- .synapse/commands --
# [*brief] COMMAND:
COMMANDS_RULE_BRIEF_0=Use bullet points only.
# [*plan] COMMAND:
COMMANDS_RULE_PLAN_0=Outline the approach first.
# [*brief] COMMAND:
COMMANDS_RULE_BRIEF_1=Answer in one sentence.
```

```good
-- .synapse/commands --
# [*brief] COMMAND:
COMMANDS_RULE_BRIEF_0=Use bullet points only.
COMMANDS_RULE_BRIEF_1=Five items at most.
# [*plan] COMMAND:
COMMANDS_RULE_PLAN_0=Outline the approach first.
```

## Evidence

The SYNAPSE command task refuses a `[*name]` that the file has already; its reader takes every block
of the name."""

from collections.abc import Iterator

from synapse_ls.formats.commands_file import StarCommands
from synapse_ls.lint.lint_rule import FileFacts
from synapse_ls.text.finding import Finding, Related


def check(facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for each further place where a star-command is defined, at its first rule
    there.
    """
    if not isinstance(document := facts.document, StarCommands):
        return
    owned = ((rule, command) for command in document.commands for rule in command.rules)
    names: set[str] = set()
    last = ""
    for rule, command in sorted(owned, key=lambda row: row[0].span):
        if command.name != last and command.name in names:
            yield Finding(
                rule.key_span if rule.key else rule.text_span,
                f"`*{command.name}` is defined above already, so its prompts inject the rules of "
                "both places.",
                "Join the two, or give one of them another name.",
                related=(Related(facts.path, command.span, "The first definition is here."),),
            )
        names.add(command.name)
        last = command.name
