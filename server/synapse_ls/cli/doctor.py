"""``synapse doctor``: call the hook as clients do, and say what is wrong."""

from __future__ import annotations

from argparse import ArgumentTypeError
from typing import TYPE_CHECKING

from synapse_ls.cli.clients import add_client, add_scope, named_clients, surroundings
from synapse_ls.cli.commands import Command
from synapse_ls.cli.console import Part, Styled
from synapse_ls.cli.options import add_format
from synapse_ls.engine.tokens import estimate
from synapse_ls.manage.clients.client import SCOPES
from synapse_ls.manage.clients.registry import CLIENTS
from synapse_ls.manage.doctor.examine import examine
from synapse_ls.manage.doctor.servers import LSP
from synapse_ls.text.counted import counted

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator

    from synapse_ls.cli.console import Console
    from synapse_ls.cli.parser import Parser
    from synapse_ls.manage.doctor.examine import Findings, Patient

MOST_RUNS = 1000
_VERDICTS = {"fast": "good", "fair": "warn", "slow": "bad"}
_SEVERITIES = {"error": "bad", "warning": "warn"}


def _arguments(parser: Parser) -> None:
    add_client(parser, everyone="all")
    add_scope(parser, default="all")
    parser.add_argument(
        "--runs",
        metavar="N",
        type=_runs,
        default=10,
        help="how many prompts to time for each client (default: 10)",
    )
    add_format(parser.add_argument_group("Output"))


def _run(options: Namespace, console: Console) -> int:
    around = surroundings(options)
    named = named_clients(options)
    scopes = (options.scope,) if options.scope else SCOPES
    console.passing("calling the hooks …")
    found = examine(around, named or list(CLIENTS.values()), scopes, options.runs)
    console.passing("")
    console.verdict = 0 if found.ok else 1
    if options.format == "json":
        console.json(found.report())
        return console.verdict
    _show_place(found, console)
    unused = []
    for patient in found.patients:
        if patient.registrations or patient.servers or patient.because or named:
            _show(patient, console)
        else:
            unused.append(patient.client.title)
    if unused:
        console.line()
        console.line(Styled(f"Not in use here: {', '.join(unused)}", "dim"))
    _show_troubles(found, console)
    return console.verdict


def _show_place(found: Findings, console: Console) -> None:
    python = found.report()["interpreter"]
    tree: list[Part] = [Styled(str(found.around.root), "title")]
    if not found.has_tree:
        tree.append(Styled(" has no tree", "bad"))
    elif found.trusted:
        tree.append(" (trusted)")
    console.line(Styled("tree    ", "dim"), *tree)
    started = f"{python['path']} {python['version']}, starts in {found.start:.1f} ms"
    console.line(Styled("python  ", "dim"), started)


def _show(patient: Patient, console: Console) -> None:
    title = patient.client.title
    console.line()
    if not (patient.registrations or patient.servers):
        why = f" ({patient.because})" if patient.because else ""
        command = f"synapse install --client {patient.client.name}"
        console.line(Styled(title, "title"), f"  not registered{why}: `{command}`")
        return
    console.line(Styled(title, "title"))
    for label, parts in _rows(patient):
        console.line("  ", Styled(f"{label:<9}", "dim"), *parts)


def _rows(patient: Patient) -> Iterator[tuple[str, list[Part]]]:
    by_scope: dict[str, list[int]] = {}
    for registration in patient.registrations:
        by_scope.setdefault(registration.scope, []).append(registration.line)
    for scope, lines in by_scope.items():
        name = next(r.name for r in patient.registrations if r.scope == scope)
        yield scope, [Styled(f"{name}:{min(lines)}", "name"), f", {counted(len(lines), 'event')}"]
        for canary in patient.canaries:
            if canary.scope == scope:
                yield "", list(_canary(canary.text, canary.limit, canary.error))
    if patient.guarded and not patient.obstacles:
        yield "guard", ["is asked before a tool is used, and lets a harmless one pass"]
    latency = patient.latency
    if latency is not None:
        yield (
            "latency",
            [
                f"{latency.median:.1f} ms, at worst {latency.worst:.1f} of {latency.runs}: ",
                f"{latency.times:.1f} × a bare interpreter, ",
                Styled(latency.verdict, _VERDICTS[latency.verdict]),
            ],
        )
    for server in patient.servers:
        place = Styled(f"{server.name}:{server.line}", "name")
        told: Part = Styled("does not answer", "bad") if server.error else "answers"
        yield server.protocol.name, [place, ", the server ", told]
    if patient.client.languages is not None and not any(s.protocol is LSP for s in patient.servers):
        install = f"synapse install {LSP.option} --client {patient.client.name}"
        yield LSP.name, [Styled("not registered", "dim"), f": `{install}`"]
    for rival in patient.rivals:
        place = Styled(f"{rival.name}:{rival.line}", "name")
        yield "beside", [place, f" runs {rival.command}"]


def _canary(text: str, limit: int, error: str) -> Iterator[Part]:
    if not text:
        yield Styled("nothing reaches the model", "bad")
        yield f": {error}" if error else ""
        return
    yield Styled("the block reaches the model", "good")
    yield f": {counted(estimate(text), 'token')}, {len(text):,} of {limit:,} characters"


def _show_troubles(found: Findings, console: Console) -> None:
    console.line()
    if not found.troubles:
        console.line(Styled("All is well.", "good"))
        return
    for trouble in found.troubles:
        style = _SEVERITIES[trouble.severity]
        console.line(Styled(f"{trouble.severity}:", style), f" {trouble.sentence}")
        if trouble.remedy:
            console.line("  ", Styled("remedy:", "good"), f" {trouble.remedy}")


def _runs(value: str) -> int:
    if not value.isdecimal() or int(value) > MOST_RUNS:
        raise ArgumentTypeError(f'takes a number up to {MOST_RUNS}, not "{value}"')
    return int(value)


DOCTOR = Command(
    description="""\
Looks at the settings of each client and then calls every hook that is registered, with the command
line that stands there, as the client would: a prompt goes in, and what comes back is what the model
would be told now. The prompt belongs to no session, so nothing of it is kept. Ten more are timed.

It also finds settings that the client cannot read, registrations that are old, doubled or call what
is not there, other hooks on the same prompt, and what switches hooks off in the client: its own
settings, folders it does not trust, hooks that nobody has approved. The exit code is 1 where
something keeps the block from the model.""",
    examples=(
        ("Does the block reach my agents?", "synapse doctor"),
        ("One client, without timing", "synapse doctor --client claude --runs 0"),
        ("What would Cursor's model be told now?", "synapse doctor --client cursor --format json | jq -r '.clients[0].canary.text'"),
    ),
    arguments=_arguments,
    run=_run,
)  # fmt: skip
