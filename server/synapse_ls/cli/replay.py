"""``synapse replay``: what today's tree would have told in a past session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from synapse_ls.cli.commands import Command
from synapse_ls.cli.console import Part, Styled
from synapse_ls.cli.errors import CliError
from synapse_ls.cli.options import add_lines, root_of
from synapse_ls.cli.progress import Progress
from synapse_ls.cli.replies import body
from synapse_ls.cli.table import shortened, width
from synapse_ls.cli.transcripts import Transcript, chosen, steps
from synapse_ls.service.injections import entries_of
from synapse_ls.service.told import injections_report, name_of
from synapse_ls.text.counted import counted

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable
    from typing import Any

    from synapse_ls.cli.console import Console
    from synapse_ls.cli.parser import Parser
    from synapse_ls.engine.plan import Plan
    from synapse_ls.service.replay import Step, Told

_PROMPT = 36  # cells that a list has for the words of a prompt


class Totals:
    """What the steps of a session, or of several, come to."""

    def __init__(self) -> None:
        self.prompts = self.replies = self.tokens = self.full = self.compactions = 0
        self.rules: set[tuple[str, str]] = set()

    def add(self, step: Step) -> None:
        """Count a step."""
        self.prompts += 1
        self.compactions += step.turn.compacted + sum(m.compacted for m in step.turn.moments)
        self.tokens += step.tokens
        self.full += step.full_tokens
        for told in step.told:
            self.replies += bool(told.text)
            for _, written in told.record["sections"]:
                self.rules.update((name, key) for key, name in entries_of(written) if name)

    @property
    def percent(self) -> float:
        """What was told, of what a full block with every prompt would have cost."""
        return 100.0 * self.tokens / self.full if self.full else 0.0


def _arguments(parser: Parser) -> None:
    parser.add_argument(
        "transcripts",
        metavar="TRANSCRIPT",
        nargs="+",
        help="a client's record of a session, or a folder of them",
    )
    group = parser.add_argument_group("Session")
    group.add_argument(
        "--client",
        metavar="NAME",
        default="",
        help="play another client than that which wrote the transcript",
    )
    output = parser.add_argument_group("Output")
    output.add_argument(
        "--prompt", metavar="NUMBER", type=int, help="print the block that came with this prompt"
    )
    output.add_argument(
        "--full",
        action="store_true",
        help="with --prompt: the full block, whatever stood in the window",
    )
    output.add_argument(
        "--why", action="store_true", help="say of each reply what took part in it, and why"
    )
    add_lines(output)


def _run(options: Namespace, console: Console) -> int:
    root = root_of(options)
    found = chosen(options.transcripts, options.client)
    if options.full and options.prompt is None:
        raise CliError("--full needs --prompt: it prints one block.", "Name the prompt.")
    progress = Progress(console)
    if options.prompt is not None:
        _one(found, root, options, console, progress)
        return 0
    together = Totals()
    for number, transcript in enumerate(found):
        if options.format == "json-lines":
            _lines(transcript, root, console, progress)
        else:
            if number:
                console.line()
            _list(transcript, root, options.why, together, console, progress)
    if len(found) > 1 and options.format == "text":
        console.line()
        console.line(Styled(counted(len(found), "session"), "title"))
        _sum(together, root, console)
    return 0


def _one(
    found: list[Transcript], root: str, options: Namespace, console: Console, progress: Progress
) -> None:
    """The block of one prompt, byte for byte."""
    if len(found) != 1:
        raise CliError("--prompt takes one transcript.", "Name the file of the session.")
    last = 0
    for step in steps(found[0], root, progress):
        last = step.number
        if step.number == options.prompt:
            progress.end()
            text = step.reply.text if step.reply else ""
            console.write(step.full if options.full else text)
            if not text and not options.full:
                console.note("nothing to send: all that is wanted stands in the window (--full)")
            return
    progress.end()
    raise CliError(
        f"There is no prompt {options.prompt}.", f"The transcript has {counted(last, 'prompt')}."
    )


def _list(
    transcript: Transcript,
    root: str,
    why: bool,
    together: Totals,
    console: Console,
    progress: Progress,
) -> None:
    own = Totals()
    console.line(Styled(str(transcript.path), "title"), f" · {transcript.client}")
    for step in steps(transcript, root, progress):
        for totals in (own, together):
            totals.add(step)
        for told in step.before:
            _beside(told, why, console)
        console.line(*_row(step))
        if step.reply:
            _body(step.reply, why, console)
        for told in step.after:
            _beside(told, why, console)
        if why and step.as_then is not None:
            same = "the same was told then" if step.as_then else "another text was told then"
            console.line("      ", Styled(same, "dim"))
    progress.end()
    _sum(own, root, console)


def _row(step: Step) -> list[Part]:
    words = shortened(" ".join(step.turn.prompt.split()), _PROMPT)
    told = step.reply
    parts: list[Part] = [
        Styled(f"{step.number:>4}", "name"),
        f"  {words}{' ' * (_PROMPT - width(words))}  ",
    ]
    if told is None:
        return [*parts, Styled("sent twice: answered once", "dim")]
    record = told.record
    left = f"{record['remaining']:.1f}".removesuffix(".0")
    parts += [f"{record['bracket']:<9}", f"{left:>5}%  "]
    if not told.text:
        return [*parts, Styled("nothing new", "dim")]
    what = f"full block: {record['why']}" if record["why"] else "the difference"
    return [*parts, f"{counted(record['tokens'], 'token'):>10}  {what}"]


def _beside(told: Told, why: bool, console: Console) -> None:
    """What came with another event than the prompt."""
    record = told.record
    full = f": {record['why']}" if record["why"] else ""
    console.line(f"{'':>4}  {record['event']} · {counted(record['tokens'], 'token')}{full}")
    _body(told, why, console)


def _body(told: Told, why: bool, console: Console) -> None:
    for line in list(body(told.record))[1:] if why else ():
        console.line("    ", *line)


def _sum(totals: Totals, root: str, console: Console) -> None:
    """What it came to, against a full block with every prompt."""
    replies = "1 reply" if totals.replies == 1 else f"{totals.replies:,} replies"
    compactions = f", {counted(totals.compactions, 'compaction')}" if totals.compactions else ""
    console.line(
        f"{counted(totals.prompts, 'prompt')}{compactions}: ",
        Styled(counted(totals.tokens, "token"), "good"),
        f" in {replies}; a full block with every prompt would take {totals.full:,}"
        f" ({totals.percent:.0f}%)",
    )
    fired, rules = _fired(totals, root)
    console.line(
        f"{fired:,} of {counted(rules, 'rule')} were told; `synapse coverage` says which not"
    )


def _fired(totals: Totals, root: str) -> tuple[int, int]:
    from synapse_ls.service.coverage import can_be_told

    plan = _plan(root)
    rows = [(d, row) for d in plan.domains() for row in d.rows if can_be_told(row)]
    told = sum((name_of(d, row), row.hash) in totals.rules for d, row in rows)
    return told, len(rows)


def _plan(root: str) -> Plan:
    from synapse_ls.service.plans import planned

    return planned(root).whole().plan


def _lines(transcript: Transcript, root: str, console: Console, progress: Progress) -> None:
    totals, plan = Totals(), _plan(root)
    for step in steps(transcript, root, progress):
        totals.add(step)
        console.json(_report(step, transcript, plan), indent=None)
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


def _report(step: Step, transcript: Transcript, plan: Plan) -> dict[str, Any]:
    return {
        "type": "prompt",
        "transcript": str(transcript.path),
        "number": step.number,
        "prompt": step.turn.prompt,
        "compacted": step.turn.compacted,
        "tokens": step.tokens,
        "full_tokens": step.full_tokens,
        "as_then": step.as_then,
        "reply": _told(plan, [step.reply])[0] if step.reply else None,
        "before": _told(plan, step.before),
        "after": _told(plan, step.after),
        "others": _told(plan, [*step.before, *step.after]),
    }


def _told(plan: Plan, told: Iterable[Told]) -> list[dict[str, Any]]:
    return [
        {**report, "text": one.text}
        for one in told
        for report in injections_report(plan, [one.record])
    ]


REPLAY = Command(
    description="""\
Plays a past session once more against the tree as it is now: its prompts, how full the window was at
each, who was active, which files were touched, where the history was compacted. For each prompt it
says what the hook would send, and what that costs against a full block with every prompt.

Transcripts of Claude Code, Codex, Copilot, Gemini CLI, Antigravity and Cursor are recognised by what
is in them. Nothing changes: no file of the tree, no session, not the log.""",
    examples=(
        ("What would this session have cost?", "synapse replay ~/.claude/projects/-src-tillway/4f1c.jsonl"),
        ("The block that comes with its third prompt", "synapse replay session.jsonl --prompt 3"),
        ("The same session in another client", "synapse replay session.jsonl --client codex"),
        ("All sessions of a project, for a program", "synapse replay ~/.claude/projects/-src-tillway --json"),
    ),
    arguments=_arguments,
    run=_run,
)  # fmt: skip
