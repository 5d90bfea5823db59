"""Look up rules, domains and memories by the names that people use, with their account."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from synapse_ls.engine import block_assembly, reason_phrases, rule_account
from synapse_ls.engine.block_renderer import summarize_keys
from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.formats.session_file import SessionState
from synapse_ls.memory.memory_record import PERSON
from synapse_ls.queries import report_model
from synapse_ls.queries.memory_report import (
    MemoryAccount,
    MemoryReport,
    find_memories,
    memory_report,
)
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.naming_conventions import suggest_names, upper_snake

# How labels of domains begin that a block of XML calls by the rest, as in ``<agent name="dev">``.
_ELEMENT_KINDS = ("AGENT_", "WORKFLOW_")
# A rule in its domain, or a domain as a whole.
LookupHit = tuple["rule_account.DomainAccount", "rule_account.RuleAccount | None"]


@dataclass(frozen=True, kw_only=True)
class AccountReport:
    """Whether what was looked up, a rule, a memory, or a domain as a whole (`key` null), is in the
    block, and why.
    """

    key: str | None = field(metadata=report_model.PROTOCOL_ONLY)
    layer: str | None = field(metadata=report_model.PROTOCOL_ONLY)
    name: str = field(metadata=report_model.JSON_ONLY)
    domain: str
    rendered: bool
    explanation: report_model.ReasonReport = field(metadata=report_model.INLINE)
    file: str = field(metadata=report_model.JSON_ONLY)
    line: int | None = field(metadata=report_model.JSON_ONLY)
    text: str | None
    memory: MemoryReport | None = field(metadata=report_model.JSON_ONLY)
    tokens: int = field(metadata=report_model.PROTOCOL_ONLY)
    place: str = field(metadata=report_model.PROTOCOL_ONLY)
    place_line: int = field(metadata=report_model.PROTOCOL_ONLY | {"file": "place"})


@dataclass(frozen=True, kw_only=True)
class WhyReport:
    """The accounts of the rules that were looked up, in the current situation."""

    bracket: str
    accounts: list[AccountReport]


def find_rules(
    plan: Plan,
    assembly: block_assembly.Assembly,
    wanted: str,
    reader: str = PERSON,
    session: SessionState | None = None,
) -> list[LookupHit]:
    """Look up the rules and domains that ``wanted`` can mean, by the first reading that fits
    anything.

    A key, an id that stands in a block of XML, a domain, ``*command``, ``file:line``, or a fragment
    of a rule's text; else a memory that ``reader`` may see, by its id, its file or a fragment. A
    domain is found as such, without a rule. What a nearer file replaces is found as well, after
    what counts. Raises UserError with near misses where nothing fits.
    """
    wanted = wanted.strip()
    accounts = (
        *rule_account.account_for_domains(plan, assembly),
        *rule_account.replaced_domain_accounts(plan),
    )
    pairs = [(domain, rule) for domain in accounts for rule in domain.rules]
    by_key: list[LookupHit] = [(d, r) for d, r in pairs if r.key.upper() == wanted.upper()]
    for domain, rule in () if by_key else pairs:
        # The key of a rule, with the prefix that its squad gives the domain.
        label, key = domain.label.upper(), rule.key.upper()
        rest = wanted.upper().removeprefix(f"{label}_")
        base = key.removesuffix(f"_{rest}")
        if rest != wanted.upper() and base != key and label.endswith(f"_{base}"):
            by_key.append((domain, rule))
    name = upper_snake(wanted) if plan.profile.markup == "xml" else ""
    if name and not by_key:
        # By the id that an element has in a block of XML; what is in the block goes first.
        by_id = [(d, r) for d, r in pairs if r.key in (name, f"{d.label}_{name}")]
        by_key = [*sorted(by_id, key=lambda hit: not hit[1].is_rendered)]
    if by_key:
        return by_key
    kinds = _ELEMENT_KINDS if plan.profile.markup == "xml" else ()
    hits = []
    for domain in accounts if wanted else ():
        # A domain goes by its label, also without the file it is from or the kind of its element.
        names = [domain.label, domain.label.removesuffix(f" ({domain.file})")]
        names += (domain.label.removeprefix(kind).removesuffix("_RULES") for kind in kinds)
        if upper_snake(wanted) in map(upper_snake, names):
            hits += domain_hits(domain)
    if hits:
        return hits
    if wanted.startswith("*"):
        places = {row.line + 1 for row in plan.command_rules(wanted[1:].lower())}
        command_labels = {d.label for d in plan.domains() if d.role == "commands"}
        hits = [(d, r) for d, r in pairs if d.label in command_labels and r.line in places]
    hits = hits or _find_at(plan, accounts, wanted)
    if not hits and (words := " ".join(wanted.casefold().split())):
        hits = [(d, r) for d, r in pairs if words in " ".join(r.text.casefold().split())]
    hits = hits or [*find_memories(plan, assembly, wanted, reader, session)]
    if hits:
        return hits
    labels = [domain.label for domain in accounts]
    listed = suggest_names(wanted, labels, "`synapse explain -v` lists every rule.")
    raise UserError(
        f'The tree has no rule, domain, memory or text "{wanted}".',
        suggest_names(wanted, [rule.key for _, rule in pairs], listed),
    )


def domain_hits(domain: rule_account.DomainAccount) -> list[LookupHit]:
    """Return what answers for a domain that was looked up: the domain, and each of its rules that
    is out where only some are; its rules alone where it takes part and several things keep them
    out.
    """
    out = [rule for rule in domain.rules if not rule.is_rendered]
    if _is_left_out(domain) and len({rule.reason for rule in out}) > 1:
        return [(domain, rule) for rule in out]
    return [(domain, None), *((domain, rule) for rule in out if domain.rendered_count)]


def group_hits(hits: Sequence[LookupHit]) -> Iterator[list[LookupHit]]:
    """Yield what was looked up in groups that share one domain and one fate."""
    for _, group in groupby(hits, lambda hit: (hit[0].label, hit[1] is None, *explain_hit(hit))):
        yield list(group)


def describe_fate(hits: Sequence[LookupHit]) -> tuple[str, str]:
    """Return what a group of `group_hits` is called, and whether that is in the block: "in",
    "partly in" or "out".
    """
    domain, rule = hits[0]
    keys = {rule.key for _, rule in hits if rule}
    is_part = rule is None and 0 < domain.rendered_count < len(domain.rules)
    state = "partly in" if is_part else "in" if explain_hit(hits[0])[0] else "out"
    name = domain.label if rule is None else rule.key
    return (f"{summarize_keys(keys)} are", state) if len(keys) > 1 else (f"{name} is", state)


def _is_left_out(domain: rule_account.DomainAccount) -> bool:
    return bool(domain.layer and domain.rules and not domain.rendered_count)


def explain_hit(hit: LookupHit) -> tuple[bool, reason_phrases.Explanation]:
    """Return, of a rule that was looked up, or of anything of a domain, whether it is in the block,
    and why.
    """
    domain, rule = hit
    if rule is None and _is_left_out(domain):
        # The domain takes part; what keeps all of its rules out is the answer.
        rule = domain.rules[0]
    if rule is None:
        return domain.rendered_count > 0, domain.explanation
    return rule.is_rendered, rule.explanation


def account_report(hit: LookupHit) -> AccountReport:
    """Return the rule that was looked up, and what becomes of it; an editor shows a domain where it
    is declared.
    """
    domain, rule = hit
    rendered, explanation = explain_hit(hit)
    return AccountReport(
        key=rule.key if rule else None,
        layer=domain.layer or None,
        name=rule.key if rule else domain.label,
        domain=domain.label,
        rendered=rendered,
        explanation=report_model.reason_report(explanation),
        file=rule.file if rule else domain.file,
        line=rule.line if rule else None,
        text=rule.text if rule else None,
        memory=memory_report(rule.memory, archived=rule.is_archived)
        if isinstance(rule, MemoryAccount) and rule.memory
        else None,
        tokens=rule.tokens if rule else sum(account.tokens for account in domain.rules),
        place=rule.file if rule else domain.manifest,
        place_line=rule.line if rule else domain.line,
    )


def rule_place(rules: Sequence[rule_account.RuleAccount]) -> str:
    """Return ``file:line`` of a rule that was looked up, ``file:first-last`` of several in one
    file.
    """
    return line_range(rules[0].file, [rule.line for rule in rules])


def line_range(file: str, lines: Sequence[int]) -> str:
    """Return ``file:line``, or ``file:first-last`` of several lines."""
    first, last = min(lines), max(lines)
    return f"{file}:{first}" if first == last else f"{file}:{first}-{last}"


def _find_at(
    plan: Plan, accounts: Sequence[rule_account.DomainAccount], wanted: str
) -> list[LookupHit]:
    """Return the rule on a line of a rule file, or the domain that begins on a line of a
    manifest.
    """
    path, colon, digits = wanted.rpartition(":")
    if not colon or not digits.isdecimal():
        return []
    line = int(digits)
    written = path.removeprefix("./").replace(os.sep, "/")
    files = (written, os.path.relpath(path, plan.root).replace(os.sep, "/"), f".synapse/{written}")
    declared: list[LookupHit] = [
        (d, None) for d in accounts if d.manifest in files and d.line == line
    ]
    rules = [(d, r) for d in accounts for r in d.rules if r.file in files]
    hits: list[LookupHit] = [(d, r) for d, r in rules if r.line == line]
    if rules and not hits:
        near = min((r for _, r in rules), key=lambda r: abs(r.line - line))
        raise UserError(
            f"There is no rule on line {line} of {near.file}.",
            f"The nearest is {near.key} on line {near.line}.",
        )
    return hits or declared
