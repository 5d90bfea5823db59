"""An authority boundary contradicts another one, or a rule forbids what another demands.

## What it does

Compares the actions that boundaries list (`ALLOWED: …`, `BLOCKED: …`, `EXCLUSIVE authority for …`,
`NEVER …`, `ONLY …`): what is allowed to an agent and blocked for it, what is exclusive to two agents, and
what is exclusive to one and allowed to another. Among the other rules of one domain, `Always …` and
`MUST …` are compared with `Never …`. Actions are the same if they are written alike, but for case.

## Why it matters

An agent that reads both does what it likes, and two agents that each believe they are the only one do
the same work twice.

## Example

```bad
-- .synapse/manifest --
AGENT_DEV_STATE=active
AGENT_DEV_AGENT_TRIGGER=dev
-- .synapse/agent-dev --
AGENT_DEV_AUTH_0=ALLOWED: git commit, git push
AGENT_DEV_AUTH_1=BLOCKED: git push — delegate to @devops
```

```good
-- .synapse/manifest --
AGENT_DEV_STATE=active
AGENT_DEV_AGENT_TRIGGER=dev
-- .synapse/agent-dev --
AGENT_DEV_AUTH_0=ALLOWED: git commit
AGENT_DEV_AUTH_1=BLOCKED: git push — delegate to @devops
```

## Evidence

ADR-001 E6 gives the sentences, the agent files of AIOX the lists. In that framework's matrix, its rule file makes the creation of stories exclusive to @sm, its
constitution gives it to @sm and @po, and the command list of @pm has it, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, cast

from synapse_ls.formats.authority import (
    ALLOWED,
    BLOCKED,
    EXCLUSIVE,
    REQUIRED,
    Action,
    actions,
)
from synapse_ls.lint.diagnostic import Finding, Related, Severity
from synapse_ls.lint.lookup import once
from synapse_ls.lint.rule import Reach, TreeRule
from synapse_ls.text.span import Span
from synapse_ls.workspace.domains import rules_in
from synapse_ls.workspace.facts import FileFacts, key
from synapse_ls.workspace.kinds import FileKind
from synapse_ls.workspace.naming import kebab
from synapse_ls.workspace.tree import Tree

_SAME = {frozenset({said, BLOCKED}) for said in (ALLOWED, EXCLUSIVE, REQUIRED)}
_OTHERS = {frozenset({EXCLUSIVE}), frozenset({EXCLUSIVE, ALLOWED})}


class Claim(NamedTuple):
    """What somebody's boundary says of an action, and where."""

    path: str
    span: Span
    said: str
    owner: str


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """One finding for each action that an earlier boundary contradicts, at the action."""
    own: dict[tuple[str, str, str], Claim] = {}
    for rule in rules_in(facts.document):
        for action in actions(facts.text, rule):
            owner = _owner(tree, facts.path, rule.domain)
            claim = Claim(facts.path, action.what.span, action.said, owner)
            known = own.setdefault((action.name, action.said, owner), claim)
            if not owner or known is not claim:
                continue
            earlier = [
                other
                for said in (ALLOWED, BLOCKED, EXCLUSIVE, REQUIRED)
                if (other := own.get((action.name, said, owner))) and _contradict(claim, other)
            ]
            earlier += (o for o in _others(tree, claim, action.name) if _contradict(claim, o))
            if earlier:
                yield _finding(action, claim, earlier[0])


def _contradict(one: Claim, two: Claim) -> bool:
    pairs = _SAME if kebab(one.owner) == kebab(two.owner) else _OTHERS
    return frozenset({one.said, two.said}) in pairs


def _others(tree: Tree, claim: Claim, action: str) -> Iterator[Claim]:
    """What others say of an action further up, or in an earlier file of the same home."""
    known = _claims(tree)
    if action not in known:
        known[action] = _of_action(tree, action)
    home = tree.home_of(claim.path)
    for other in known[action]:
        if (
            tree.home_of(other.path) is home
            and other[:2] < claim[:2]
            and other.owner != claim.owner
        ):
            yield other


@once
def _claims(_: Tree) -> dict[str, tuple[Claim, ...]]:
    """By action, as far as somebody has asked."""
    return {}


def _of_action(tree: Tree, action: str) -> tuple[Claim, ...]:
    """For each home and each thing that is said, the first claims of two owners: one is another's."""
    found: dict[tuple[int, str], dict[str, Claim]] = {}
    for path, place in tree.snapshot.definitions(key("authority", action)):
        said, prefix = cast("tuple[str, str]", place.value)
        owners = found.setdefault((id(tree.home_of(path)), said), {})
        owner = _owner(tree, path, prefix) if len(owners) < 2 else ""
        if owner:
            owners.setdefault(kebab(owner), Claim(path, place.span, said, owner))
    return tuple(claim for owners in found.values() for claim in owners.values())


def _finding(action: Action, claim: Claim, other: Claim) -> Finding:
    what = f"`{action.what.value}`"
    if kebab(other.owner) == kebab(claim.owner):
        message = (
            f"{what} is {other.said} and {claim.said} for {claim.owner}, so the agent chooses."
        )
    elif other.said == claim.said:
        message = (
            f"{what} is exclusive to {other.owner} and to {claim.owner}, so each of them believes to be "
            "alone."
        )
    else:
        one, two = (other, claim) if other.said == EXCLUSIVE else (claim, other)
        message = f"{what} is exclusive to {one.owner} and allowed to {two.owner}, so it is not exclusive."
    place = Related(other.path, other.span, f"{other.said.capitalize()} here.")
    return Finding(claim.span, message, "Change one of the two.", related=(place,))


def _owner(tree: Tree, path: str, prefix: str) -> str:
    """The agent, or else the domain, whose boundaries a file holds under a prefix; "" for nobody's."""
    for domain in tree.home_of(path).served.get(path, ()):
        if domain.active and (not domain.shared or prefix in domain.prefixes):
            agent = domain.declaration.agent_trigger if domain.declaration else ""
            return f"@{agent}" if agent else domain.name
    return ""


RULE = TreeRule(
    code="SYN506",
    name="contradicting-authority",
    severity=Severity.WARNING,
    kinds=frozenset({FileKind.RULES}),
    check=check,
    reads={"authority": Reach.FOLDER, "domain": Reach.SERVED, "file": Reach.FOLDER},
)
