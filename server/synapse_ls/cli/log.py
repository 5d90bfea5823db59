"""``synapse log``: what agents were told, when, why, and at what cost."""

from __future__ import annotations

from collections import deque
from itertools import islice
from typing import TYPE_CHECKING

from synapse_ls.cli.commands import Command
from synapse_ls.cli.console import Styled
from synapse_ls.cli.errors import CliError
from synapse_ls.cli.moments import since
from synapse_ls.cli.options import add_lines, root_of
from synapse_ls.cli.replies import SHORT, block_name, body, head
from synapse_ls.cli.transcripts import check_client
from synapse_ls.guard.use import ENFORCE
from synapse_ls.service import injections
from synapse_ls.service.told import Wanted, fate_of
from synapse_ls.text.json import dumps

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterable

    from synapse_ls.cli.console import Console
    from synapse_ls.cli.parser import Parser
    from synapse_ls.service.injections import Record

    Tell = Callable[[Record], None]

LAST = "last"
_NUMBER = 20
_WIDEST_ID = 12  # characters of a session's id in a list

_NOT_KEPT = {
    injections.NONE: ("There was nothing to tell, so there is no block.", ""),
    injections.OFF: (
        "The text of this block was not kept.",
        "Take `blocks = false` out of [log] in .synapse/config.toml to keep those to come.",
    ),
    injections.QUOTES: (
        "The text of this block was not kept: it repeats words of a prompt, or a path that one named.",
        "Ask with `synapse context` and the same prompt.",
    ),
    injections.KEPT: (
        "The text of this block is no longer kept: newer ones took its place.",
        "`synapse log` still says what was in it.",
    ),
}


def _arguments(parser: Parser) -> None:
    which = parser.add_argument_group("Which replies")
    which.add_argument(
        "--session", metavar="ID", default="", help='a session, its beginning, or "current"'
    )
    which.add_argument("--client", metavar="NAME", default="", help="to this client: claude")
    which.add_argument(
        "--agent", metavar="ID", default="", help="to this agent, or to the window of a sub-agent"
    )
    which.add_argument(
        "--since",
        metavar="WHEN",
        type=since,
        default=0.0,
        help="not older than 30min, 2h, 3d, or a date such as 2026-03-02 or 2026-03-02T09:30",
    )
    which.add_argument(
        "--rule",
        metavar="NAME",
        default="",
        help="that told or cut this rule, or that this domain took part in",
    )
    which.add_argument(
        "-n",
        metavar="NUMBER",
        type=int,
        default=_NUMBER,
        dest="number",
        help=f"the last so many; 0 for all (default: {_NUMBER})",
    )
    output = parser.add_argument_group("Output")
    output.add_argument(
        "--guard",
        action="store_true",
        help="what the guard said of tools that were about to be used, in place of what was told",
    )
    output.add_argument(
        "--block",
        metavar="ID",
        default="",
        help=f'print the exact block that was sent: its id in the list, or "{LAST}"',
    )
    output.add_argument(
        "--follow", action="store_true", help="go on with what is told from now on, until Ctrl-C"
    )
    add_lines(output)


def _run(options: Namespace, console: Console) -> int:
    root = root_of(options)
    check_client(options.client)
    if options.number < 0:
        raise CliError("-n takes a number that is not negative.", "Write -n 0 for all.")
    wanted = Wanted(
        session=_session(root, options.session),
        client=options.client,
        agent=options.agent,
        since=options.since,
        rule=options.rule,
    )
    if options.guard:
        if options.block or options.follow or options.rule:
            raise CliError(
                "--guard goes with --session, --client, --agent, --since and -n only.",
                "Leave the others out.",
            )
        _verdicts(root, wanted, options, console)
        return 0
    if options.block:
        if options.follow:
            raise CliError("--block and --follow exclude each other.", "Leave one of them out.")
        console.write(_block(root, options.block, wanted))
        return 0
    tell = _lines(root, console) if options.format == "json-lines" else _text(options.rule, console)
    records = list(injections.read(root))
    kept = list(islice(filter(wanted, records), options.number or None))
    if options.rule and not kept:
        _check_rule(root, options.rule, records)
    for record in reversed(kept):
        tell(record)
    if options.follow:
        _follow(root, wanted, tell, console, records[0] if records else None)
    elif options.format == "text":
        _remark(wanted, bool(kept), console)
    return 0


def _verdicts(root: str, wanted: Wanted, options: Namespace, console: Console) -> None:
    """What the guard said, the oldest first."""
    found = (r for r in injections.verdicts(root) if wanted.is_about(r))
    kept = list(islice(found, options.number or None))
    for record in reversed(kept):
        if options.format == "json-lines":
            console.write(f"{dumps({k: v for k, v in record.items() if k != 'v'}, None)}\n")
            continue
        agent = f"@{record['agent']}" if record["agent"] else "no active agent"
        where = (record["client"], record["session"][:_WIDEST_ID], agent)
        console.line(*head(record, record["decision"], *where))
        rule = record["rule"] or "the guard's own rule"
        ask = f", for @{record['delegate']}" if record["delegate"] else ""
        effect = "" if record["mode"] == ENFORCE else " (a warning: the tool was used)"
        console.line("  ", f"{rule}: {record['pattern']}{ask}{effect}")
    if not kept and options.format == "text":
        console.line("The guard has said nothing yet.")


def _session(root: str, given: str) -> str:
    """The id that is meant, among the sessions that were told something."""
    from synapse_ls.service.named_session import CURRENT, resolved

    if not given:
        return ""
    if given == CURRENT:
        return resolved(root, given)
    ids = {record["session"] for record in injections.read(root)} - {""}
    found = sorted(one for one in ids if one.startswith(given))
    if given in ids or len(found) == 1:
        return given if given in ids else found[0]
    if found:
        raise CliError(f'"{given}" is the beginning of {len(found)} sessions.', "Give more of it.")
    raise CliError(
        f'Nothing was told to a session "{given}".', "`synapse log -n 0` shows what was told."
    )


def _check_rule(root: str, given: str, records: Iterable[Record]) -> None:
    """CliError for a rule or domain of which neither the tree nor the log knows."""
    from synapse_ls.service.plans import planned
    from synapse_ls.service.told import name_of
    from synapse_ls.text.near import nearest

    domains = planned(root).whole().plan.domains()
    names = [name for d in domains for name in (d.label, *(name_of(d, row) for row in d.rows))]
    if given.casefold() in map(str.casefold, names) or any(fate_of(r, given) for r in records):
        return
    near = nearest(given.upper(), names)
    raise CliError(
        f"Neither the tree nor the log has a rule or a domain {given}.",
        f"Did you mean {near}?" if near else "`synapse domains` lists those there are.",
    )


def _block(root: str, name: str, wanted: Wanted) -> str:
    """The text that is asked for; CliError where it is not there any more, or never was."""
    start = "" if name == LAST else name
    records = (r for r in injections.read(root) if r["tokens"] and wanted(r))
    found: dict[str, Record] = {}
    for record in records:
        if record["hash"].startswith(start):
            found.setdefault(record["hash"], record)
            if name == LAST:
                break
    if not found:
        raise CliError(
            "No block was sent." if name == LAST else f"No block that was sent is called {name}.",
            "`synapse log` shows those there are.",
        )
    if len(found) > 1:
        names = ", ".join(islice(found, 3))
        raise CliError(f"{name} is the beginning of {len(found)} blocks: {names}.", "Give more.")
    ((identity, record),) = found.items()
    text = injections.blocks(root, identity).get(identity)
    if text is None:
        raise CliError(*_NOT_KEPT[record["block"]])
    return text


def _text(rule: str, console: Console) -> Tell:
    def tell(record: Record) -> None:
        session, window = record["session"], record["window"]
        about = (
            record["client"],
            f"{session[:_WIDEST_ID]}{'…' if len(session) > _WIDEST_ID else ''}" or "no session",
            f"sub-agent {window}" if window else "",
            record["event"],
        )
        console.line(*head(record, block_name(record), *about))
        for line in body(record):
            console.line(*line)
        if rule:
            console.line("  ", Styled(f"{rule}:", "name"), f" {fate_of(record, rule)}")

    return tell


def _lines(root: str, console: Console) -> Tell:
    from synapse_ls.service.plans import planned
    from synapse_ls.service.told import injections_report

    plan = planned(root).whole().plan

    def tell(record: Record) -> None:
        (report,) = injections_report(plan, [record])
        console.json(report, indent=None)

    return tell


def _follow(root: str, wanted: Wanted, tell: Tell, console: Console, newest: Record | None) -> None:
    """Tell what comes after ``newest``, until interrupted."""
    from pathlib import Path

    from synapse_ls.cli.watching import follow
    from synapse_ls.workspace.watched import Spec

    file = Path(injections.path_of(root))
    console.note("what is told from now on follows, until Ctrl-C")

    def look() -> None:
        nonlocal newest
        fresh: deque[Record] = deque()
        for record in injections.read(root):
            if newest is not None and _same(record, newest):
                break
            fresh.appendleft(record)
        for record in fresh:
            newest = record
            if wanted(record):
                tell(record)
        console.flush()

    follow(
        lambda: frozenset((Spec(str(file.parent), False),)),
        look,
        concerns=lambda path: Path(path) == file.parent or Path(path).name.startswith(file.name),
    )


def _same(one: Record, other: Record) -> bool:
    """Whether two readings are of one line; that it arrived may have come to be known since."""
    return {**one, "arrived": None} == {**other, "arrived": None}


def _remark(wanted: Wanted, any_found: bool, console: Console) -> None:
    if any_found:
        console.note("`synapse why RULE --session ID` says why a rule was not told.")
    elif wanted == Wanted():
        console.line("No agent was told anything yet: the hook writes a line for each prompt.")
    else:
        console.line("No agent was told anything of that kind.")


LOG = Command(
    description=f"""\
Each reply of the hook: when, to which client, session and sub-agent; how much of the window was left;
whether it was the full block, and why; which domains took part, and why; what was cut; and whether the
client's transcript shows that it arrived. The latest stands last. The id before each is that of its
block: --block prints it byte for byte, {SHORT} characters of it are enough.

The log is in the user's cache folder, never in the tree, and never has a prompt. It is of bounded size.
[log] blocks = false in .synapse/config.toml keeps the texts of blocks out.""",
    examples=(
        ("What was the agent told last?", "synapse log -n 1"),
        ("The block itself, as it was sent", "synapse log --block last"),
        ("When was this rule told, or cut?", "synapse log --rule GLOBAL_RULE_3 --since 2d"),
        ("Watch while an agent works", "synapse log --session current --follow"),
        ("What did yesterday's blocks cost?", "synapse log --since 1d -n 0 --json | jq -s 'map(.tokens) | add'"),
    ),
    arguments=_arguments,
    run=_run,
)  # fmt: skip
