"""``synapse explain``, ``why`` and ``context``: the block, and why each rule is in it or not."""

from argparse import Namespace
from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby

from synapse_ls.cli import shared_options, situation_lines, tree_options
from synapse_ls.cli.command_table import command, exclusive, option, option_group, switch
from synapse_ls.cli.console import Console, Part, Styled, align_columns
from synapse_ls.engine import reason_phrases, rule_account
from synapse_ls.engine.block_renderer import render_section, summarize_keys
from synapse_ls.engine.context_usage import estimate_tokens
from synapse_ls.queries import context_question, domain_report, memory_report, rule_lookup
from synapse_ls.queries.answer_lines import answer_notes, cut_notes, told_place
from synapse_ls.queries.context_report import context_report, explain_report
from synapse_ls.queries.rule_lookup import line_range, rule_place
from synapse_ls.storage.session_settings import find_label
from synapse_ls.text.grouping import group_pairs
from synapse_ls.text.phrases import format_count
from synapse_ls.text.user_error import UserError

_MIN_GROUP = 4  # domains with one fate, and fates in one domain, from which on they share a line
_EMPTY_LAYERS = {
    "L0": "no constitution in this tree",
    "L1": "no global rules in this tree",
    "L2": "no domain of this tree waits for an agent",
    "L3": "no domain of this tree waits for a workflow",
    "L4": "no task is active",
    "L5": "no squads in this tree",
    "L6": "no domain of this tree has keywords",
    "L7": "no star-commands in this tree",
    "IDENTITY": "no core identity in this tree",
    "STM": "no short-term memory in this tree",
    "LTM": "no memory has to do with the prompt",
    "EVENT": "the event log is empty",
    "LOG": "the event log is empty",
    "CANDIDATES": "nothing is worth promoting",
    "ACCESS": "no access has been recorded",
    "SECTIONS": "no section is configured",
}
_IN, _OUT, _PARTLY = Styled("in", "good"), Styled("out", "dim"), Styled("partly", "warn")


def _layer_lines(
    answer: context_question.Answer,
    accounts: tuple[rule_account.DomainAccount, ...],
    *,
    verbose: bool,
    only: bool | None,
    with_sections: bool,
    is_complete: bool,
) -> Iterator[list[Part]]:
    """Yield the lines of the layers with their domains.

    only: of their rules those that are in the block, or that are not, unless None. with_sections:
    sections that no domain gives are shown as well. is_complete: so are layers that have nothing,
    and what the block costs beyond its rules.
    """
    layers = {domain.label: domain_report.home_layer(domain) for domain in answer.plan.domains()}
    homes = group_pairs((account.layer or layers[account.label], account) for account in accounts)
    counted_tokens = sum(
        estimate_tokens(render_section(section))
        for section in answer.assembly.sent_sections
        if section.layer == "MEMORY"
    )
    profile_layers = {layer for layer, _ in answer.plan.profile.layers}
    for layer in reason_phrases.LAYER_NAMES:
        own = homes.get(layer, [])
        other_sections = list(_other_sections(answer, layer)) if with_sections else []
        if not (own or other_sections or (is_complete and layer in profile_layers)):
            continue
        cost = sum(map(_domain_cost, own)) + sum(tokens for tokens, _ in other_sections)
        counted_tokens += cost
        yield []
        is_empty = not (own or other_sections)
        parts: list[Part] = [Styled(f"{layer} {reason_phrases.LAYER_NAMES[layer]}", "title")]
        sleeping = rule_account.describe_sleeping_layer(answer.plan, answer.assembly, layer)
        if (
            is_empty
            and layer == "L4"
            and rule_account.explain_untold_task(answer.plan, answer.assembly)
        ):
            situation = answer.assembly.situation
            parts.append(f" · {sleeping}: {situation.task or situation.story} is not injected")
        elif is_empty:
            parts.append(f" · {_EMPTY_LAYERS[layer]}")
        elif sleeping:
            parts.append(f" · {sleeping}")
        elif cost:
            parts.append(f" · {cost} tokens")
        yield parts
        rows = list(_domain_rows(own, verbose=verbose, only=only))
        rows += [row for _, row in other_sections]
        yield from align_columns(rows, right_aligned={3}, indent="  ")
    frame = answer.assembly.tokens - counted_tokens
    if is_complete and frame > 0:
        yield []
        yield [
            Styled("frame", "title"),
            f" · {frame} tokens for headings, the bracket and the like",
        ]


def _domain_cost(domain: rule_account.DomainAccount) -> int:
    """Return what the rules of a domain that are in the block cost there."""
    return sum(rule.tokens for rule in domain.rules if rule.is_rendered)


def _other_sections(
    answer: context_question.Answer, layer: str
) -> Iterator[tuple[int, list[Part]]]:
    """Yield the sections of a layer that no domain gives, such as a task's, and that are told or
    cut: what each costs in the block, and its row.
    """
    assembly = answer.assembly
    cut = {id(entry) for entry in (*assembly.cut_entries, *assembly.limited_entries)}
    sent = {section.id: section for section in assembly.sent_sections if section.layer == layer}
    for section in assembly.wanted_sections:
        entries, sent_section = section.entries, sent.get(section.id)
        missing = sum(id(entry) in cut for entry in entries)
        is_of_domain = any(entry.domain in answer.plan.labels for entry in entries)
        if section.layer != layer or is_of_domain or not (sent_section or missing):
            continue
        sent_count = len(sent_section.entries) if sent_section else 0
        tokens = estimate_tokens(render_section(sent_section)) if sent_section else 0
        source = next((entry.file for entry in entries if entry.file), "")
        heading = (section.heading or entries[0].text).partition("\n")[0]
        lines = format_count(sent_count + missing, "line")
        if sent_count and missing:
            lines = f"{sent_count} of {lines}"
        sign = _OUT if not sent_count else _PARTLY if missing else _IN
        why = rule_account.explain_cut(answer.plan, assembly).reason if missing else ""
        yield tokens, [sign, heading, lines, str(tokens or ""), source, why]


def _domain_rows(
    domains: list[rule_account.DomainAccount], *, verbose: bool, only: bool | None
) -> Iterator[list[Part]]:
    """Yield the domains of a layer; a run of them that is left out for one reason is one row."""
    for silent, run in groupby(domains, lambda d: "" if d.rendered_count or d.layer else d.reason):
        group = list(run)
        if not silent or len(group) < _MIN_GROUP or verbose:
            for domain in group:
                yield from _account_rows(domain, verbose=verbose, only=only)
            continue
        names = ", ".join(domain.label for domain in group[:_MIN_GROUP])
        more = f", … {len(group) - _MIN_GROUP} more" if len(group) > _MIN_GROUP else ""
        first = group[0]
        yield [
            _OUT,
            f"{len(group)} domains",
            format_count(sum(len(domain.rules) for domain in group), "rule"),
            "",
            line_range(first.manifest, [d.line for d in group]) if first.manifest else "",
            f"{silent}: {names}{more}",
        ]


def _account_rows(
    domain: rule_account.DomainAccount, *, verbose: bool, only: bool | None
) -> Iterator[list[Part]]:
    """Yield a domain's row, and rows for the rules that have another fate than it; ``only`` those
    that are in the block, or that are not, unless None.
    """
    fates = [list(run) for _, run in groupby(domain.rules, lambda r: (r.is_rendered, r.reason))]
    reason = fates[0][0].reason if len(fates) == 1 else domain.reason
    yield _domain_row(domain, reason)
    wanted_fates = [(run[0], run) for run in fates if only in (None, run[0].is_rendered)]
    if verbose:
        remedies = {"", domain.remedy}
        if domain.remedy:
            yield _remedy_row(domain.remedy)
        for first, rules in wanted_fates:
            # A reason once, then a row with its text for each of several rules.
            if is_new := first.reason not in ("", reason):
                yield _rules_row(rules, first.reason)
            if not first.is_rendered and first.remedy not in remedies:
                remedies.add(first.remedy)
                yield _remedy_row(first.remedy)
            if len(rules) > 1 or not is_new:
                yield from (_rules_row([rule], Styled(rule.text, "dim")) for rule in rules)
    elif len(fates) > 1:
        out = [rules for first, rules in wanted_fates if not first.is_rendered]
        crowded = len(out) > _MIN_GROUP
        for first, rules in wanted_fates:
            if first.is_rendered or not crowded:
                yield _rules_row(rules, first.reason if first.reason != reason else "")
        if crowded:
            rest = [rule for rules in out for rule in rules]
            summary = f"{rest[0].reason}; and {len(out) - 1} other reasons"
            yield [_OUT, f"  {format_count(len(rest), 'rule')}", "", "", rule_place(rest), summary]


def _domain_row(domain: rule_account.DomainAccount, reason: str) -> list[Part]:
    total, inside = len(domain.rules), domain.rendered_count
    sign = _OUT if not inside else _IN if inside == total else _PARTLY
    count = format_count(total, "rule") if inside in (0, total) else f"{inside} of {total} rules"
    where = domain.file or f"{domain.manifest}:{domain.line}"
    return [sign, domain.label, count, str(_domain_cost(domain) or ""), where, reason]


def _remedy_row(text: str) -> list[Part]:
    return ["", "", "", "", "", Styled(f"remedy: {text}", "dim")]


def _rules_row(rules: list[rule_account.RuleAccount], text: Part) -> list[Part]:
    """Return the row of rules of which all are in the block, or none is."""
    sign = _IN if rules[0].is_rendered else _OUT
    tokens = sum(rule.tokens for rule in rules if rule.is_rendered)
    name = rules[0].key if len(rules) == 1 else summarize_keys(rule.key for rule in rules)
    return [sign, f"  {name}", "", str(tokens or ""), rule_place(rules), text]


@command(
    *tree_options.prompt_options(),
    tree_options.situation_options(),
    option_group(
        "Output",
        exclusive(
            switch("--in", "only what is in the block", dest="only_in"),
            switch("--out", "only what is left out", dest="only_out"),
        ),
        option("--domain NAME", "only this domain"),
        switch("-v", "--verbose", "a line for every rule, and remedies"),
        shared_options.FORMAT_OPTION,
    ),
)
def run(options: Namespace, console: Console) -> None:
    """Every domain and every rule of the tree is in the account: in the block, or left out because
    of something. Rules that share one fate share one line; --verbose gives each its own, with
    remedies.

    It answers for the same situations as `synapse context` does, with the same options.

    Examples:

    # Everything, for a prompt
    $ synapse explain --remaining 50 "Add a unit test"

    # What is left out for @dev, and what would activate it
    $ synapse explain --agent dev --out --verbose

    # One domain, rule by rule
    $ synapse explain --domain TESTING --verbose

    # The domains that this prompt leaves out, for a script
    $ synapse explain --format json | jq -r '.domains[] | select(.layer == null) | .label'
    """
    answer = tree_options.query_answer(options, tree_options.prompt_of(options), standing=True)
    accounts = rule_account.account_for_domains(answer.plan, answer.assembly)
    if options.domain:
        label = find_label(answer.plan, options.domain)
        accounts = tuple(account for account in accounts if account.label == label)
    only: bool | None = None
    if options.only_in or options.only_out:
        only = options.only_in
        accounts = tuple(
            domain
            for domain in accounts
            if any(rule.is_rendered is only for rule in domain.rules) or not (domain.rules or only)
        )
    if options.format == "json":
        if only is not None:
            accounts = tuple(
                replace(d, rules=tuple(rule for rule in d.rules if rule.is_rendered is only))
                for d in accounts
            )
        console.json(explain_report(answer, accounts))
        return
    prompt = answer.assembly.situation.prompt
    rows = situation_lines.window_rows(answer) + situation_lines.situation_rows(answer)
    if prompt.skipped:
        rows.append(("recall", [f"did not read {' and '.join(prompt.skipped)}"]))
    if prompt.mentions:
        names = ", ".join(f"@{name}" for name in prompt.mentions)
        rows.append(("mentions", [f"{names} (only a prompt that begins so changes the agent)"]))
    console.rows(rows)
    console.lines(
        _layer_lines(
            answer,
            accounts,
            verbose=options.verbose,
            only=only,
            with_sections=not (options.domain or options.only_out),
            is_complete=not (options.domain or options.only_in or options.only_out),
        )
    )
    if not options.domain:
        inside, outside = not options.only_out, not options.only_in
        console.lines(
            situation_lines.memory_lines(
                answer, verbose=options.verbose, inside=inside, outside=outside
            )
        )
    console.notes((*answer_notes(answer), *cut_notes(answer)))


@command(
    option(
        "rule RULE",
        "a key (GLOBAL_RULE_3), a domain, *command, file:line, a memory's id, or a part "
        "of the text",
    ),
    *tree_options.prompt_options(),
    tree_options.situation_options(),
    option_group("Output", shared_options.FORMAT_OPTION),
)
def run_why(options: Namespace, console: Console) -> None:
    """RULE is searched as a key, a domain, a *command, file:line and a part of a rule's text, then
    as the id, the file and a part of a memory. The first match in that order is explained. The
    options say for which situation.

    Examples:

    # Why does the agent not follow this rule?
    $ synapse why GLOBAL_RULE_3

    # A whole domain, for a prompt
    $ synapse why TESTING "Add a unit test" --remaining 50

    # The line that I look at in my editor
    $ synapse why .synapse/testing:4 --agent qa

    # Is this injected for @dev, and why?
    $ synapse why mem-2026-11-22-001 --agent dev

    # The rule of which I remember a few words
    $ synapse why "one behaviour"
    """
    answer = tree_options.query_answer(options, tree_options.prompt_of(options), standing=True)
    matches = rule_lookup.find_rules(
        answer.plan, answer.assembly, options.rule, session=answer.session
    )
    if options.format == "json":
        console.json([rule_lookup.account_report(hit) for hit in matches])
        return
    for number, hits in enumerate(rule_lookup.group_hits(matches)):
        if number:
            console.line()
        # Print the sentence, the remedy, and what it is about.
        place = told_place(answer)
        domain, rule = hits[0]
        explanation = rule_lookup.explain_hit(hits[0])[1]
        name, state = rule_lookup.describe_fate(hits)
        console.line(
            Styled(name, "title"),
            " ",
            Styled(state, "good" if state == "in" else "warn"),
            f": {explanation.reason}.",
        )
        if explanation.remedy:
            remedy, phrase = explanation.remedy, explanation.remedy_phrase
            if phrase and phrase.code.startswith("say-keyword") and domain.line:
                # What whoever writes the rules can do where a prompt lacks a word.
                place_of_keywords = f"{domain.manifest}:{domain.line}"
                remedy += f"; or add a word of such prompts to its keywords ({place_of_keywords})"
            console.line("  ", Styled("remedy:", "good"), f" {remedy}")
        for _, hit_rule in hits:
            if hit_rule is not None:
                tokens = format_count(hit_rule.tokens, "token")
                about = f"{rule_lookup.rule_place([hit_rule])}: {hit_rule.text} ({tokens})"
                console.line("  ", Styled(about, "dim"))
            if isinstance(hit_rule, memory_report.MemoryAccount):
                # What a memory is, what it is worth, and whose it is.
                hint = hit_rule.hint
                owner = f"only @{hint.agent} gets it" if hit_rule.is_private else "shared"
                worth = f"{hint.tier.upper()} with a score of {hint.score:.2f}"
                about = f"{hint.type}, {hint.sector}; {worth}, {hint.confidence:.0%} sure; {owner}"
                console.line("  ", Styled(about, "dim"))
        if rule is None:
            where = domain.file or f"{domain.manifest}:{domain.line}"
            total = format_count(len(domain.rules), "rule")
            console.line("  ", Styled(f"{where}: {total}, {domain.rendered_count} {place}", "dim"))
    console.notes(answer_notes(answer))


@command(
    *tree_options.prompt_options(),
    tree_options.situation_options(),
    option(
        "--sections FILE",
        'the sections of a JSON file by their priority, in place of a tree; "-" reads '
        "standard input",
    ),
    option_group(
        "Output",
        switch(
            "--delivery",
            "what a hook would send to the session now, which leaves out what is in context",
        ),
        switch(
            "--explain",
            "say on standard error why each memory is in the block, and what it is worth",
        ),
        shared_options.FORMAT_OPTION,
    ),
)
def run_context(options: Namespace, console: Console) -> None:
    """The block goes to standard output byte for byte as an agent would get it; remarks about it
    go to standard error. Nothing is recorded: asking changes no session. Where the budget leaves
    rules out, the line "… 3 more" says so, if it fits. In a session whose next replies inject
    them, the hook writes "… 3 more follow" there.

    Without options this is the first prompt of a new session: no agent, no task, the whole context
    window left. The options put you in any other situation.

    Examples:

    # A prompt for @dev, with half of the context window left
    $ synapse context --agent dev --remaining 50 "Add a unit test"

    # A long prompt from a file, or from another program
    $ git log -1 --format=%B | synapse context -

    # What would the hook add to the running session?
    $ synapse context --session current --delivery "*brief Sum up"

    # What a reflection over a Brainiac memory begins with
    $ synapse context --process reflection

    # Sections, entries and their cost, for a program
    $ synapse context --bracket CRITICAL --format json
    """
    if options.delivery and not options.session:
        raise UserError(
            "--delivery needs a session: what is sent depends on what the session has in context.",
            "Name one with --session ID, or --session current.",
        )
    answer = tree_options.query_answer(
        options, tree_options.prompt_of(options), delivery=options.delivery
    )
    if options.format == "json":
        console.json(context_report(answer))
        return
    console.write(answer.assembly.text)
    if options.delivery:
        if not answer.assembly.text:
            console.note("nothing to inject: all that applies is in context")
        elif answer.full_reason:
            console.note(f"the full block, because {answer.full_reason}")
        else:
            console.note("only what the window does not hold yet")
    if options.explain:
        for hint in answer.assembly.situation.hints:
            console.note(f"{hint.id}: {'; '.join(hint.reasons)}")
            console.note(f"{hint.id}: {situation_lines.describe_factors(hint)}")
    console.notes((*answer_notes(answer), *cut_notes(answer)))
