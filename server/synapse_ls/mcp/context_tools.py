"""MCP tools about the context of an agent: the block, accounts of it, domains and status."""

from collections.abc import Iterator
from itertools import groupby

from synapse_ls.engine import block_renderer, rule_account
from synapse_ls.mcp.tool_definition import (
    INTEGER,
    SESSION,
    SITUATION,
    Arguments,
    ToolArgument,
    ToolResult,
    answer_situation_lines,
    join_groups,
    note_lines,
    omitted_lines,
    query_answer,
    split_text,
    tool,
    window_line,
)
from synapse_ls.queries import answer_lines, guard_report, rule_lookup
from synapse_ls.queries.context_report import explain_report
from synapse_ls.queries.domain_report import DomainReport, domain_report, empty_tree_note
from synapse_ls.queries.situation_report import situation_report
from synapse_ls.queries.status_report import delivery_notes, delivery_report, status_report
from synapse_ls.storage.current_plan import load_plan
from synapse_ls.storage.session_settings import find_label
from synapse_ls.text.fast_json import dumps
from synapse_ls.text.phrases import format_count


@tool("Rules for a prompt", *SITUATION)
def run_get_context(root: str, arguments: Arguments) -> ToolResult:
    """The rules of this project that apply to a prompt in a situation, as one block. Asking changes
    nothing. Without arguments it is what the next prompt of the current session meets.
    """
    return ToolResult((), block=query_answer(root, arguments).assembly.text)


_ANSWER_BYTES = 8_000  # bytes of an account as it is sent, unless more is asked for
_ENVELOPE_BYTES = 500  # bytes of it that belong to no domain and to no line before them
_MAX_NOTES = 5


def _domain_lines(domain: rule_account.DomainAccount, verbose: bool) -> Iterator[str]:
    total, inside = len(domain.rules), domain.rendered_count
    count = format_count(total, "rule") if inside in (0, total) else f"{inside} of {total} rules"
    part = "partly " if inside < total else ""
    state = f"{part}in {domain.layer}" if inside else "out"
    remedy = f" [{domain.remedy}]" if domain.remedy and not inside else ""
    yield f"{state}: {domain.label}, {count}: {domain.reason}{remedy}"
    if verbose:
        for rule in domain.rules:
            mark = "in" if rule.is_rendered else "out"
            remedy = f" [{rule.remedy}]" if rule.remedy else ""
            yield f"  {mark}: {rule.key} ({rule.file}:{rule.line}): {rule.reason}{remedy}"
    elif inside:
        missing = [rule for rule in domain.rules if not rule.is_rendered]
        for (reason, remedy), rules in groupby(missing, lambda rule: (rule.reason, rule.remedy)):
            keys = block_renderer.summarize_keys(rule.key for rule in rules)
            yield f"  out: {keys}: {reason}" + (f" [{remedy}]" if remedy else "")


@tool(
    "Why the rules are in or out",
    *SITUATION,
    ToolArgument("domain", "only this domain, rule by rule"),
    ToolArgument("limit", "so many domains (default: as many as 8 kB hold)", INTEGER),
    ToolArgument("offset", "leave out so many domains, which an answer had before", INTEGER),
)
def run_explain(root: str, arguments: Arguments) -> ToolResult:
    """Which domains of rules are in the block for a prompt and which are left out, why, and what
    would change that; those in the block first. With domain: rule by rule.
    """
    answer = query_answer(root, arguments, standing=True)
    accounts = rule_account.account_for_domains(answer.plan, answer.assembly)
    head = [window_line(answer), *answer_situation_lines(answer)]
    notes = note_lines(answer_lines.answer_notes(answer))
    if arguments["domain"]:
        label = find_label(answer.plan, arguments["domain"])
        accounts = tuple(domain for domain in accounts if domain.label == label)
        by_rule = [line for domain in accounts for line in _domain_lines(domain, True)]
        return ToolResult(join_groups(head, by_rule, notes), explain_report(answer, accounts))
    notes[_MAX_NOTES:] = [f"… {len(notes) - _MAX_NOTES} notes more"] * (len(notes) > _MAX_NOTES)
    start, limit = max(arguments["offset"] or 0, 0), arguments["limit"]
    room = _ANSWER_BYTES - _ENVELOPE_BYTES - _sent_bytes([*head, *notes])
    lines: list[str] = []
    summaries: list[dict[str, object]] = []
    for domain in sorted(accounts, key=lambda domain: not domain.rendered_count)[start:]:
        own_lines = [*_domain_lines(domain, False)]
        summary: dict[str, object] = {
            "label": domain.label,
            "layer": domain.layer or None,
            "rules": len(domain.rules),
            "rendered": domain.rendered_count,
            "reason": domain.reason,
            "remedy": domain.remedy or None,
        }
        room -= _sent_bytes(own_lines) + _sent_bytes(summary)
        if (summaries and limit is None and room < 0) or (
            limit is not None and len(summaries) >= limit
        ):
            break
        lines += own_lines
        summaries.append(summary)
    following = start + len(summaries)
    advice = f"ask again with offset {following} or a larger limit, or name one with domain"
    lines += omitted_lines(following, len(accounts), "domain", advice)
    data = {
        "bracket": answer.assembly.situation.bracket.name,
        "tokens": answer.assembly.tokens,
        "budget": answer.assembly.budget,
        **vars(situation_report(answer.assembly.situation)),
        "domains": summaries,
        "total": len(accounts),
        "next": following if following < len(accounts) else None,
    }
    return ToolResult(join_groups(head, lines, notes), data)


def _sent_bytes(value: object) -> int:
    """Return about how many bytes a part of an answer takes as JSON."""
    return len(dumps(value, None).encode("utf-8", "replace"))


_MAX_RULES = 50  # rules that a fragment of a text can mean


def _fate_lines(hits: list[rule_lookup.LookupHit]) -> Iterator[str]:
    explanation = rule_lookup.explain_hit(hits[0])[1]
    yield f"{' '.join(rule_lookup.describe_fate(hits))}: {explanation.reason}."
    if explanation.remedy:
        yield f"  remedy: {explanation.remedy}"
    for _, rule in hits:
        if rule:
            first, *later = split_text(rule.text)
            yield from (f"  {rule.file}:{rule.line}: {first}", *later)


@tool(
    "Why one rule is in or out",
    ToolArgument(
        "rule",
        "a key (GLOBAL_RULE_3), a domain, *command, file:line, a memory's id, or a part of the "
        "text",
        required=True,
    ),
    *SITUATION,
)
def run_why(root: str, arguments: Arguments) -> ToolResult:
    """Why one rule, domain or memory is in the block for a prompt, or is not, and the smallest
    change that activates it.
    """
    answer = query_answer(root, arguments, standing=True)
    # An agent sees what is shared and its own, never all.
    reader = answer.assembly.situation.agent
    matches = rule_lookup.find_rules(
        answer.plan, answer.assembly, arguments["rule"], reader, answer.session
    )[:_MAX_RULES]
    lines = join_groups(
        [line for hits in rule_lookup.group_hits(matches) for line in _fate_lines(hits)]
    )
    return ToolResult(lines, {"accounts": [rule_lookup.account_report(hit) for hit in matches]})


_LIST_DOMAINS_MAX_DOMAINS = 500  # domains


def _domain_line(domain: DomainReport) -> str:
    state = "" if domain.active else ", inactive"
    wakes = domain.wakes_by or "nothing activates it"
    count = format_count(domain.rules, "rule")
    words = f" ({', '.join(domain.recall)})" if domain.recall else ""
    where = f" {domain.file}" if domain.file else ""
    return f"{domain.label}: {domain.layer}, {wakes}{words}, {count}{state}{where}"


@tool(
    "Domains of rules",
    ToolArgument("limit", f"so many at most (default: {_LIST_DOMAINS_MAX_DOMAINS})", INTEGER),
)
def run_list_domains(root: str, arguments: Arguments) -> ToolResult:
    """The domains (named rule sets) of this project: layer, what activates each, how many rules,
    its file.
    """
    plan = load_plan(root).with_all_files().plan
    total = len(plan.packed)
    limit = _LIST_DOMAINS_MAX_DOMAINS if arguments["limit"] is None else max(arguments["limit"], 0)
    domains = [domain_report(plan, plan.domain(number)) for number in range(min(total, limit))]
    lines = join_groups(
        [
            *map(_domain_line, domains),
            *omitted_lines(len(domains), total, "domain", "give a larger limit"),
        ],
        [] if total else [f"note: {empty_tree_note(plan)}"],
    )
    return ToolResult(lines, {"domains": domains, "total": total})


@tool("State of the rules", SESSION)
def run_status(root: str, arguments: Arguments) -> ToolResult:
    """The state that the next prompt would meet: session, bracket and what is left of the context
    window, agent, workflow, task, and where the hook is registered.
    """
    answer = query_answer(root, arguments, standing=True)
    report = status_report(answer, guard_report.registered_hooks(root), delivery_report(root))
    session = report.session
    hooks = ", ".join(report.hooks)
    # Where the work is, and what is next.
    navigation: list[str] = []
    if place := report.navigation:
        following = [f"next: {place.then}"] if place.then else []
        navigation = [f"step: {place.where}", *following, *note_lines(place.notes)]
    lines = join_groups(
        [
            f"tree: {root} (profile {report.profile})",
            f"session: {session.id}, {session.prompts} prompts" if session else "session: new",
            window_line(answer),
            *answer_situation_lines(answer),
            *navigation,
            f"in the block: {report.rules.in_block} of {report.rules.total} rules, from "
            f"{report.domains.in_block} of {report.domains.total} domains",
            f"hook: {hooks}; last delivered: {report.delivery.last or 'never'}"
            if hooks
            else "hook: registered nowhere (`synapse install`)",
            f"guard: {report.guard_effect}",
        ],
        note_lines([*report.notes, *delivery_notes(report.delivery)]),
    )
    return ToolResult(lines, report)
