"""Finding domains, rules and memories by what people call them, and what becomes of them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from synapse_ls.engine.account import account, replaced
from synapse_ls.memory.places import PERSON
from synapse_ls.service.errors import ServiceError
from synapse_ls.service.memories import memory_report
from synapse_ls.service.remembered import MemoryAccount, find_memories
from synapse_ls.workspace.naming import near_misses, upper_snake

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from synapse_ls.engine.account import DomainAccount, RuleAccount
    from synapse_ls.engine.phrases import Told
    from synapse_ls.engine.plan import Plan
    from synapse_ls.engine.run import Assembly

Found = tuple["DomainAccount", "RuleAccount | None"]
"""A rule in its domain, or a domain as a whole."""


def find_label(plan: Plan, name: str) -> str:
    """The label of the domain called ``name`` in any spelling; ServiceError with near misses else."""
    wanted = upper_snake(name)
    found = next((label for label in plan.labels if upper_snake(label) == wanted), "")
    if not found or not wanted:
        near = near_misses(wanted, plan.labels)
        raise ServiceError(
            f'The tree has no domain "{name}".',
            f"Did you mean {' or '.join(near)}?" if near else "`synapse domains` lists them.",
        )
    return found


def find(
    plan: Plan,
    assembly: Assembly,
    wanted: str,
    reader: str = PERSON,
    session: Mapping[str, Any] | None = None,
) -> list[Found]:
    """What ``wanted`` can mean, by the first reading that fits anything.

    A key, a domain, ``*command``, ``file:line``, or a fragment of a rule's text; else a memory that
    ``reader`` may see, by its id, its file or a fragment. A domain is found as such, without a
    rule. What a nearer file replaces is found as well, after what counts. ServiceError with near
    misses where nothing fits.
    """
    wanted = wanted.strip()
    accounts = (*account(plan, assembly), *replaced(plan))
    pairs = [(domain, rule) for domain in accounts for rule in domain.rules]
    by_key: list[Found] = [(d, r) for d, r in pairs if r.key.upper() == wanted.upper()]
    if by_key:
        return by_key
    by_name: list[Found] = [(domain, None) for domain in accounts if _is_called(domain, wanted)]
    if by_name:
        return by_name
    found = (
        _of_command(plan, pairs, wanted) or _at(plan, accounts, wanted) or _saying(pairs, wanted)
    )
    found = found or [*find_memories(plan, assembly, wanted, reader, session)]
    if found:
        return found
    keys, labels = [rule.key for _, rule in pairs], [domain.label for domain in accounts]
    near = (*near_misses(wanted, keys), *near_misses(wanted, labels))[:3]
    raise ServiceError(
        f'The tree has no rule, domain, memory or text "{wanted}".',
        f"Did you mean {' or '.join(near)}?" if near else "`synapse explain -v` lists every rule.",
    )


def fate(hit: Found) -> tuple[bool, Told]:
    """Whether a rule, or anything of a domain, is rendered, and why."""
    domain, rule = hit
    if rule is None and domain.layer and not domain.rendered:
        # The domain takes part; if one thing keeps all of its rules out, that is the answer.
        reasons = {found.reason for found in domain.rules}
        rule = domain.rules[0] if len(reasons) == 1 else None
    if rule is None:
        return domain.rendered > 0, domain.told
    return rule.rendered, rule.told


def found_report(hit: Found, root: str) -> dict[str, Any]:
    """What was found, and what becomes of it, as plain values."""
    domain, rule = hit
    rendered, told = fate(hit)
    return {
        "name": rule.key if rule else domain.label,
        "domain": domain.label,
        "rendered": rendered,
        **told.report(),
        "file": rule.file if rule else domain.file,
        "line": rule.line if rule else None,
        "text": rule.text if rule else None,
        "memory": memory_report(rule.seen, root, archived=rule.archived)
        if isinstance(rule, MemoryAccount) and rule.seen
        else None,
    }


def place(rules: Sequence[RuleAccount]) -> str:
    """``file:line`` of a rule, ``file:first-last`` of several in one file."""
    lines = [rule.line for rule in rules]
    first, last = min(lines), max(lines)
    return f"{rules[0].file}:{first}" if first == last else f"{rules[0].file}:{first}-{last}"


def _is_called(domain: DomainAccount, wanted: str) -> bool:
    """Whether a domain goes by a name: its label, or that without the file it is from."""
    names = (domain.label, domain.label.removesuffix(f" ({domain.file})"))
    return bool(wanted) and upper_snake(wanted) in map(upper_snake, names)


def _of_command(
    plan: Plan, pairs: list[tuple[DomainAccount, RuleAccount]], wanted: str
) -> list[Found]:
    if not wanted.startswith("*"):
        return []
    places = {row.line + 1 for row in plan.command_rows(wanted[1:].lower())}
    labels = {d.label for d in plan.domains() if d.role == "commands"}
    return [(d, r) for d, r in pairs if d.label in labels and r.line in places]


def _at(plan: Plan, accounts: Sequence[DomainAccount], wanted: str) -> list[Found]:
    """The rule on a line of a rule file, or the domain that begins on a line of a manifest."""
    path, colon, digits = wanted.rpartition(":")
    if not colon or not digits.isdecimal():
        return []
    line = int(digits)
    written = path.removeprefix("./").replace(os.sep, "/")
    absolute = os.path.relpath(path, plan.root).replace(os.sep, "/")
    files = (written, absolute, f".synapse/{written}")
    declared: list[Found] = [(d, None) for d in accounts if d.manifest in files and d.line == line]
    rules = [(d, r) for d in accounts for r in d.rules if r.file in files]
    found: list[Found] = [(d, r) for d, r in rules if r.line == line]
    if rules and not found:
        near = min((r for _, r in rules), key=lambda r: abs(r.line - line))
        raise ServiceError(
            f"No rule stands on line {line} of {near.file}.",
            f"The nearest is {near.key} on line {near.line}.",
        )
    return found or declared


def _saying(pairs: list[tuple[DomainAccount, RuleAccount]], wanted: str) -> list[Found]:
    words = " ".join(wanted.casefold().split())
    return [(d, r) for d, r in pairs if words and words in " ".join(r.text.casefold().split())]
