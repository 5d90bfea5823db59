"""``synapse why``: explain one rule in a sentence, with the smallest remedy."""

from argparse import Namespace
from itertools import groupby

from synapse_ls.cli import shared_options
from synapse_ls.cli.command_table import command, option, option_group
from synapse_ls.cli.console import Console, Styled
from synapse_ls.engine.block_renderer import summarize_keys
from synapse_ls.queries import rule_lookup
from synapse_ls.queries.answer_lines import answer_notes, told_place
from synapse_ls.queries.memory_report import MemoryAccount
from synapse_ls.text.phrases import format_count


def _author_remedy(hit: rule_lookup.LookupHit) -> str:
    """Return what whoever writes the rules can do where a prompt lacks a word; "" for nothing."""
    domain, _ = hit
    phrase = rule_lookup.explain_hit(hit)[1].remedy_phrase
    if phrase is None or not phrase.code.startswith("say-keyword") or not domain.line:
        return ""
    return f"; or add a word of such prompts to its keywords ({domain.manifest}:{domain.line})"


@command(
    option(
        "rule RULE",
        "a key (GLOBAL_RULE_3), a domain, *command, file:line, a memory's id, or a part "
        "of the text",
    ),
    *shared_options.prompt_options(),
    shared_options.situation_options(),
    option_group("Output", shared_options.FORMAT_OPTION),
)
def run(options: Namespace, console: Console) -> None:
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
    answer = shared_options.query_answer(options, shared_options.prompt_of(options), standing=True)
    matches = rule_lookup.find_rules(
        answer.plan, answer.assembly, options.rule, session=answer.session
    )
    if options.format == "json":
        console.json([rule_lookup.account_report(hit, answer.plan.root) for hit in matches])
        return
    shared = groupby(
        matches, lambda hit: (hit[0].label, hit[1] is None, *rule_lookup.explain_hit(hit))
    )
    for number, (_, group) in enumerate(shared):
        if number:
            console.line()
        # Print rules that share one fate, or a domain: the sentence, the remedy, and what it is
        # about.
        hits = list(group)
        place = told_place(answer)
        domain, rule = hits[0]
        rendered, explanation = rule_lookup.explain_hit(hits[0])
        name = summarize_keys(r.key for _, r in hits if r) if rule and len(hits) > 1 else ""
        state = Styled("in", "good") if rendered else Styled("out", "warn")
        console.line(
            Styled(name or (rule.key if rule else domain.label), "title"),
            " are " if len({rule.key for _, rule in hits if rule}) > 1 else " is ",
            state,
            f": {explanation.reason}.",
        )
        if explanation.remedy:
            console.line(
                "  ", Styled("remedy:", "good"), f" {explanation.remedy}{_author_remedy(hits[0])}"
            )
        for _, hit_rule in hits:
            if hit_rule is not None:
                tokens = format_count(hit_rule.tokens, "token")
                console.line(
                    "  ",
                    Styled(
                        f"{rule_lookup.rule_place([hit_rule])}: {hit_rule.text} ({tokens})", "dim"
                    ),
                )
            if isinstance(hit_rule, MemoryAccount):
                # What a memory is, what it is worth, and whose it is.
                hint = hit_rule.hint
                owner = f"only @{hint.agent} gets it" if hit_rule.is_private else "shared"
                worth = f"{hint.tier.upper()} with a score of {hint.score:.2f}"
                console.line(
                    "  ",
                    Styled(
                        f"{hint.type}, {hint.sector}; {worth}, {hint.confidence:.0%} sure; {owner}",
                        "dim",
                    ),
                )
        if rule is None:
            where = domain.file or f"{domain.manifest}:{domain.line}"
            total = format_count(len(domain.rules), "rule")
            console.line("  ", Styled(f"{where}: {total}, {domain.rendered_count} {place}", "dim"))
    console.notes(answer_notes(answer))
