"""``synapse doctor`` and ``diagnose``: call the hook as clients do, and say what is wrong."""

import re
from argparse import ArgumentTypeError, Namespace
from collections.abc import Iterator

from synapse_ls.cli import client_options, shared_options, tree_options
from synapse_ls.cli.command_table import command, option, option_group
from synapse_ls.cli.console import Console, Part, Styled
from synapse_ls.edits.config_edits import LIVE_PROFILE
from synapse_ls.engine.context_usage import estimate_tokens
from synapse_ls.guard.agent_action import OFF
from synapse_ls.ide.hover_markdown import code_span, escape_posted
from synapse_ls.integrations import hook_registrations, settings_registry
from synapse_ls.integrations.client_settings import HOOK_SERVER_NAME, PROJECT, SCOPES
from synapse_ls.queries.guard_report import describe_guarding, describe_mode
from synapse_ls.setup.diagnosis import Check, Diagnosis, run_diagnosis
from synapse_ls.setup.doctor import client_examination, hook_trial
from synapse_ls.setup.doctor.server_probe import LSP_PROTOCOL
from synapse_ls.text.phrases import format_count

MOST_RUNS = 1000
_SENTENCE_END = re.compile(r"(?<=\.) (?=[A-Z`])")
_VERDICTS = {"fast": "good", "fair": "warn", "slow": "bad"}
_SEVERITIES = {"error": "bad", "warning": "warn"}


def _print_tree(examination: client_examination.DoctorReport, console: Console) -> None:
    python = examination.to_json()["interpreter"]
    tree: list[Part] = [Styled(str(examination.around.root), "title")]
    if not examination.has_tree:
        tree.append(Styled(" has no tree", "bad"))
    elif examination.trusted:
        tree.append(" (trusted)")
    console.line(Styled("tree      ", "dim"), *tree)
    started = f"{python['path']} {python['version']}, starts in {examination.start:.1f} ms"
    console.line(Styled("python    ", "dim"), started)
    if examination.asleep:
        remedy = f"`synapse profile use {LIVE_PROFILE}` activates them."
        _print_sentences("inactive", f"{examination.asleep}. {remedy}", console)
    if examination.late:
        _print_sentences("deferred", examination.late, console)


def _print_sentences(label: str, text: str, console: Console) -> None:
    """Print a row with a sentence on each line."""
    for number, sentence in enumerate(_SENTENCE_END.split(text)):
        console.line(Styled(f"{'' if number else label:<10}", "dim"), sentence)


def _client_rows(
    client: client_examination.ClientExamination, examination: client_examination.DoctorReport
) -> Iterator[tuple[str, list[Part]]]:
    for scope in dict.fromkeys(r.scope for r in client.registrations):
        here = [r for r in client.registrations if r.scope == scope]
        file = Styled(f"{here[0].name}:{min(r.line for r in here)}", "name")
        yield scope, [file, f", {format_count(len(here), 'event')}"]
        for canary in client.canaries:
            if canary.scope == scope:
                yield "", list(_canary_parts(canary, reads_all=client.reads_all))
                for cost in client.later_costs:
                    yield "", [f"beside that, {cost}"]
    if client.seen is not None:
        arrived = Styled("a block reached the model", "good")
        yield "seen", [arrived, f": {client.seen.place} shows that of {client.seen.time}"]
    for registration in client.registrations:
        if registration.state == hook_registrations.UNKNOWN:
            where = Styled(f"{registration.name}:{registration.line}", "name")
            yield "", [where, Styled(" not checked", "warn"), f": {registration.command}"]
    if guard_text := _guard_text(client, examination):
        none = "; this tree has no boundary that it could keep"
        yield "guard", [guard_text, "" if examination.has_boundaries else none]
    if (latency := client.latency) is not None:
        verdict = Styled(latency.verdict, _VERDICTS[latency.verdict])
        yield (
            "latency",
            [
                verdict,
                f": the fastest of {format_count(latency.runs, 'call')} took "
                f"{_compare_start(latency)}",
                f"; with what else runs here, {latency.median:.1f} ms in the median, "
                f"{latency.worst:.1f} the slowest",
            ],
        )
    if (command := client.command_latency) is not None:
        yield "", ["as a command, the fastest took ", _compare_start(command)]
    if client.calls_tool and client.client.asks_for_servers:
        yield (
            "declined",
            [
                f"whoever declines {HOOK_SERVER_NAME} in {client.client.title} gets no rules, "
                "prompts go on, and each shows that the hook failed"
            ],
        )
    if client.calls_tool and not client.client.restarts_servers:
        yield (
            "killed",
            [
                f"{client.client.title} does not start {HOOK_SERVER_NAME} again within a session: "
                "where it was killed, that session's prompts go on without the rules"
            ],
        )
    for server in client.servers:
        row_place = Styled(f"{server.name}:{server.line}", "name")
        if server.state == hook_registrations.UNKNOWN:
            line = " ".join(server.command)
            yield server.protocol.name, [row_place, Styled(" not checked", "warn"), f": {line}"]
            continue
        answer_part: Part = Styled("does not answer", "bad") if server.error else "answers"
        yield server.protocol.name, [row_place, ", the server ", answer_part]
    if client.client.language_servers is not None and not any(
        s.protocol is LSP_PROTOCOL for s in client.servers
    ):
        install = f"synapse install {LSP_PROTOCOL.option} --client {client.client.name}"
        yield LSP_PROTOCOL.name, [Styled("not registered", "dim"), f": `{install}`"]
    for rival in client.rivals:
        yield "beside", [Styled(f"{rival.name}:{rival.line}", "name"), f" runs {rival.command}"]


def _guard_text(
    client: client_examination.ClientExamination, examination: client_examination.DoctorReport
) -> str:
    """Return what the guard does where this client calls the hook, "" where nothing can be said."""
    mode, named = examination.guard_mode, client.client
    if any(r.event in named.tool_events for r in client.registrations):
        answers = not any(canary.error for canary in client.canaries)
        if client.guarded_scopes and answers and not client.obstacles:
            return f"{describe_mode(mode)}; a harmless tool passed the test"
        return ""
    if mode == OFF or not client.registrations or not examination.has_tree:
        return ""
    lost = f"not asked, so no agent is {describe_guarding(mode)}"
    if not named.tool_events:
        return f"{lost}: {named.title} cannot ask it"
    scope = client.registrations[0].scope
    option = "" if scope == PROJECT else f" --scope {scope}"
    return f"{lost}: `synapse install --client {named.name}{option} --guard` has it asked"


def _compare_start(latency: hook_trial.HookLatency) -> str:
    """Return the time of the fastest call, the fastest start of an interpreter beside the calls,
    and how many of these go into that; less than one is told more exactly.
    """
    ratio = latency.start_ratio
    times = f"{ratio:.{1 if ratio >= 1 else 2}f} × a bare interpreter"
    return f"{latency.fastest:.1f} ms, {times} ({latency.start:.1f} ms)"


def _canary_parts(canary: hook_trial.CanaryReply, *, reads_all: bool) -> Iterator[Part]:
    text, limit, error = canary.text, canary.limit, canary.error
    if reads_all and canary.is_silent:
        yield Styled("the hook answers", "good")
        yield ": with a prompt nothing, as the client reads its rules by itself"
        return
    if not text:
        yield Styled("the hook injects nothing", "bad")
        yield f": {error}" if error else ""
        return
    yield Styled("the hook answers", "good")
    yield f": {format_count(estimate_tokens(text), 'token')}, {len(text):,} of {limit:,} characters"


def _print_troubles(examination: client_examination.DoctorReport, console: Console) -> None:
    console.line()
    if not examination.troubles:
        kinds = ["inactive"] * bool(examination.asleep) + ["deferred"] * bool(examination.late)
        named = f"The tree has rules that are {' and '.join(kinds)}, as said above."
        console.line(Styled(f"The hook is well. {named}" if kinds else "All is well.", "good"))
        return
    for trouble in examination.troubles:
        style = _SEVERITIES[trouble.severity]
        console.line(Styled(f"{trouble.severity}:", style), f" {trouble.sentence}")
        if trouble.remedy:
            console.line("  ", Styled("remedy:", "good"), f" {trouble.remedy}")


def _parse_runs(value: str) -> int:
    if not value.isdecimal() or int(value) > MOST_RUNS:
        raise ArgumentTypeError(f'takes a number up to {MOST_RUNS}, not "{value}"')
    return int(value)


@command(
    client_options.client_option(default="all"),
    client_options.scope_option(default="all"),
    option(
        "--runs N",
        "how many prompts to time for each client (default: 10)",
        type=_parse_runs,
        default=10,
    ),
    option_group("Output", shared_options.FORMAT_OPTION),
)
def run(options: Namespace, console: Console) -> int:
    """Looks at the settings of each client and then calls every registered hook as the client
    would. A prompt goes in, and what comes back is what the model would get now. The prompt belongs
    to no session, so nothing of it is kept. Ten more are timed. That the hook answers does not show
    that the client calls it. "a block reached the model" is printed only where the client's
    transcript, or VS Code's file of the chat, shows one.

    The doctor runs nothing that it reads in settings. It compares each line with what
    `synapse install` writes. If a shared line is the same, the doctor runs its own copy of it in a
    shell. As for the client, `synapse-ls` comes from the search path, but never from inside the
    project. For a line that names an interpreter, or that an earlier version wrote, it runs a line
    of its own. Any other line is shown as "not checked". Servers are treated likewise.

    It also finds settings that the client cannot read, registrations that are old, doubled or call
    what is not there, and other hooks on the same prompt. And it finds what switches hooks off in
    the client: settings, untrusted folders, hooks and servers that nobody has approved, and a
    version that is too old. The exit code is 1 where there is an error: something keeps rules from
    the model, has other settings hold, or blocks tools. All else is a warning.

    Examples:

    # Does the hook answer each client?
    $ synapse doctor

    # One client, without timing
    $ synapse doctor --client claude --runs 0

    # What would Cursor's model get now?
    $ synapse doctor --client cursor --format json | jq -r '.clients[0].canary.text'
    """
    around = client_options.find_surroundings(options)
    named = client_options.selected_clients(options)
    scopes = (options.scope,) if options.scope else SCOPES
    console.show_progress("calling the hooks …")
    examination = client_examination.examine_clients(
        around, named or list(settings_registry.CLIENTS.values()), scopes, options.runs
    )
    console.show_progress("")
    code = 0 if examination.is_ok else 1
    if options.format == "json":
        console.json(examination.to_json())
        return code
    _print_tree(examination, console)
    served = any(patient.registrations or patient.servers for patient in examination.examinations)
    signs: list[str] = []
    unused: list[str] = []
    for patient in examination.examinations:
        if patient.registrations or patient.servers or named or (patient.sign and not served):
            title = patient.client.title
            console.line()
            if not (patient.registrations or patient.servers):
                why = f" ({patient.sign})" if patient.sign else ""
                command = client_examination.install_command(patient.client, examination.around)
                console.line(Styled(title, "title"), f"  not registered{why}: `{command}`")
                continue
            console.line(Styled(title, "title"))
            for label, parts in _client_rows(patient, examination):
                console.line("  ", Styled(f"{label:<9}", "dim"), *parts)
        elif patient.sign:
            signs.append(f"{patient.client.title} ({patient.sign})")
        else:
            unused.append(patient.client.title)
    if signs or unused:
        console.line()
    if signs:
        console.line(Styled(f"Seen here, without the hook: {', '.join(signs)}", "dim"))
    if unused:
        console.line(Styled(f"Not in use here: {', '.join(unused)}", "dim"))
    _print_troubles(examination, console)
    return code


_MARKS = {
    "ok": Styled("✓", "good"),
    "info": Styled("·", "dim"),
    "unknown": Styled("?", "dim"),
    "warning": Styled("!", "warn"),
    "error": Styled("✗", "bad"),
}


STATUS_MARKS = {"ok": "✅", "unknown": "?", "warning": "⚠️", "error": "❌"}


def render_markdown(diagnosis: Diagnosis) -> str:
    """Render the whole report of a diagnosis as Markdown, what is wrong first."""
    lines = ["# Diagnosis", "", "## What to do", ""]
    if not diagnosis.gaps:
        lines.append("Nothing is wrong.")
    for number, (section, check) in enumerate(diagnosis.gaps, 1):
        remedy = f" **{escape_posted(check.remedy)}**" if check.remedy else ""
        mark, text = f"{STATUS_MARKS[check.status]} ", _check_text(check)
        lines.append(f"{number}. {mark}{section.title}: {text}.{remedy}")
    for section in diagnosis.sections:
        lines += ("", f"## {section.title}", "")
        for check in section.checks:
            # What is neither well nor ill has no mark.
            mark = f"{STATUS_MARKS[check.status]} " if check.status in STATUS_MARKS else ""
            lines.append(f"- {mark}{_check_text(check)}")
    return "\n".join(lines) + "\n"


def _check_text(check: Check) -> str:
    return escape_posted(check.sentence) + (f" ({code_span(check.place)})" if check.place else "")


@command(
    tree_options.situation_options(),
    option(
        "--runs N",
        "how many prompts to time for each client that calls the hook (default: 3)",
        type=_parse_runs,
        default=3,
    ),
    option_group("Output", *shared_options.format_options(("text", "markdown", "json"))),
)
def run_diagnose(options: Namespace, console: Console) -> int:
    """One report on everything: the hooks of all clients as they would call them, the session, the
    linter's findings, and each layer for the next prompt. It also shows who enforces each article
    and boundary, times, what reached the model, memories, and what the task waits for. The gaps
    come last, with their remedies.

    What cannot be known from here is marked with "?", and is neither good nor bad. It exits with 1
    if something is an error.

    Examples:

    # Is everything in place?
    $ synapse diagnose

    # About the session that is going on
    $ synapse diagnose --session current

    # For an issue
    $ synapse diagnose --format markdown > diagnosis.md
    """
    question = tree_options.question_of(options)
    console.show_progress("looking at everything …")
    diagnosis = run_diagnosis(question, runs=options.runs)
    console.show_progress("")
    if options.format == "json":
        console.json(diagnosis.report())
    elif options.format == "markdown":
        console.write(render_markdown(diagnosis))
    else:
        for section in diagnosis.sections:
            console.line(_MARKS[section.status], " ", Styled(section.title, "title"))
            for check in section.checks:
                place = f" ({check.place})" if check.place else ""
                console.line("  ", _MARKS[check.status], f" {check.sentence}", Styled(place, "dim"))
            console.line()
        gaps = f"{format_count(len(diagnosis.gaps), 'gap')}, the worst first"
        console.line(
            Styled(gaps, "title") if diagnosis.gaps else Styled("Nothing is wrong.", "good")
        )
        for number, (section, check) in enumerate(diagnosis.gaps, 1):
            console.line(f"  {number}. ", Styled(f"{section.title}: ", "dim"), check.sentence)
            if check.remedy:
                console.line("     ", Styled(check.remedy, "name"))
    return 0 if diagnosis.ok else 1
