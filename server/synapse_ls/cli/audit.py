"""``synapse audit``: show how often past sessions followed and broke each checkable rule."""

from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path

from synapse_ls.cli.client_options import open_transcripts
from synapse_ls.cli.command_table import command, option, option_group, switch
from synapse_ls.cli.console import Console, Progress, Styled, parse_since
from synapse_ls.cli.shared_options import format_options, root_of
from synapse_ls.ide.hover_markdown import code_span, escape_posted
from synapse_ls.queries.rule_audit import AuditedRuleReport, AuditReport, BreachReport, audit_tree
from synapse_ls.text.phrases import format_count
from synapse_ls.text.user_error import UserError

FORMATS = ("text", "json", "markdown")


def _breach_place(breach: BreachReport) -> str:
    """Return where an act stands: file, line, agent, and the prompt and its time."""
    line = f":{breach.line}" if breach.line else ""
    agent = f", @{breach.agent}" if breach.agent else ""
    at = f" of {breach.time}" if breach.time else ""
    return f"{Path(breach.transcript).name}{line}{agent}, prompt {breach.turn}{at}"


def _print_rule(rule: AuditedRuleReport, style: str, console: Console) -> None:
    counts = f"applied {format_count(rule.applied, 'time')}"
    if rule.broken:
        counts += f", broken {format_count(rule.broken, 'time')}"
    if rule.undecided:
        counts += f", {rule.undecided} undecided"
    console.line(Styled(rule.key, "name"), "  ", Styled(counts, style), f"  {rule.check}")


def _summary(audit: AuditReport) -> str:
    broken = sum(bool(rule.broken) for rule in audit.rules)
    return (
        f"{format_count(len(audit.transcripts), 'session')}, "
        f"{format_count(audit.turns, 'prompt')}, {format_count(audit.acts, 'use')} of tools: "
        f"{broken} of {format_count(len(audit.rules), 'rule')} that can be checked broken; "
        f"{format_count(audit.unchecked, 'rule')} cannot"
    )


def _markdown_lines(audit: AuditReport) -> Iterator[str]:
    """Yield the audit as a job summary."""
    yield from ("## Are the rules followed?", "", f"{_summary(audit)}.", "")
    yield from ("| rule | applied | followed | broken | check |", "|---|---|---|---|---|")
    for rule in audit.rules:
        counts = f"{rule.applied} | {rule.followed} | {rule.broken}"
        key, check = (code_span(text).replace("|", "\\|") for text in (rule.key, rule.check))
        yield f"| {key} | {counts} | {check} |"
    for rule in audit.rules:
        if rule.broken:
            yield from ("", f"### {code_span(rule.key)}", "")
            for breach in rule.breaches:
                place = code_span(_breach_place(breach))
                yield f"- {place}: {code_span(breach.what)}; {escape_posted(breach.why)}."
            yield from ("", escape_posted(rule.remedy))


@command(
    option(
        "transcripts TRANSCRIPT",
        "a client's record of a session, or a folder of them (default: those of the "
        "sessions that the tree knows)",
        nargs="*",
    ),
    option_group(
        "What is looked at",
        option(
            "--since WHEN",
            "of the sessions that the tree knows, those used since then (default: 7d)",
            type=parse_since,
        ),
    ),
    option_group(
        "Output",
        switch("--exit-code", "exit with 1 where a rule was broken"),
        *format_options(FORMATS),
    ),
)
def run(options: Namespace, console: Console) -> int:
    """Shows whether rules are followed. It reads the records of past sessions and counts how often
    each rule that can be checked applied, was followed and was broken. Of each breach it says
    whether the agent had the rule then: injected, cut by the budget, inactive, or lost by a
    compaction.

    Rules that can be checked are the boundaries that the guard understands, and those with a check
    beside them ({D}_CHECK_n). Nothing is sent anywhere, and no agent gets anything of it.

    Exit codes: 0, 1 with --exit-code where a rule was broken, 2 where nothing can be looked at.

    Examples:

    # The sessions of the last week
    $ synapse audit

    # One session
    $ synapse audit session.jsonl

    # As the summary of a job
    $ synapse audit sessions/ --format markdown
    """
    root = root_of(options)
    named = [str(transcript.path) for transcript in open_transcripts(options.transcripts, "")]
    progress = Progress(console)
    audit = audit_tree(
        root, named or None, since=options.since, progress=progress.counter("audited transcripts")
    )
    progress.end()
    is_broken = options.exit_code and any(rule.broken for rule in audit.rules)
    if options.format == "json":
        console.json(audit)
    elif options.format == "markdown":
        console.write("\n".join(_markdown_lines(audit)) + "\n")
    else:
        if not audit.transcripts:
            raise UserError(
                "No transcript of a session of this tree was found.",
                "Name one, `synapse audit ~/.claude/projects/…/SESSION.jsonl`, or look further "
                "back with `--since 30d`.",
            )
        for rule in audit.rules:
            if rule.broken:
                _print_rule(rule, "bad", console)
                if rule.text:
                    console.line("  ", Styled(rule.text, "dim"))
                for breach in rule.breaches:
                    console.line("  ", Styled(_breach_place(breach), "place"), f"  {breach.what}")
                    console.line(f"    why: {breach.why}")
                console.line(f"  remedy: {rule.remedy}")
        for rule in audit.rules:
            if rule.applied and not rule.broken:
                _print_rule(rule, "good", console)
        if idle := [rule.key for rule in audit.rules if not rule.applied]:
            console.line(Styled("never applied", "dim"), f"  {', '.join(idle)}")
        if not audit.rules:
            console.line("No rule of this tree can be checked.")
        console.line()
        console.line(_summary(audit))
    return int(is_broken) if audit.transcripts else 2
