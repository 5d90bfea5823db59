"""``synapse log``: show what the hook injected, when, why, and at what cost."""

from __future__ import annotations

from argparse import Namespace
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import groupby, islice
from pathlib import Path
from time import localtime, strftime

from synapse_ls.cli import client_options, file_changes, shared_options
from synapse_ls.cli.command_table import command, option, option_group, switch
from synapse_ls.cli.console import Console, Part, Styled, parse_since
from synapse_ls.engine.block_renderer import summarize_keys
from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.guard.agent_action import ENFORCE
from synapse_ls.queries import injection_report, session_lookup
from synapse_ls.storage import atomic_files, audit_log, injection_log
from synapse_ls.storage.current_plan import load_plan
from synapse_ls.text.phrases import format_count
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.naming_conventions import suggest_names
from synapse_ls.workspace.policy_reader import read_policies
from synapse_ls.workspace.user_folders import audit_folder

Line = list[Part]
Tell = Callable[["injection_log.Record"], None]

# Characters of a block's hash by which it is called.
HASH_LENGTH = 8

_PLAIN_REASONS = ("constitution", "global", "context")  # reasons that the layer's name says
_ALWAYS_REASONS = (*_PLAIN_REASONS, "always-on")


def reply_heading(record: injection_log.Record, name: str, *about: str) -> Line:
    """Return the first line about a logged reply: what it is called, when it was, and more about
    it.
    """
    when = strftime("%Y-%m-%d %H:%M:%S", localtime(record["time"])) if record["time"] else "-"
    return [
        Styled(f"{name:<{HASH_LENGTH}}", "title"),
        f"  {when}",
        *(Styled(f" · {text}", "dim") for text in about if text),
    ]


# Session and window -> the always-on domains that the reply shown last named or had.
Named = dict[tuple[str, str], frozenset[str]]


def reply_body(record: injection_log.Record, named: Named) -> Iterator[Line]:
    """Yield the other lines about a logged reply: what was known of the window, what was sent and
    why, and what was cut.

    Domains that are always on are named with a full block, and where they are others than in the
    reply to the same window that was shown before; ``named`` is brought up to date.
    """
    yield ["  ", *_window_parts(record)]
    # The domains that took part, by layer, with reasons where the layer does not say it.
    domains = injection_report.domains_in_reply(record)
    window = record["session"], record["window"]
    always = frozenset(took.label for took in domains if took.reason_phrase.code in _ALWAYS_REASONS)
    is_known = bool(always) and not record["why"] and named.get(window) == always
    named[window] = always
    new_domains = [took for took in domains if not (is_known and took.label in always)]
    spoken = [took for took in domains if took.label in record["told"]]
    silent = [took.label for took in new_domains if took not in spoken]
    parts: Line = []
    for layer, layer_domains in groupby(spoken, lambda took: took.layer):
        parts += [" · " if parts else "", Styled(layer, "name"), " "]
        for position, domain in enumerate(layer_domains):
            parts.append(f"{', ' if position else ''}{domain.label}")
            if domain.reason_phrase.code not in _PLAIN_REASONS and domain.reason:
                parts.append(Styled(f" ({domain.reason})", "dim"))
    if silent:
        parts += [" · " if parts else "", Styled(f"nothing of {', '.join(silent)}", "dim")]
    if is_known and not always <= {took.label for took in spoken}:
        parts += [" · " if parts else "", Styled("the always-on ones as before", "dim")]
    if parts and record["hash"] and record["tokens"]:
        yield ["  ", *parts]
    if gone := injection_report.withdrawn_headings(record):
        yield ["  ", Styled("revoked, all or in part:", "name"), f" {', '.join(gone)}"]
    for what, names in (
        ("cut", injection_report.cut_rules(record)),
        ("cut by the client's limit", injection_report.limited_rules(record)),
    ):
        if names:
            yield ["  ", Styled(f"{what}:", "warn"), f" {summarize_keys(names)} ({len(names)})"]


def _window_parts(record: injection_log.Record) -> Iterator[Part]:
    remaining = f"{record['remaining']:.1f}".removesuffix(".0")
    yield f"{record['bracket']} · {remaining}% left ({record['source']})"
    if not record["tokens"]:
        yield Styled(" · nothing new", "dim")
        return
    yield f" · {record['tokens']} of {record['budget']} tokens"
    yield f" · full block: {record['why']}" if record["why"] else " · the difference"
    if record["cancelled"]:
        yield Styled(" · cancelled", "dim")
    elif record["arrived"] is not None:
        yield " · arrived" if record["arrived"] else Styled(" · did not arrive", "bad")


LAST = "last"
_DEFAULT_NUMBER = 20
_MAX_ID_LENGTH = 12  # characters of a session's id in a list

_MISSING_BLOCKS = {
    injection_log.NO_TEXT: ("There was nothing to inject, so there is no block.", ""),
    injection_log.TEXT_OFF: (
        "The text of this block was not kept.",
        "To keep later ones, take `blocks = false` out of [log] in .synapse/config.toml.",
    ),
    injection_log.TEXT_QUOTES: (
        "The text of this block was not kept: it repeats words of a prompt, or a path that one "
        "named.",
        "Ask with `synapse context` and the same prompt.",
    ),
    injection_log.TEXT_KEPT: (
        "The text of this block is no longer kept: newer ones took its place.",
        "`synapse log` still says what was in it.",
    ),
}


def _resolve_session(root: str, name: str) -> str:
    """Return the id that is meant, among the sessions that were sent something."""
    if not name:
        return ""
    if name == session_lookup.CURRENT_NAME:
        return session_lookup.resolve_session(root, name)
    ids = sorted({record["session"] for record in injection_log.read_replies(root)})
    if found := session_lookup.match_beginning(name, ids):
        return found
    raise UserError(
        f'Nothing was injected for a session "{name}".',
        "`synapse log -n 0` shows what was injected.",
    )


def _check_rule(root: str, rule: str, records: Iterable[injection_log.Record]) -> None:
    """Raise UserError for a rule or domain of which neither the tree nor the log knows."""
    domains = load_plan(root).with_all_files().plan.domains()
    labels = [domain.label for domain in domains]
    rules = [injection_report.rule_name(domain, row) for domain in domains for row in domain.rules]
    names = map(str.casefold, (*labels, *rules))
    if rule.casefold() in names or any(injection_report.rule_outcome(r, rule) for r in records):
        return
    listed = suggest_names(rule, labels, "`synapse domains` lists those there are.")
    raise UserError(
        f"Neither the tree nor the log has a rule or a domain {rule}.",
        suggest_names(rule, rules, listed),
    )


def _block_text(root: str, name: str, wanted: injection_report.ReplyFilter) -> str:
    """Return the text that is asked for; raise UserError where it is not there any more, or never
    was.
    """
    start = "" if name == LAST else name
    records = (r for r in injection_log.read_replies(root) if r["tokens"] and wanted(r))
    by_hash: dict[str, injection_log.Record] = {}
    for record in records:
        if record["hash"].startswith(start):
            by_hash.setdefault(record["hash"], record)
            if name == LAST:
                break
    if not by_hash:
        raise UserError(
            "No block was sent." if name == LAST else f"No block that was sent is called {name}.",
            "`synapse log` shows those there are.",
        )
    if len(by_hash) > 1:
        names = ", ".join(islice(by_hash, 3))
        raise UserError(f"{name} is the beginning of {len(by_hash)} blocks: {names}.", "Give more.")
    ((identity, record),) = by_hash.items()
    if (text := injection_log.read_blocks(root, identity).get(identity)) is None:
        raise UserError(*_MISSING_BLOCKS[record["block"]])
    return text


def _print_text(rule: str, named: Named, console: Console, record: injection_log.Record) -> None:
    session, window = record["session"], record["window"]
    about = (
        record["client"],
        f"{session[:_MAX_ID_LENGTH]}{'…' if len(session) > _MAX_ID_LENGTH else ''}" or "no session",
        f"sub-agent {window}" if window else "",
        record["event"],
    )
    name = str(record["hash"][:HASH_LENGTH]) if record["tokens"] else "-"
    console.line(*reply_heading(record, name, *about))
    console.lines(reply_body(record, named))
    if rule:
        outcome = injection_report.rule_outcome(record, rule)
        console.line("  ", Styled(f"{rule}:", "name"), f" {outcome}")


def _print_json(plan: Plan, console: Console, record: injection_log.Record) -> None:
    console.json(injection_report.injections_report(plan, [record])[0], indent=None)


def _follow_log(
    root: str,
    wanted: injection_report.ReplyFilter,
    print_record: Tell,
    console: Console,
    newest: injection_log.Record | None,
) -> None:
    """Print what comes after ``newest``, until interrupted."""
    from synapse_ls.cli.watch_loop import follow_changes
    from synapse_ls.workspace.file_watching import WatchedFolder

    file = Path(injection_log.log_path(root))
    console.note("what is injected from now on follows, until Ctrl-C")

    def print_new() -> bool:
        nonlocal newest
        fresh: deque[injection_log.Record] = deque()
        for record in injection_log.read_replies(root):
            # What became of a reply may have come to be known since.
            unknown = {"arrived": None, "cancelled": False}
            if newest is not None and {**record, **unknown} == {**newest, **unknown}:
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


def _run_audit(options: Namespace, console: Console) -> int:
    """Check or write the audit log of this user, which is of all trees."""
    if options.verify and options.export:
        raise UserError("--verify and --export exclude each other.", "Leave one of them out.")
    foreign = {
        "--session": options.session,
        "--client": options.client,
        "--agent": options.agent,
        "--rule": options.rule,
        "--block": options.block,
        "-n": options.number != _DEFAULT_NUMBER,
        "--guard": options.guard,
        "--follow": options.follow,
        "--since": options.verify and options.since,
    }
    if names := ", ".join(name for name, value in foreign.items() if value):
        raise UserError(f"{names}: this does not choose lines of the audit log.", "Leave it out.")
    folder = audit_folder()
    if options.verify:
        try:
            count, digest, first = audit_log.verify(folder)
        except audit_log.BrokenChain as broken:
            console.line(Styled(str(broken), "bad"))
            return 1
        except (OSError, atomic_files.StorageError) as error:
            raise UserError(
                f"The audit log cannot be read: {str(error).rstrip('.')}.",
                f"Look at what is in {folder}, and move away what is no file.",
            ) from error
        if not first:
            if not (titles := [p.title for p in read_policies() if p.values.get("audit.enabled")]):
                console.line("There is no audit log: `[audit] enabled = true` switches it on.")
                return 0
            what = f"There is no audit log, although the policy {' and '.join(titles)} wants one"
            console.line(Styled(f"{what}: no agent was served yet, or it was removed.", "bad"))
            return 1
        older = f"; older ones were removed, up to number {first - 1}" * (first > 1)
        console.line(f"{format_count(count, 'line')}, each as it was written{older}.")
        console.line(f"  the hash of the last: {digest}")
        if any((Path(folder) / name).exists() for name in (audit_log.WAITING, audit_log.TAKEN)):
            console.line("  records wait beside it, which the next line will bring in")
        return 0
    if not options.export:
        raise UserError("--otlp says how to export.", "Name a file with --export.")
    if options.otlp:
        try:
            from synapse_ls.queries.audit_export import export_otlp
        except ImportError as error:
            raise UserError(
                "OpenTelemetry's library is not installed.", 'Install "synapse-ls[otel]".'
            ) from error
        data = export_otlp(options.since)
    else:  # as they are: what verifies them needs every byte
        lines = (line for _, line, _ in audit_log.records_since(options.since))
        data = b"".join(line + b"\n" for line in lines)
    file_changes.write_named_file(options.export, data, options, mode=atomic_files.PRIVATE_FILE)
    console.line(f"{options.export} has {format_count(data.count(10), 'line')}.")
    return 0


@command(
    option_group(
        "Which replies",
        option("--session ID", 'a session, its beginning, or "current"'),
        option("--client NAME", "to this client: claude"),
        option("--agent ID", "to this agent, or to the window of a sub-agent"),
        option(
            "--since WHEN",
            "not older than 30min, 2h, 3d, or a date such as 2026-03-02 or 2026-03-02T09:30",
            type=parse_since,
            default=0.0,
        ),
        option("--rule NAME", "that injected or cut this rule, or that this domain took part in"),
        option(
            "-n NUMBER",
            f"the last so many; 0 for all (default: {_DEFAULT_NUMBER})",
            type=int,
            default=_DEFAULT_NUMBER,
            dest="number",
        ),
    ),
    option_group(
        "Output",
        switch(
            "--guard",
            "what the guard said of tools that were about to be used, in place of what was "
            "injected",
        ),
        option(
            "--block ID", f'print the exact block that was sent: its id in the list, or "{LAST}"'
        ),
        option("--export FILE", "write the audit log to a file, as JSON lines"),
        switch("--otlp", "with --export: as OpenTelemetry log records, in OTLP's JSON"),
        switch("--verify", "check that no line of the audit log was changed or is missing"),
        switch("--follow", "go on with what is injected from now on, until Ctrl-C"),
        *shared_options.JSON_LINES_OPTIONS,
    ),
)
def run(options: Namespace, console: Console) -> int:
    """Each reply of the hook: when, to which client, session and sub-agent, and how much of the
    window was left. Then whether it was the full block, and why; which domains took part, and why;
    and what was cut. Domains that are always on are shown once, and again when they change. The
    last column shows whether the client's transcript has the reply. The latest is last. The id
    before each is that of its block: --block prints it byte for byte; the first 8 characters of the
    id are enough.

    The audit log is another one, of all trees of this user, which [audit] enabled = true or a
    policy switches on. Each of its lines has the hash of the line before it. --export and --verify
    are about that; with --export, --since counts.

    Examples:

    # What did the agent get last?
    $ synapse log -n 1

    # The block itself, as it was sent
    $ synapse log --block last

    # When was this rule injected, or cut?
    $ synapse log --rule GLOBAL_RULE_3 --since 2d

    # Watch while an agent works
    $ synapse log --session current --follow

    # What did yesterday's blocks cost?
    $ synapse log --since 1d -n 0 --json | jq -s 'map(.tokens) | add'
    """
    if options.verify or options.export or options.otlp:
        return _run_audit(options, console)
    root = shared_options.root_of(options)
    client_options.check_client(options.client)
    if options.number < 0:
        raise UserError("-n takes a number that is not negative.", "Write -n 0 for all.")
    wanted = injection_report.ReplyFilter(
        session=_resolve_session(root, options.session),
        client=options.client,
        agent=options.agent,
        since=options.since,
        rule=options.rule,
    )
    if options.guard:
        if options.block or options.follow or options.rule:
            raise UserError(
                "--guard goes with --session, --client, --agent, --since and -n only.",
                "Leave the others out.",
            )
        _print_verdicts(root, wanted, options, console)
        return 0
    if options.block:
        if options.follow:
            raise UserError("--block and --follow exclude each other.", "Leave one of them out.")
        console.write(_block_text(root, options.block, wanted))
        return 0
    if options.format == "json-lines":
        tell = partial(_print_json, load_plan(root).with_all_files().plan, console)
    else:
        tell = partial(_print_text, options.rule, {}, console)
    records = list(injection_log.read_replies(root))
    selected = list(islice(filter(wanted, records), options.number or None))
    if options.rule and not selected:
        _check_rule(root, options.rule, records)
    for record in reversed(selected):
        tell(record)
    if options.follow:
        _follow_log(root, wanted, tell, console, records[0] if records else None)
    elif options.format == "text":
        if selected:
            console.note("`synapse why RULE --session ID` says why a rule was not injected.")
        elif wanted == injection_report.ReplyFilter():
            console.line("No agent got anything yet: the hook writes a line for each prompt.")
        else:
            console.line("No agent got anything of that kind.")
    return 0


def _print_verdicts(
    root: str, wanted: injection_report.ReplyFilter, options: Namespace, console: Console
) -> None:
    """Print the verdicts of the guard, the oldest first."""
    verdicts = (r for r in injection_log.read_records(root, "verdicts") if wanted.matches_origin(r))
    selected_verdicts = list(islice(verdicts, options.number or None))
    for verdict in reversed(selected_verdicts):
        if options.format == "json-lines":
            console.json({k: v for k, v in verdict.items() if k != "v"}, None)
            continue
        agent = f"@{verdict['agent']}" if verdict["agent"] else "no active agent"
        where = (verdict["client"], verdict["session"][:_MAX_ID_LENGTH], agent)
        console.line(*reply_heading(verdict, verdict["decision"], *where))
        rule = verdict["rule"] or "the guard's own rule"
        ask = f", for @{verdict['delegate']}" if verdict["delegate"] else ""
        effect = "" if verdict["mode"] == ENFORCE else " (a warning: the tool was used)"
        console.line("  ", f"{rule}: {verdict['pattern']}{ask}{effect}")
    if not selected_verdicts and options.format == "text":
        console.line("The guard has said nothing yet.")
