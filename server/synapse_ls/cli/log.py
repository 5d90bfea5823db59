"""This module is ``synapse log``: it shows what agents were sent by the hook, when, why, and at
what cost.
"""

from __future__ import annotations

from collections import deque
from itertools import islice
from typing import TYPE_CHECKING

from synapse_ls.cli.cli_error import CliError
from synapse_ls.cli.client_options import check_client
from synapse_ls.cli.command_table import Command
from synapse_ls.cli.console import Styled
from synapse_ls.cli.relative_time import parse_since
from synapse_ls.cli.reply_lines import HASH_LENGTH, Named, block_name, reply_body, reply_heading
from synapse_ls.cli.shared_options import add_json_lines_option, root_of
from synapse_ls.guard.agent_action import ENFORCE
from synapse_ls.queries.injection_report import ReplyFilter, rule_outcome
from synapse_ls.storage import injection_log

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterable

    from synapse_ls.cli.command_parser import Parser
    from synapse_ls.cli.console import Console
    from synapse_ls.storage.injection_log import Record

    Tell = Callable[[Record], None]

LAST = "last"
_DEFAULT_NUMBER = 20
_MAX_ID_LENGTH = 12  # characters of a session's id in a list

_MISSING_BLOCKS = {
    injection_log.NO_TEXT: ("There was nothing to tell, so there is no block.", ""),
    injection_log.TEXT_OFF: (
        "The text of this block was not kept.",
        "Take `blocks = false` out of [log] in .synapse/config.toml to keep those to come.",
    ),
    injection_log.TEXT_QUOTES: (
        "The text of this block was not kept: it repeats words of a prompt, or a path that one named.",
        "Ask with `synapse context` and the same prompt.",
    ),
    injection_log.TEXT_KEPT: (
        "The text of this block is no longer kept: newer ones took its place.",
        "`synapse log` still says what was in it.",
    ),
}


def _add_arguments(parser: Parser) -> None:
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
        type=parse_since,
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
        default=_DEFAULT_NUMBER,
        dest="number",
        help=f"the last so many; 0 for all (default: {_DEFAULT_NUMBER})",
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
    add_json_lines_option(output)


def _run(options: Namespace, console: Console) -> int:
    root = root_of(options)
    check_client(options.client)
    if options.number < 0:
        raise CliError("-n takes a number that is not negative.", "Write -n 0 for all.")
    wanted = ReplyFilter(
        session=_resolve_session(root, options.session),
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
        _print_verdicts(root, wanted, options, console)
        return 0
    if options.block:
        if options.follow:
            raise CliError("--block and --follow exclude each other.", "Leave one of them out.")
        console.write(_block_text(root, options.block, wanted))
        return 0
    tell = (
        _json_printer(root, console)
        if options.format == "json-lines"
        else _text_printer(options.rule, console)
    )
    records = list(injection_log.read_replies(root))
    kept = list(islice(filter(wanted, records), options.number or None))
    if options.rule and not kept:
        _check_rule(root, options.rule, records)
    for record in reversed(kept):
        tell(record)
    if options.follow:
        _follow_log(root, wanted, tell, console, records[0] if records else None)
    elif options.format == "text":
        _print_remark(wanted, bool(kept), console)
    return 0


def _print_verdicts(root: str, wanted: ReplyFilter, options: Namespace, console: Console) -> None:
    """Prints the verdicts of the guard, the oldest first."""
    found = (r for r in injection_log.read_verdicts(root) if wanted.matches_origin(r))
    kept = list(islice(found, options.number or None))
    for record in reversed(kept):
        if options.format == "json-lines":
            console.json({k: v for k, v in record.items() if k != "v"}, None)
            continue
        agent = f"@{record['agent']}" if record["agent"] else "no active agent"
        where = (record["client"], record["session"][:_MAX_ID_LENGTH], agent)
        console.line(*reply_heading(record, record["decision"], *where))
        rule = record["rule"] or "the guard's own rule"
        ask = f", for @{record['delegate']}" if record["delegate"] else ""
        effect = "" if record["mode"] == ENFORCE else " (a warning: the tool was used)"
        console.line("  ", f"{rule}: {record['pattern']}{ask}{effect}")
    if not kept and options.format == "text":
        console.line("The guard has said nothing yet.")


def _resolve_session(root: str, name: str) -> str:
    """Returns the id that is meant, among the sessions that were sent something."""
    from synapse_ls.queries.session_lookup import CURRENT_NAME, resolve_session

    if not name:
        return ""
    if name == CURRENT_NAME:
        return resolve_session(root, name)
    ids = {record["session"] for record in injection_log.read_replies(root)} - {""}
    found = sorted(one for one in ids if one.startswith(name))
    if name in ids or len(found) == 1:
        return name if name in ids else found[0]
    if found:
        raise CliError(f'"{name}" is the beginning of {len(found)} sessions.', "Give more of it.")
    raise CliError(
        f'Nothing was told to a session "{name}".', "`synapse log -n 0` shows what was told."
    )


def _check_rule(root: str, rule: str, records: Iterable[Record]) -> None:
    """Raises CliError for a rule or domain of which neither the tree nor the log knows."""
    from synapse_ls.queries.injection_report import rule_name
    from synapse_ls.storage.current_plan import load_plan
    from synapse_ls.workspace.name_suggestions import suggest_names

    domains = load_plan(root).with_all_files().plan.domains()
    labels = [domain.label for domain in domains]
    rules = [rule_name(domain, row) for domain in domains for row in domain.rows]
    known = map(str.casefold, (*labels, *rules))
    if rule.casefold() in known or any(rule_outcome(r, rule) for r in records):
        return
    listed = suggest_names(rule, labels, "`synapse domains` lists those there are.")
    raise CliError(
        f"Neither the tree nor the log has a rule or a domain {rule}.",
        suggest_names(rule, rules, listed),
    )


def _block_text(root: str, name: str, wanted: ReplyFilter) -> str:
    """Returns the text that is asked for; raises CliError where it is not there any more, or never
    was.
    """
    start = "" if name == LAST else name
    records = (r for r in injection_log.read_replies(root) if r["tokens"] and wanted(r))
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
    text = injection_log.read_blocks(root, identity).get(identity)
    if text is None:
        raise CliError(*_MISSING_BLOCKS[record["block"]])
    return text


def _text_printer(rule: str, console: Console) -> Tell:
    named: Named = {}

    def print_record(record: Record) -> None:
        session, window = record["session"], record["window"]
        about = (
            record["client"],
            f"{session[:_MAX_ID_LENGTH]}{'…' if len(session) > _MAX_ID_LENGTH else ''}"
            or "no session",
            f"sub-agent {window}" if window else "",
            record["event"],
        )
        console.line(*reply_heading(record, block_name(record), *about))
        for line in reply_body(record, named):
            console.line(*line)
        if rule:
            console.line("  ", Styled(f"{rule}:", "name"), f" {rule_outcome(record, rule)}")

    return print_record


def _json_printer(root: str, console: Console) -> Tell:
    from synapse_ls.queries.injection_report import injections_report
    from synapse_ls.queries.report_model import to_json
    from synapse_ls.storage.current_plan import load_plan

    plan = load_plan(root).with_all_files().plan

    def print_record(record: Record) -> None:
        (report,) = injections_report(plan, [record])
        console.json(to_json(report), indent=None)

    return print_record


def _follow_log(
    root: str, wanted: ReplyFilter, print_record: Tell, console: Console, newest: Record | None
) -> None:
    """Prints what comes after ``newest``, until interrupted."""
    from pathlib import Path

    from synapse_ls.cli.watch_loop import follow_changes
    from synapse_ls.workspace.watch_targets import WatchedFolder

    file = Path(injection_log.log_path(root))
    console.note("what is told from now on follows, until Ctrl-C")

    def print_new() -> bool:
        nonlocal newest
        fresh: deque[Record] = deque()
        for record in injection_log.read_replies(root):
            if newest is not None and _is_same_record(record, newest):
                break
            fresh.appendleft(record)
        for record in fresh:
            newest = record
            if wanted(record):
                print_record(record)
        console.flush()
        return console.is_read

    follow_changes(
        lambda: frozenset((WatchedFolder(str(file.parent), False),)),
        print_new,
        concerns=lambda path: Path(path) == file.parent or Path(path).name.startswith(file.name),
    )


def _is_same_record(one: Record, other: Record) -> bool:
    """Returns whether two readings are of one line; what became of the reply may have come to be
    known since.
    """
    unknown = {"arrived": None, "cancelled": False}
    return {**one, **unknown} == {**other, **unknown}


def _print_remark(wanted: ReplyFilter, any_found: bool, console: Console) -> None:
    if any_found:
        console.note("`synapse why RULE --session ID` says why a rule was not told.")
    elif wanted == ReplyFilter():
        console.line("No agent was told anything yet: the hook writes a line for each prompt.")
    else:
        console.line("No agent was told anything of that kind.")


LOG = Command(
    description=f"""\
Each reply of the hook: when, to which client, session and sub-agent; how much of the window was left;
whether it was the full block, and why; which domains took part, and why (those that are always on once, until they are others); what was cut; and whether the
client's transcript shows that it arrived. The latest stands last. The id before each is that of its
block: --block prints it byte for byte, {HASH_LENGTH} characters of it are enough.

The log is in the user's cache folder, never in the tree, and never has a prompt. It is of bounded size.
[log] blocks = false in .synapse/config.toml keeps the texts of blocks out.""",
    examples=(
        ("What was the agent told last?", "synapse log -n 1"),
        ("The block itself, as it was sent", "synapse log --block last"),
        ("When was this rule told, or cut?", "synapse log --rule GLOBAL_RULE_3 --since 2d"),
        ("Watch while an agent works", "synapse log --session current --follow"),
        ("What did yesterday's blocks cost?", "synapse log --since 1d -n 0 --json | jq -s 'map(.tokens) | add'"),
    ),
    arguments=_add_arguments,
    run=_run,
)  # fmt: skip
