"""An authority boundary contradicts another one, or a rule forbids what another demands.

## What it does

Compares the actions that boundaries list (`ALLOWED: …`, `BLOCKED: …`, `EXCLUSIVE authority for …`,
`NEVER …`, `ONLY …`): what is allowed to an agent and blocked for it, what is exclusive to two
agents, and what is exclusive to one and allowed to another. Among the other rules of one domain,
`Always …` and `MUST …` are compared with `Never …`. Actions are the same if they are written alike,
but for case. A single name before a dash and a list (`EXCLUSIVE: Tier 1 — Ana, Rui`) is the heading
of that list and no action.

## Why it matters

An agent that reads both may follow either, and two agents that each count as the only one do the
same work twice.

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

ADR-001 E6 gives the sentences, the agent files of AIOX the lists. In that framework's matrix, its
rule file makes the creation of stories exclusive to @sm, its constitution gives it to @sm and @po,
and the command list of @pm has it, too."""

from collections.abc import Iterator
from typing import NamedTuple, cast

from synapse_ls.formats.authority_boundary import (
    ALLOWED,
    BLOCKED,
    EXCLUSIVE,
    REQUIRED,
    boundary_actions,
)
from synapse_ls.lint.lint_rule import FileFacts, Tree, weak_cache
from synapse_ls.text.finding import Finding, Related
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.span import Span
from synapse_ls.workspace import fact_extraction, tree_domains
from synapse_ls.workspace.naming_conventions import kebab_case

_SAME_OWNER_CONFLICTS = {frozenset({said, BLOCKED}) for said in (ALLOWED, EXCLUSIVE, REQUIRED)}
_OTHER_OWNER_CONFLICTS = {frozenset({EXCLUSIVE}), frozenset({EXCLUSIVE, ALLOWED})}

_LIST_BEHIND_DASH = lazy_pattern(r"\s[—–-]\s[^,]+,[^,]")


class AuthorityClaim(NamedTuple):
    """What an authority boundary of an agent or domain says of an action, and where."""

    path: str
    span: Span
    permission: str
    owner: str


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for each action on which an earlier authority boundary says the contrary,
    at the action.
    """
    own: dict[tuple[str, str, str], AuthorityClaim] = {}
    for rule in tree_domains.rules_in(facts.document):
        actions = tuple(boundary_actions(facts.text, rule))
        if len(actions) == 1 and _LIST_BEHIND_DASH.match(
            facts.text, actions[0].action.span.end, rule.text_span.end
        ):
            continue
        for action in actions:
            owner = _boundary_owner(tree, facts.path, rule.domain)
            claim = AuthorityClaim(facts.path, action.action.span, action.effect, owner)
            authority_claim = own.setdefault((action.name, action.effect, owner), claim)
            if not owner or authority_claim is not claim:
                continue
            earlier = [
                other
                for permission in (ALLOWED, BLOCKED, EXCLUSIVE, REQUIRED)
                if (other := own.get((action.name, permission, owner)))
                and _is_contradiction(claim, other)
            ]
            earlier += (
                o for o in _earlier_claims(tree, claim, action.name) if _is_contradiction(claim, o)
            )
            if earlier:
                # The finding for a claim that contradicts another one.
                other_claim = earlier[0]
                what = f"`{action.action.value}`"
                if kebab_case(other_claim.owner) == kebab_case(claim.owner):
                    message = (
                        f"{what} is {other_claim.permission} and {claim.permission} for "
                        f"{claim.owner}, so the agent chooses."
                    )
                elif other_claim.permission == claim.permission:
                    message = (
                        f"{what} is exclusive to {other_claim.owner} and to {claim.owner}, so "
                        "each of them believes to be alone."
                    )
                else:
                    earlier_claim, two = (
                        (other_claim, claim)
                        if other_claim.permission == EXCLUSIVE
                        else (claim, other_claim)
                    )
                    message = (
                        f"{what} is exclusive to {earlier_claim.owner} and allowed to {two.owner}, "
                        "so it is not exclusive."
                    )
                place = Related(
                    other_claim.path,
                    other_claim.span,
                    f"{other_claim.permission.capitalize()} here.",
                )
                yield Finding(claim.span, message, "Change one of the two.", related=(place,))


def _is_contradiction(claim: AuthorityClaim, two: AuthorityClaim) -> bool:
    """Return whether two claims about one action contradict each other."""
    pairs = (
        _SAME_OWNER_CONFLICTS
        if kebab_case(claim.owner) == kebab_case(two.owner)
        else _OTHER_OWNER_CONFLICTS
    )
    return frozenset({claim.permission, two.permission}) in pairs


def _earlier_claims(tree: Tree, claim: AuthorityClaim, action: str) -> Iterator[AuthorityClaim]:
    """Yield the claims of other owners on an action that stand earlier in the same home."""
    claims = _claims_by_action(tree)
    if action not in claims:
        # The claims on an action, for each home and permission those of the first two owners.
        owners_by_home: dict[tuple[int, str], dict[str, AuthorityClaim]] = {}
        for path, place in tree.snapshot.definitions(fact_extraction.make_key("authority", action)):
            permission, prefix = cast("tuple[str, str]", place.value)
            owners = owners_by_home.setdefault((id(tree.home_of(path)), permission), {})
            owner = _boundary_owner(tree, path, prefix) if len(owners) < 2 else ""
            if owner:
                owners.setdefault(
                    kebab_case(owner), AuthorityClaim(path, place.span, permission, owner)
                )
        claims[action] = tuple(
            claim for owners in owners_by_home.values() for claim in owners.values()
        )
    home = tree.home_of(claim.path)
    for other in claims[action]:
        if (
            tree.home_of(other.path) is home
            and other[:2] < claim[:2]
            and other.owner != claim.owner
        ):
            yield other


@weak_cache
def _claims_by_action(_: Tree) -> dict[str, tuple[AuthorityClaim, ...]]:
    """Return the cache of a tree: action -> claims, for actions that were looked up."""
    return {}


def _boundary_owner(tree: Tree, path: str, prefix: str) -> str:
    """Return the agent, else the domain, that the boundaries with a prefix in a file belong to; ""
    for none.
    """
    for domain in tree.domains_of_file(path):
        if domain.is_active and (not domain.shared or prefix in domain.prefixes):
            agent = domain.declaration.agent_trigger if domain.declaration else ""
            return f"@{agent}" if agent else domain.name
    return ""
