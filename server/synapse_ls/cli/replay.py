"""``synapse replay``: show what today's tree would have injected in a past session."""

from argparse import Namespace
from collections.abc import Iterable
from dataclasses import replace

from synapse_ls.cli import log, shared_options
from synapse_ls.cli.client_options import Transcript, open_transcripts, replay_steps
from synapse_ls.cli.command_table import command, option, option_group, switch
from synapse_ls.cli.console import Console, Part, Progress, Styled, cell_width, shorten_text
from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.queries.injection_report import InjectionReport, injections_report, rule_name
from synapse_ls.queries.rule_coverage import is_deliverable
from synapse_ls.queries.session_replay import ReplayedReply, ReplayStep
from synapse_ls.storage.current_plan import load_plan
from synapse_ls.storage.injection_log import parse_entries
from synapse_ls.text.phrases import format_count
from synapse_ls.text.user_error import UserError

_PROMPT_WIDTH = 36  # cells that a list has for the words of a prompt


class Totals:
    """What the steps of a replay of one session, or of several, come to."""

    def __init__(self) -> None:
        self.prompts = self.replies = self.tokens = self.full = self.compactions = 0
        self.rules: set[tuple[str, str]] = set()

    def add(self, step: ReplayStep) -> None:
        """Count a step."""
        self.prompts += 1
        self.compactions += step.turn.compacted + sum(m.compacted for m in step.turn.moments)
        self.tokens += step.tokens
        self.full += step.full_tokens
        for reply in step.replies:
            self.replies += bool(reply.text)
            for _, written in reply.record["sections"]:
                self.rules.update((name, key) for key, name in parse_entries(written) if name)

    @property
    def percent(self) -> float:
        """How much was sent, in percent of what a full block with every prompt would have cost."""
        return 100.0 * self.tokens / self.full if self.full else 0.0


def _print_block(
    transcripts: list[Transcript],
    root: str,
    options: Namespace,
    console: Console,
    progress: Progress,
) -> None:
    """Print the block of one prompt, byte for byte."""
    if len(transcripts) != 1:
        raise UserError("--prompt takes one transcript.", "Name the file of the session.")
    last = 0
    for step in replay_steps(transcripts[0], root, progress):
        last = step.number
        if step.number == options.prompt:
            progress.end()
            text = step.reply.text if step.reply else ""
            console.write(step.full if options.full else text)
            if not text and not options.full:
                console.note("nothing to send: all that is wanted is in context (--full)")
            return
    progress.end()
    raise UserError(
        f"There is no prompt {options.prompt}.",
        f"The transcript has {format_count(last, 'prompt')}.",
    )


def _print_steps(
    transcript: Transcript,
    root: str,
    with_reasons: bool,
    grand_total: Totals,
    console: Console,
    progress: Progress,
) -> None:
    own = Totals()
    named: log.Named | None = {} if with_reasons else None
    console.line(Styled(str(transcript.path), "title"), f" · {transcript.client}")
    for step in replay_steps(transcript, root, progress):
        for totals in (own, grand_total):
            totals.add(step)
        for reply in step.before:
            _print_event(reply, named, console)
        console.line(*_step_row(step))
        if step.reply:
            _print_reply(step.reply, named, console)
        for reply in step.after:
            _print_event(reply, named, console)
        if with_reasons and step.matches_transcript is not None:
            what = "the same" if step.matches_transcript else "another text"
            console.line("      ", Styled(f"{what} was injected then", "dim"))
    progress.end()
    _print_totals(own, root, console)


def _step_row(step: ReplayStep) -> list[Part]:
    words = shorten_text(" ".join(step.turn.prompt.split()), _PROMPT_WIDTH)
    reply = step.reply
    parts: list[Part] = [
        Styled(f"{step.number:>4}", "name"),
        f"  {words}{' ' * (_PROMPT_WIDTH - cell_width(words))}  ",
    ]
    if reply is None:
        return [*parts, Styled("sent twice: answered once", "dim")]
    record = reply.record
    remaining = f"{record['remaining']:.1f}".removesuffix(".0")
    parts += [f"{record['bracket']:<9}", f"{remaining:>5}%  "]
    if not reply.text:
        return [*parts, Styled("nothing new", "dim")]
    what = f"full block: {record['why']}" if record["why"] else "the difference"
    return [*parts, f"{format_count(record['tokens'], 'token'):>10}  {what}"]


def _print_event(reply: ReplayedReply, named: log.Named | None, console: Console) -> None:
    """Print what came with another event than the prompt."""
    record = reply.record
    full = f": {record['why']}" if record["why"] else ""
    console.line(f"{'':>4}  {record['event']} · {format_count(record['tokens'], 'token')}{full}")
    _print_reply(reply, named, console)


def _print_reply(reply: ReplayedReply, named: log.Named | None, console: Console) -> None:
    for line in list(log.reply_body(reply.record, named))[1:] if named is not None else ():
        console.line("    ", *line)


def _print_totals(totals: Totals, root: str, console: Console) -> None:
    """Print the sum, against a full block with every prompt."""
    replies = "1 reply" if totals.replies == 1 else f"{totals.replies:,} replies"
    compactions = f", {format_count(totals.compactions, 'compaction')}" * bool(totals.compactions)
    console.line(
        f"{format_count(totals.prompts, 'prompt')}{compactions}: ",
        Styled(format_count(totals.tokens, "token"), "good"),
        f" in {replies}; a full block with every prompt would take {totals.full:,}"
        f" ({totals.percent:.0f}%)",
    )
    domains = _load_plan(root).domains()
    rows = [(domain, row) for domain in domains for row in domain.rules if is_deliverable(row)]
    fired = sum((rule_name(domain, row), row.hash) in totals.rules for domain, row in rows)
    console.line(
        f"{fired:,} of {format_count(len(rows), 'rule')} for agents were injected; "
        "`synapse coverage` shows the others"
    )


def _load_plan(root: str) -> Plan:
    return load_plan(root).with_all_files().plan


def _reply_reports(plan: Plan, replies: Iterable[ReplayedReply]) -> list[InjectionReport]:
    return [
        replace(report, text=reply.text)
        for reply in replies
        for report in injections_report(plan, [reply.record])
    ]


@command(
    option(
        "transcripts TRANSCRIPT", "a client's record of a session, or a folder of them", nargs="+"
    ),
    option_group(
        "Session",
        option("--client NAME", "play another client than that which wrote the transcript"),
    ),
    option_group(
        "Output",
        option("--prompt NUMBER", "print the block that came with this prompt", type=int),
        switch("--full", "with --prompt: the full block, whatever was in context"),
        switch("--why", "say of each reply what took part in it, and why"),
        *shared_options.JSON_LINES_OPTIONS,
    ),
)
def run(options: Namespace, console: Console) -> None:
    """Plays a past session once more against the tree as it is now. It takes its prompts, how full
    the window was at each, who was active, which files were touched, and where the history was
    compacted. For each prompt it says what the hook would send, and what that costs against a full
    block with every prompt.

    Transcripts of Claude Code, Codex, Copilot, Gemini CLI, Antigravity and Cursor are recognised by
    what is in them. Nothing changes: no file of the tree, no session, not the log.

    Examples:

    # What would this session have cost?
    $ synapse replay ~/.claude/projects/-src-tillway/4f1c.jsonl

    # The block that comes with its third prompt
    $ synapse replay session.jsonl --prompt 3

    # The same session in another client
    $ synapse replay session.jsonl --client codex

    # All sessions of a project, for a program
    $ synapse replay ~/.claude/projects/-src-tillway --json
    """
    root = shared_options.root_of(options)
    transcripts = open_transcripts(options.transcripts, options.client)
    if options.full and options.prompt is None:
        raise UserError("--full needs --prompt: it prints one block.", "Name the prompt.")
    progress = Progress(console)
    if options.prompt is not None:
        _print_block(transcripts, root, options, console, progress)
        return
    together = Totals()
    for number, transcript in enumerate(transcripts):
        if options.format == "json-lines":
            totals, plan = Totals(), _load_plan(root)
            for step in replay_steps(transcript, root, progress):
                totals.add(step)
                console.json(
                    {
                        "type": "prompt",
                        "transcript": str(transcript.path),
                        "number": step.number,
                        "prompt": step.turn.prompt,
                        "compacted": step.turn.compacted,
                        "tokens": step.tokens,
                        "full_tokens": step.full_tokens,
                        "as_then": step.matches_transcript,
                        "reply": _reply_reports(plan, [step.reply])[0] if step.reply else None,
                        "before": _reply_reports(plan, step.before),
                        "after": _reply_reports(plan, step.after),
                        "others": _reply_reports(plan, [*step.before, *step.after]),
                    },
                    indent=None,
                )
            progress.end()
            console.json(
                {
                    "type": "total",
                    "transcript": str(transcript.path),
                    "client": transcript.client,
                    "prompts": totals.prompts,
                    "compactions": totals.compactions,
                    "replies": totals.replies,
                    "tokens": totals.tokens,
                    "full_tokens": totals.full,
                    "rules": sorted({name for name, _ in totals.rules}),
                },
                indent=None,
            )
        else:
            if number:
                console.line()
            _print_steps(transcript, root, options.why, together, console, progress)
    if len(transcripts) > 1 and options.format == "text":
        console.line()
        console.line(Styled(format_count(len(transcripts), "session"), "title"))
        _print_totals(together, root, console)
