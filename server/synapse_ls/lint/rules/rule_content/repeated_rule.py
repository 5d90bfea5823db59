"""A rule is in two places that are injected together.

## What it does

Reports a rule whose text an earlier rule of the file has (in the same bracket, or of the same
star-command), and one in a file of the root whose text is also a rule of the constitution or of
`global`.

In a file of instructions that is named to `synapse check`, such as `CLAUDE.md`, it reports rules
that are there twice. A passage of four or more rules in the same order is one finding. A single
rule is reported if its first word says what to do (Always, Never, Do not, and these words in other
languages). Steps that two numbered procedures share, examples and catchphrases are passed over.

## Why it matters

A block has a text once, so that one of the copies is missing under its own heading and number.
When the rule changes, the other copy is easily forgotten, and from then on the block contradicts
itself.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Never commit to main.
-- .synapse/manifest --
AGENT_DEV_STATE=active
AGENT_DEV_AGENT_TRIGGER=dev
-- .synapse/agent-dev --
AGENT_DEV_RULE_0=Never commit to main.
AGENT_DEV_RULE_1=Read the story first.
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Never commit to main.
-- .synapse/manifest --
AGENT_DEV_STATE=active
AGENT_DEV_AGENT_TRIGGER=dev
-- .synapse/agent-dev --
AGENT_DEV_RULE_0=Read the story first.
```

## Evidence

The SYNAPSE reference repeats such rules in every prompt: its search for duplicates compares names
of files and misses most of them."""

from collections.abc import Collection, Iterator, Sequence

from synapse_ls.formats.authority_boundary import begins_with_modal
from synapse_ls.formats.rule import Rule
from synapse_ls.formats.rule_syntax import described_rule
from synapse_ls.lint.lint_rule import FileFacts, Tree
from synapse_ls.text.finding import Finding, Related
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.workspace import rule_comparison, tree_domains
from synapse_ls.workspace.file_kinds import FileKind

# Copies in the order of their originals from which on a passage of a client's file stands there
# twice.
FEWEST_OF_ONE_CAUSE = 4
_SEPARATE_KINDS = ("bracket", "command")  # told one at a time


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for each copy of a rule that is told together with it, at its text."""
    if facts.kind is FileKind.INSTRUCTIONS:
        yield from _repeats_in_instructions(facts)
        return
    if not tree.domains_of_file(facts.path):
        return  # no block tells any of it
    first: dict[tuple[str, str], Rule] = {}
    is_told = facts.path.startswith(f"{tree.folder}/") and _is_injected(tree, facts.path)
    for rule in tree_domains.rules_in(facts.document):
        if described_rule(rule.key):
            continue  # a note on a rule, `GLOBAL_RULE_0_PRIORITY`, is as often the same
        text = rule_comparison.comparable_rule_text(rule.text)
        # The bracket or command with which a rule is told, "" where all rules are told together.
        apart = rule.qualifier if rule.kind in _SEPARATE_KINDS else ""
        if facts.kind is FileKind.CONTEXT and not rule.key:
            apart = rule.group
        if (earlier := first.setdefault((apart, text), rule)) is not rule:
            place = Related(facts.path, earlier.text_span, "The first one is here.")
            yield _repeated_finding(facts, rule, earlier.key or f"line {earlier.line + 1}", place)
        elif (
            is_told
            and not apart
            and tree.snapshot.defining_paths(("rule", text)) not in ((), (facts.path,))
        ):
            yield from _repeated_elsewhere(tree, facts, rule, text)


def _repeats_in_instructions(facts: FileFacts) -> Iterator[Finding]:
    """Yield a finding for each repeated rule of a client's file that tells what to do, and one for
    all passages that are there twice.
    """
    rules = tuple(tree_domains.rules_in(facts.document))
    first: dict[str, int] = {}
    earlier_of: dict[int, int] = {}
    for number, rule in enumerate(rules):
        earlier = first.setdefault(rule_comparison.comparable_rule_text(rule.text), number)
        if earlier != number and not _are_variants(rule, rules[earlier]):
            earlier_of[number] = earlier
    # The numbers of the copies that stand one after the other as their originals do, where they are
    # so many that a passage was copied.
    runs: list[list[int]] = []
    for passage_number, passages_earlier in earlier_of.items():
        follows = bool(runs) and (passage_number - 1, passages_earlier - 1) == (
            runs[-1][-1],
            earlier_of[runs[-1][-1]],
        )
        if follows:
            runs[-1].append(passage_number)
        else:
            runs.append([passage_number])
    passages = [number for run in runs if len(run) >= FEWEST_OF_ONE_CAUSE for number in run]
    lines = facts.text.splitlines()
    copied = {rules[number].line for number in earlier_of}
    for number, earlier in earlier_of.items():
        rule, other = rules[number], rules[earlier]
        is_step = _is_step_of_another_list(lines, rule, other, copied)
        if number not in passages and not is_step and begins_with_modal(rule.text):
            place = Related(facts.path, other.text_span, "The first one is here.")
            yield _repeated_finding(facts, rule, f"line {other.line + 1}", place)
    if passages:
        pairs = [(rules[number], rules[earlier_of[number]]) for number in passages]
        passage_rule, passage_earlier = pairs[0]
        yield Finding(
            passage_rule.text_span,
            f"{len(pairs)} rules of this file are in it twice, so an agent reads them twice: "
            f"this one in line {passage_earlier.line + 1}, too.",
            "Delete one of the two passages.",
            related=tuple(
                Related(facts.path, other.text_span, "The first one is here.") for _, other in pairs
            ),
        )


def _are_variants(rule: Rule, earlier: Rule) -> bool:
    """Return whether two rules stand below two headings of one section, each of which is about
    something of its own, such as one model and another.
    """
    above, _, heading = rule.group.rpartition(" > ")
    other_above, _, other = earlier.group.rpartition(" > ")
    return bool(above) and above == other_above and heading != other


_STEP = lazy_pattern(r"\s*(\d+)[.)]\s")


def _is_step_of_another_list(
    lines: Sequence[str], rule: Rule, earlier: Rule, copied: Collection[int]
) -> bool:
    """Return whether both are steps of numbered procedures that are two: the second begins between
    them, with a step that is no copy itself. copied: lines of rules, from 0, that stand above as
    well.
    """
    if not (_STEP.match(lines[rule.line]) and _STEP.match(lines[earlier.line])):
        return False
    for number in range(rule.line, earlier.line, -1):
        if (step := _STEP.match(lines[number])) and step[1] == "1":
            return number not in copied
    return False


def _repeated_elsewhere(tree: Tree, facts: FileFacts, rule: Rule, text: str) -> Iterator[Finding]:
    """Yield a finding where the rule is also in a file that is in every block, in the second of two
    such files.
    """
    for path, standing in tree.snapshot.definitions(("rule", text)):
        is_later = facts.path < path and ("rule", text) in facts.definitions_by_key
        if path != facts.path and not is_later and _is_injected(tree, path):
            place = Related(path, standing.span, "It is also here.")
            yield _repeated_finding(facts, rule, f"`{path.rpartition('/')[2]}`", place)
            return


def _is_injected(tree: Tree, path: str) -> bool:
    """Return whether a file serves an active domain of the root."""
    return any(domain.is_active for domain in tree.root.domains_by_file.get(path, ()))


def _repeated_finding(facts: FileFacts, rule: Rule, where: str, place: Related) -> Finding:
    effect = "only one of the two is injected"
    if facts.kind is FileKind.INSTRUCTIONS:
        effect = "an agent reads it twice"
    return Finding(
        rule.text_span,
        f"This repeats {where}, so {effect}.",
        "Delete one of them.",
        related=(place,),
    )
