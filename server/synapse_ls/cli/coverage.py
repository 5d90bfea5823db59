"""``synapse coverage``: show which rules of the tree agents get, and which never."""

from argparse import Namespace
from itertools import groupby
from operator import attrgetter

from synapse_ls.cli import check_formats, check_report, client_options, opened_trees, shared_options
from synapse_ls.cli.command_table import command, option, option_group, switch
from synapse_ls.cli.console import Console, Part, Progress, Styled, parse_since
from synapse_ls.cli.tree_options import parse_percent
from synapse_ls.engine.block_renderer import summarize_keys
from synapse_ls.queries import rule_coverage
from synapse_ls.queries.injection_report import ReplyFilter, ReplyStatistics
from synapse_ls.storage import injection_log
from synapse_ls.storage.current_plan import load_plan
from synapse_ls.text.finding import Finding, Severity
from synapse_ls.text.line_index import LineIndex
from synapse_ls.text.phrases import format_count
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.tree_loader import load_tree

FORMATS = ("text", "json", "github", "gitlab", "junit")
_MAX_FINDINGS = 10  # lines of a kind that are listed without --all


def _collect_observations(options: Namespace, root: str, console: Console) -> ReplyStatistics:
    statistics = ReplyStatistics()
    client_options.check_client(options.client)
    if options.log or not options.transcripts:
        wanted = ReplyFilter(since=options.since, client=options.client)
        for record in injection_log.read_replies(root):
            if wanted(record):
                statistics.add(record)
    if options.transcripts:
        progress = Progress(console)
        for transcript in client_options.open_transcripts(options.transcripts, options.client):
            for step in client_options.replay_steps(transcript, root, progress):
                for reply in step.replies:
                    session = {**reply.record, "session": str(transcript.path)}
                    statistics.add(session, step.turn.prompt if reply is step.reply else None)
        progress.end()
    if statistics.prompts:
        return statistics
    if options.transcripts:
        raise UserError("There is no prompt in these transcripts.", "Name others.")
    which = "of that kind " if options.since or options.client else ""
    raise UserError(
        f"The hook has logged no prompt {which}, so nothing can be said.".replace(" ,", ","),
        "Work with an agent for a while, or name transcripts of past sessions.",
    )


def _print_coverage(result: rule_coverage.Coverage, is_complete: bool, console: Console) -> None:
    console.line(
        Styled(f"{result.percent:.0f}%", "title"),
        f" of the rules were injected at least once: {result.seen_rules:,} of "
        f"{format_count(result.rules, 'rule')}",
    )
    rests = (
        f"in {format_count(result.prompts, 'prompt')} of "
        f"{format_count(max(result.sessions, 1), 'session')}"
    )
    console.line(rests, "" if result.has_enough_prompts else Styled(": too few to judge", "warn"))
    if left_out := rule_coverage.describe_left_out(result):
        console.line(Styled(left_out, "dim"))
    console.line()
    rows: list[list[Part]] = [
        [
            Styled(share.label, "name" if share.prompts else "dim"),
            f"{share.prompts:,}",
            f"{100 * share.prompts / result.prompts:.0f}%",
            f"{share.told:,}",
            f"{share.rules:,}",
        ]
        for share in result.domains
    ]
    console.table(rows, ("domain", "prompts", "", "injected", "rules"), right_aligned={1, 2, 3, 4})
    for code, group in groupby(result.findings, attrgetter("code")):
        console.line()
        listed = [
            list(alike)
            for _, alike in groupby(group, attrgetter("domain", "message", "remedy", "file"))
        ]
        console.line(Styled(rule_coverage.KINDS[code][1], "title"), f" ({sum(map(len, listed))})")
        for findings in listed if is_complete else listed[:_MAX_FINDINGS]:
            # Print findings that are alike: their names, what is to be said of them, and the first
            # place.
            first = findings[0]
            names = [finding.name for finding in findings]
            called = summarize_keys(names) if first.kind.startswith("rule-") else ", ".join(names)
            console.line("  ", Styled(called, "name"), f": {first.message}")
            remedy = f" · {first.remedy}" if first.remedy else ""
            console.line("    ", Styled(f"{first.file}:{first.line}{remedy}", "dim"))
        if len(listed) > _MAX_FINDINGS and not is_complete:
            left = sum(map(len, listed[_MAX_FINDINGS:]))
            console.line("  ", Styled(f"… {left} more: --all", "dim"))


@command(
    option(
        "transcripts TRANSCRIPT",
        "past sessions to replay, or folders of them (default: the log of the hook)",
        nargs="*",
    ),
    option_group(
        "What is looked at",
        switch("--log", "the log as well as the transcripts"),
        option("--since WHEN", "of the log, as in `synapse log`", type=parse_since, default=0.0),
        option("--client NAME", "of the log, to this one; play it in transcripts"),
    ),
    option_group(
        "Output",
        switch("--all", "every finding, however many there are"),
        option(
            "--fail-under PERCENT",
            "exit with 1 where a smaller part of the rules was ever injected",
            type=parse_percent,
        ),
        *shared_options.format_options(FORMATS),
    ),
)
def run(options: Namespace, console: Console) -> int:
    """Judges the tree by what agents got: rules that never came or were cut each time, and domains
    that nothing activated, and why. It also lists keywords that no prompt had, star-commands that
    nobody used, and domains that come nearly always or always together. It shows how many prompts
    that rests on; fewer than 20 are too few to judge.

    The log of the hook knows no prompts. Transcripts are replayed against the tree as it is
    now, so they also show what prompts say in place of a keyword.

    Exit codes: 0, 1 with --fail-under where less was injected, 2 where nothing can be looked at.

    Examples:

    # By what the hook has logged
    $ synapse coverage

    # By all past sessions of a project
    $ synapse coverage ~/.claude/projects/-src-tillway

    # Half of the rules have to be of use
    $ synapse coverage --since 30d --fail-under 50

    # Beside the lines of a pull request
    $ synapse coverage sessions/ --format github
    """
    root = shared_options.root_of(options)
    statistics = _collect_observations(options, root, console)
    coverage = rule_coverage.judge_coverage(load_plan(root).with_all_files().plan, statistics)
    wanted = options.fail_under
    fails = wanted is not None and coverage.percent < wanted
    if options.format == "text":
        _print_coverage(coverage, options.all, console)
    elif options.format == "json":
        console.json(rule_coverage.coverage_report(coverage, statistics))
    else:
        # Write the findings in a format of `synapse check`: beside the changed lines, in reports,
        # for services.
        text_of = opened_trees.text_getter(load_tree(root, LoadScope.ALL).tree)
        lines: dict[str, LineIndex] = {}
        diagnostics = []
        for finding in coverage.findings:
            index = lines.setdefault(finding.file, LineIndex(text_of(finding.file)))
            diagnostics.append(
                Finding(
                    index.line_span(min(finding.line, index.line_count) - 1),
                    f"{finding.name}: {finding.message}.",
                    f"{finding.remedy[:1].upper()}{finding.remedy[1:]}." if finding.remedy else "",
                    path=finding.file,
                    code=finding.code,
                    name=finding.kind,
                    severity=Severity.INFO,
                )
            )
        report = check_report.Report(
            (check_report.CheckedTree(root, text_of, len(lines), tuple(diagnostics)),),
            "synapse coverage",
        )
        check_formats.BY_NAME[options.format](report, console)
    if fails:
        console.note(f"{coverage.percent:.1f}% of the rules were injected, less than {wanted:g}%")
    return int(fails)
