"""``synapse coverage``: what of the tree agents get to see, and what never."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from synapse_ls.cli.commands import Command
from synapse_ls.cli.console import Part, Styled
from synapse_ls.cli.errors import CliError
from synapse_ls.cli.moments import since
from synapse_ls.cli.options import add_formats, root_of
from synapse_ls.cli.progress import Progress
from synapse_ls.cli.table import columns, header
from synapse_ls.cli.transcripts import check_client, chosen, steps
from synapse_ls.engine.render import named
from synapse_ls.service import injections
from synapse_ls.service.coverage import Coverage, Finding, coverage, coverage_report
from synapse_ls.service.observed import Observed
from synapse_ls.service.plans import planned
from synapse_ls.service.told import Wanted
from synapse_ls.text.counted import counted

if TYPE_CHECKING:
    from argparse import Namespace

    from synapse_ls.cli.console import Console
    from synapse_ls.cli.parser import Parser

FORMATS = ("text", "json", "github", "gitlab", "junit")
_SHOWN = 10  # lines of a kind that are listed without --all


def _arguments(parser: Parser) -> None:
    parser.add_argument(
        "transcripts",
        metavar="TRANSCRIPT",
        nargs="*",
        help="past sessions to replay, or folders of them (default: the log of the hook)",
    )
    which = parser.add_argument_group("What is looked at")
    which.add_argument("--log", action="store_true", help="the log as well as the transcripts")
    which.add_argument(
        "--since", metavar="WHEN", type=since, default=0.0, help="of the log, as in `synapse log`"
    )
    which.add_argument(
        "--client",
        metavar="NAME",
        default="",
        help="of the log, to this one; play it in transcripts",
    )
    output = parser.add_argument_group("Output")
    output.add_argument("--all", action="store_true", help="every finding, however many there are")
    output.add_argument(
        "--fail-under",
        metavar="PERCENT",
        type=_percent,
        help="exit with 1 where a smaller part of the rules was ever told",
    )
    add_formats(output, FORMATS)


def _percent(text: str) -> float:
    from argparse import ArgumentTypeError

    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 100:
        raise ArgumentTypeError(f"{text!r} is no number from 0 to 100")
    return value


def _run(options: Namespace, console: Console) -> int:
    root = root_of(options)
    seen = _observed(options, root, console)
    plan = planned(root).whole().plan
    found = coverage(plan, seen)
    wanted = options.fail_under
    fails = wanted is not None and found.percent < wanted
    console.verdict = int(fails)
    if options.format == "text":
        _text(found, options.all, console)
    elif options.format == "json":
        console.json(coverage_report(found, seen))
    else:
        _findings(found, root, options.format, console)
    if fails:
        console.note(f"{found.percent:.1f}% of the rules were told, less than {wanted:g}%")
    return console.verdict


def _observed(options: Namespace, root: str, console: Console) -> Observed:
    seen = Observed()
    check_client(options.client)
    if options.log or not options.transcripts:
        wanted = Wanted(since=options.since, client=options.client)
        for record in injections.read(root):
            if wanted(record):
                seen.add(record)
    if options.transcripts:
        progress = Progress(console)
        for transcript in chosen(options.transcripts, options.client):
            for step in steps(transcript, root, progress):
                for told in step.told:
                    session = {**told.record, "session": str(transcript.path)}
                    seen.add(session, step.turn.prompt if told is step.reply else None)
        progress.end()
    if seen.prompts:
        return seen
    if options.transcripts:
        raise CliError("There is no prompt in these transcripts.", "Name others.")
    which = "of that kind " if options.since or options.client else ""
    raise CliError(
        f"The hook has logged no prompt {which}, so nothing can be said.".replace(" ,", ","),
        "Work with an agent for a while, or name transcripts of past sessions.",
    )


def _text(found: Coverage, whole: bool, console: Console) -> None:
    console.line(
        Styled(f"{found.percent:.0f}%", "title"),
        f" of the rules were told at least once: {found.told:,} of {counted(found.rules, 'rule')}",
    )
    console.line(*_basis(found))
    console.line()
    rows: list[list[Part]] = [header("domain", "prompts", "", "told", "rules")]
    rows += [
        [
            Styled(share.label, "name" if share.prompts else "dim"),
            f"{share.prompts:,}",
            f"{100 * share.prompts / found.prompts:.0f}%",
            f"{share.told:,}",
            f"{share.rules:,}",
        ]
        for share in found.domains
    ]
    for line in columns(rows, right={1, 2, 3, 4}):
        console.line(*line)
    for kind, group in groupby(found.findings, lambda finding: finding.kind):
        console.line()
        listed = [list(alike) for _, alike in groupby(group, _alike)]
        count = sum(map(len, listed))
        console.line(Styled(kind.title, "title"), f" ({count})")
        for findings in listed if whole else listed[:_SHOWN]:
            _tell(findings, console)
        if len(listed) > _SHOWN and not whole:
            left = sum(map(len, listed[_SHOWN:]))
            console.line("  ", Styled(f"… {left} more: --all", "dim"))


def _alike(finding: Finding) -> tuple[str, ...]:
    """What findings share that are told as one."""
    return finding.domain, finding.message, finding.remedy, finding.file


def _basis(found: Coverage) -> tuple[Part, ...]:
    """How many prompts the statement rests on."""
    rests = f"in {counted(found.prompts, 'prompt')} of {counted(max(found.sessions, 1), 'session')}"
    return (rests,) if found.is_enough else (rests, Styled(": too few to judge", "warn"))


def _tell(findings: list[Finding], console: Console) -> None:
    """Findings that are alike: their names, what is to be said of them, and the first place."""
    first = findings[0]
    names = [finding.name for finding in findings]
    of_rules = first.kind.name.startswith("rule-")
    called = named(names) if of_rules else ", ".join(names)
    console.line("  ", Styled(called, "name"), f": {first.message}")
    remedy = f" · {first.remedy}" if first.remedy else ""
    console.line("    ", Styled(f"{first.file}:{first.line}{remedy}", "dim"))


def _findings(found: Coverage, root: str, name: str, console: Console) -> None:
    """In a format of ``synapse check``: beside the changed lines, in reports, for services."""
    from pathlib import Path

    from synapse_ls.cli.formats.registry import BY_NAME
    from synapse_ls.cli.formats.report import Checked, Report
    from synapse_ls.lint.diagnostic import Diagnostic, Severity
    from synapse_ls.text.decode import decode
    from synapse_ls.text.lines import LineIndex

    def text_of(path: str) -> str:
        try:
            return decode((Path(root) / path).read_bytes()).text
        except OSError:
            return ""

    lines: dict[str, LineIndex] = {}
    made = []
    for finding in found.findings:
        if finding.file not in lines:
            lines[finding.file] = LineIndex(text_of(finding.file))
        index = lines[finding.file]
        span = index.line_span(min(finding.line, index.line_count) - 1)
        message = f"{finding.name}: {finding.message}."
        remedy = f"{finding.remedy[:1].upper()}{finding.remedy[1:]}." if finding.remedy else ""
        kind = finding.kind
        made.append(
            Diagnostic(kind.code, kind.name, Severity.INFO, finding.file, span, message, remedy)
        )
    report = Report((Checked(root, text_of, len(lines), tuple(made)),), "synapse coverage")
    BY_NAME[name].load()(report, console)


COVERAGE = Command(
    description="""\
Judges the tree by what agents were told: rules that never came, domains that nothing woke and why,
rules that were cut each time, keywords that no prompt said, star-commands that nobody used, domains
that always come together, and domains that come nearly always. It says on how many prompts that
rests; fewer than 20 are too few to judge.

The log of the hook knows no prompts. Of transcripts, which are replayed against the tree as it is now,
it can also be said what prompts say in place of a keyword.

Exit codes: 0, 1 with --fail-under where less was told, 2 where nothing can be looked at.""",
    examples=(
        ("By what the hook has logged", "synapse coverage"),
        ("By all past sessions of a project", "synapse coverage ~/.claude/projects/-src-tillway"),
        ("Half of the rules have to be of use", "synapse coverage --since 30d --fail-under 50"),
        ("Beside the lines of a pull request", "synapse coverage sessions/ --format github"),
    ),
    arguments=_arguments,
    run=_run,
)  # fmt: skip
