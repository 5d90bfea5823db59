"""Examination of every agent client in every scope for `synapse doctor`, and its report."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from shutil import copy2
from tempfile import TemporaryDirectory
from typing import Any

from synapse_ls.engine.plan_compiler import compile_plan
from synapse_ls.guard.agent_action import WARN
from synapse_ls.integrations import hook_registrations
from synapse_ls.integrations.client_settings import PROJECT, USER, Client, Surroundings, Trouble
from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.integrations.settings_syntax import find_left_out
from synapse_ls.lint.rules.brackets_and_budgets.budget_overflow import describe_overflow
from synapse_ls.setup.doctor import hook_trial, registration_checks, server_probe, tree_checks
from synapse_ls.setup.init.adoption_plan import describe_later_costs, injected_tokens
from synapse_ls.setup.install import hook_installation, installed_clients
from synapse_ls.storage import plan_cache, trusted_trees
from synapse_ls.storage.policy_gate import read_gate
from synapse_ls.storage.tree_compilation import CompilationResult
from synapse_ls.workspace.tree_search_upward import search_tree


@dataclass(frozen=True, slots=True)
class ClientExamination:
    """What doctor found out about one client. sign: what shows that it is in use, "" for nothing.
    current_scopes: those in which it is registered as it would be now. guarded_scopes: those in
    which the hook is asked before a tool is used; obstacles: where it stands in the way of a
    harmless one, and how. servers: where the MCP server and the language server are registered.
    seen: the last block that the client's own files show, None for none. command_latency: what a
    command would take where the client calls our tool, None elsewhere. reads_all: whether the hook
    injects nothing with a prompt because the client reads all that the tree has for it by itself;
    later_costs: what it injects all the same, as sentences.
    """

    client: Client
    sign: str
    registrations: tuple[hook_registrations.Registration, ...]
    current_scopes: frozenset[str]
    canaries: tuple[hook_trial.CanaryReply, ...]
    guarded_scopes: tuple[str, ...]
    obstacles: tuple[tuple[hook_registrations.Registration, str], ...]
    latency: hook_trial.HookLatency | None
    rivals: tuple[registration_checks.RivalHook, ...]
    servers: tuple[server_probe.ProbedServer, ...] = ()
    seen: tree_checks.SeenDelivery | None = None
    command_latency: hook_trial.HookLatency | None = None
    reads_all: bool = False
    later_costs: tuple[str, ...] = ()

    @property
    def calls_tool(self) -> bool:
        """Whether the client calls the tool of our hook server for any event."""
        return any(r.calls_tool for r in self.registrations)

    def to_json(self) -> dict[str, Any]:
        """Return the examination as data for JSON."""
        events = {r.event for r in self.registrations}
        canaries = [canary.to_json() for canary in self.canaries]
        effect = "runs beside ours" if self.client.hears_all_hooks else "its text may replace ours"
        return {
            "client": self.client.name,
            "detected": bool(self.sign),
            "because": self.sign,
            "registrations": [
                {
                    "scope": r.scope,
                    "file": str(r.file),
                    "path": r.name,
                    "line": r.line,
                    "event": r.event,
                    "command": r.command,
                    "via": hook_installation.SERVER if r.calls_tool else hook_installation.COMMAND,
                    "current": r.scope in self.current_scopes,
                    "state": r.state,
                }
                for r in self.registrations
            ],
            "missing_events": [e for e in self.client.events if events and e not in events],
            "canary": canaries[0] if canaries else None,
            "canaries": canaries,
            "reads_all": self.reads_all,
            "reached": asdict(self.seen) if self.seen is not None else None,
            "guard": [
                {"scope": scope, "ok": scope not in {r.scope for r, _ in self.obstacles}}
                for scope in self.guarded_scopes
            ],
            "latency": self.latency.to_json() if self.latency is not None else None,
            "command_latency": self.command_latency.to_json() if self.command_latency else None,
            "servers": [greeted.to_json() for greeted in self.servers],
            "rivals": [{**rival.to_json(), "effect": effect} for rival in self.rivals],
        }


@dataclass(frozen=True, slots=True)
class DoctorReport:
    """The report on the examination of all clients. start: milliseconds that a bare interpreter
    takes. asleep: which triggers of the tree are not heard while the window is fresh, "" for none.
    late: which rules do not fit into a first block, "" for none. has_boundaries: whether the tree
    says anything that the guard could hold an agent to. guard_mode: how strictly the hook holds it
    to that, as it knows the configuration.
    """

    around: Surroundings
    has_tree: bool
    trusted: bool
    start: float
    examinations: tuple[ClientExamination, ...]
    troubles: tuple[Trouble, ...] = ()
    asleep: str = ""
    late: str = ""
    has_boundaries: bool = False
    guard_mode: str = WARN

    @property
    def is_ok(self) -> bool:
        """Whether no trouble is an error."""
        return all(trouble.severity != "error" for trouble in self.troubles)

    def to_json(self) -> dict[str, Any]:
        """Return the report as data for JSON."""
        missing, writable = tree_checks.missing_bytecode()
        return {
            "root": str(self.around.root),
            "tree": self.has_tree,
            "trusted": self.trusted,
            "ok": self.is_ok,
            "asleep": self.asleep,
            "late": self.late,
            "interpreter": {
                "path": sys.executable,
                "version": ".".join(map(str, sys.version_info[:3])),
                "start_ms": round(self.start, 1),
            },
            "bytecode": {"missing": missing, "writable": writable},
            "clients": [patient.to_json() for patient in self.examinations],
            "troubles": [
                {key: value for key, value in asdict(trouble).items() if key != "scope"}
                for trouble in self.troubles
            ],
        }


def examine_clients(
    around: Surroundings, clients: Iterable[Client], scopes: Iterable[str], runs: int
) -> DoctorReport:
    """Examine ``clients`` in ``scopes``; ``runs`` prompts are timed."""
    wanted = tuple(scopes)
    root = str(around.root)
    signs = installed_clients.detect_clients(around)
    start = hook_trial.interpreter_start(max(runs, 3))
    registered = {
        client.name: [
            r for r in hook_registrations.find_registrations(around, client) if r.scope in wanted
        ]
        for client in CLIENTS.values()
    }
    troubles: list[Trouble] = list(tree_checks.damaged_file_troubles(root))
    has_tree = search_tree(root).root == root
    delivered = tree_checks.read_delivered_tree(root) if has_tree else None
    asleep = tree_checks.sleeping_triggers(delivered) if delivered else ""
    # A hook that is silent about a changed tree does what it should, and that is said.
    speaks = has_tree and not trusted_trees.find_changes(root)
    trusted = trusted_trees.is_trusted(root)
    patients: list[ClientExamination] = []
    troubles += tree_checks.tree_troubles(around, delivered, asleep)
    audits = delivered is not None and delivered.plan.settings["audit"]
    troubles += tree_checks.storage_troubles(around, audits=audits)
    for client in clients:
        ours = registered[client.name]
        because = signs.get(client.name, "")
        patient = _examine_client(client, because, ours, around, wanted, runs)
        if delivered and speaks:
            patient = _explain_silence(patient, delivered, root, trusted=trusted)
        patients.append(patient)
        if because or ours:
            troubles += registration_checks.settings_troubles(client, around)
        if ours:
            troubles += registration_checks.registration_troubles(client, ours, around)
            weighed = [
                *(
                    replace(trouble, scope=place.scope)
                    for place in client.places
                    for trouble in find_left_out(client, client.path_of(place, around), around)
                ),
                *client.find_troubles(client, around),
                *(
                    trouble
                    for scope in dict.fromkeys(r.scope for r in ours if r.calls_tool)
                    for trouble in installed_clients.version_troubles(client, scope, around)
                ),
                *_answer_troubles(patients[-1], around, speaks=speaks, trusted=trusted),
            ]
            # What stops one scope is no error where the block comes through another.
            stopped = {trouble.scope for trouble in weighed}
            works = any(c.is_ok and c.scope not in stopped for c in patients[-1].canaries)
            troubles += (
                replace(t, severity="warning") if works and t.scope else t for t in weighed
            )
            if delivered is not None:
                troubles += tree_checks.repeated_files(around, delivered, client.name)
        troubles += server_probe.server_troubles(client, patients[-1].servers)
    registrations = [r for patient in patients for r in patient.registrations]
    troubles += registration_checks.program_troubles(registrations, around)
    if not registrations:
        troubles += _unregistered_troubles(patients, around)
    troubles += registration_checks.vscode_troubles(registered, around)
    troubles += tree_checks.bytecode_troubles()
    late = describe_overflow(delivered.tree) if delivered else ""
    if delivered and (whole := tree_checks.describe_whole_block(delivered)):
        late += f" {whole[0].upper()}{whole[1:]}."
    return DoctorReport(
        around,
        has_tree,
        trusted,
        start,
        tuple(patients),
        tuple(troubles),
        asleep=asleep,
        late=late,
        has_boundaries=delivered is not None and bool(delivered.plan.boundaries),
        guard_mode=delivered.plan.settings["guard"] if delivered is not None else WARN,
    )


def _unregistered_troubles(
    listed: Sequence[ClientExamination], around: Surroundings
) -> Iterator[Trouble]:
    """Yield that no client calls the hook, and which other engine is there already."""
    replaced: list[str] = []
    for patient in listed:
        own = _own_rivals(patient.client, around)
        replaced += [patient.client.name] * any(rival.engine for rival in own)
        yield from registration_checks.engine_troubles(patient.client, own, beside_ours=False)
    is_any = len(listed) == len(CLIENTS)
    verb = "do" if len(listed) > 1 else "does"
    titles = ", ".join(patient.client.title for patient in listed)
    sentence = "no client calls the hook" if is_any else f"{titles} {verb} not call the hook"
    if is_any and not replaced and any(patient.sign for patient in listed):
        remedy = "Run `synapse install`."
    else:
        names = replaced or [patient.client.name for patient in listed]
        several = f", with one of {', '.join(names)}" if len(names) > 1 else ""
        name = "NAME" if several else f"{names[0]}{CLIENTS[names[0]].scope_option}"
        option = " --replace" if replaced else ""
        remedy = f"Run `synapse install --client {name}{option}`{several}."
    yield Trouble("not-registered", "error", "", sentence, remedy)


def _own_rivals(client: Client, around: Surroundings) -> list[registration_checks.RivalHook]:
    """Return the hooks of others in the client's own files; clients read files of others, too."""
    return [
        rival
        for rival in registration_checks.find_live_rivals(client, around)
        if rival.client == client.name
    ]


def install_command(client: Client, around: Surroundings) -> str:
    """Return what the doctor's examination recommends for a client that does not call the hook: the
    command that registers it, in the place of another engine where that is there.
    """
    option = " --replace" if any(rival.engine for rival in _own_rivals(client, around)) else ""
    return f"synapse install --client {client.name}{client.scope_option}{option}"


def _examine_client(
    client: Client,
    because: str,
    ours: list[hook_registrations.Registration],
    around: Surroundings,
    wanted: tuple[str, ...],
    runs: int,
) -> ClientExamination:
    canaries: list[hook_trial.CanaryReply] = []
    latency = command_latency = None
    checked = [r for r in ours if r.state != hook_registrations.UNKNOWN]
    if prompts := {r.scope: r for r in checked if r.event == client.prompt}:
        with TemporaryDirectory(prefix="synapse-doctor-") as cache:
            with suppress(OSError):  # there is no plan before the first prompt
                copy2(plan_cache.plan_file(str(around.root)), cache)
            canaries = [
                hook_trial.unsent_reply(r, missing.reason)
                if (missing := _missing_callee(client, r, around))
                else hook_trial.send_until_read(client, r, around, cache)
                for r in prompts.values()
            ]
            answered = [c.scope for c in canaries if not c.error]
            if runs and answered:
                prompt, trial = prompts[answered[0]], (around, cache, runs)
                latency = hook_trial.measure_latency(client, prompt, *trial)
                if prompt.calls_tool:
                    command = replace(prompt, calls_tool=False)
                    command_latency = hook_trial.measure_latency(client, command, *trial)
    failed = {canary.scope for canary in canaries if canary.error}
    guards = {
        r.scope: r for r in checked if r.event in client.tool_events[:1] and r.scope not in failed
    }
    obstacles: list[tuple[hook_registrations.Registration, str]] = []
    if guards:
        with TemporaryDirectory(prefix="synapse-doctor-") as cache:
            obstacles = [
                (place, obstacle)
                for place in guards.values()
                if (obstacle := hook_trial.tool_obstacle(client, place, around, cache))
            ]
    return ClientExamination(
        client,
        because,
        tuple(ours),
        registration_checks.current_scopes(client, ours, around),
        tuple(canaries),
        tuple(guards),
        tuple(obstacles),
        latency,
        tuple(registration_checks.find_live_rivals(client, around)) if ours else (),
        tuple(server_probe.probe_servers(client, around, wanted)),
        tree_checks.find_seen_delivery(around, client.name) if ours else None,
        command_latency,
    )


def _missing_callee(
    client: Client, registration: hook_registrations.Registration, around: Surroundings
) -> hook_registrations.MissingProgram | None:
    """Return why what a line of ours calls is not there, or why it cannot be said that the client
    reaches our hook server: its entry is none that we know. None where all is well.
    """
    if not registration.calls_tool:
        return hook_registrations.missing_program(registration, around)
    server = hook_registrations.registered_hook_server(client, registration.scope, around)
    if server is None or server.entry is None or server.state != hook_registrations.UNKNOWN:
        return hook_registrations.missing_hook_server(client, registration.scope, around)
    name = server.file_name
    return hook_registrations.MissingProgram(
        f"the server {server.servers.name} in {name} is not one that `synapse install` writes",
        hook_registrations.edited_server_remedy(server.servers, server.entry, name, server.again),
    )


def _explain_silence(
    patient: ClientExamination, delivered: CompilationResult, root: str, *, trusted: bool
) -> ClientExamination:
    """Return the examination with what the client reads by itself, where the hook is silent for
    that reason.
    """
    name = patient.client.name
    may_speak = [c for c in patient.canaries if trusted or c.scope != USER]
    if not any(canary.is_silent for canary in may_speak) or not read_gate().serves(name):
        return patient
    plan = compile_plan(delivered.tree, root)
    reads_some = any(domain.is_native_in(name) for domain in plan.domains())
    if not reads_some or injected_tokens(plan, name):
        return patient
    return replace(patient, reads_all=True, later_costs=tuple(describe_later_costs(plan, name, 0)))


def _answer_troubles(
    patient: ClientExamination, around: Surroundings, *, speaks: bool, trusted: bool
) -> Iterator[Trouble]:
    """Yield what is wrong with what came back from the hook, and with how long it took."""
    name, title = patient.client.name, patient.client.title
    prompts = {
        r.scope: r
        for r in patient.registrations
        if r.event == patient.client.prompt and r.state != hook_registrations.UNKNOWN
    }
    gate = read_gate()
    for canary in patient.canaries:
        place = prompts[canary.scope]
        where = (place.name, place.line, place.scope)
        if canary.is_ok or not speaks:
            continue
        if canary.scope == USER and not trusted and not canary.error:
            sentence = f"the hook in {place.name} injects nothing in {title}, as this tree is not "
            remedy = "Run `synapse trust`."
            yield Trouble("untrusted-tree", "error", name, f"{sentence}trusted", remedy, scope=USER)
            continue
        if not gate.serves(name):
            sentence = (
                f"the hook in {place.name} injects nothing in {title}, as the policy {gate.title} "
                "does not list this client"
            )
            remedy = f"Run `synapse uninstall --client {name} --scope {canary.scope}`."
            yield Trouble("forbidden-client", "warning", name, sentence, remedy, *where)
            continue
        if canary.is_silent and patient.reads_all:
            continue
        program = (
            hook_registrations.shared_program(around)[0] if place.scope == PROJECT else "synapse"
        )
        if missing := _missing_callee(patient.client, place, around):
            remedy = missing.remedy
        elif place.calls_tool:
            remedy = f"Run `{program} hook-server --client {name}` by hand, and see what it says."
        else:
            remedy = f"Run `{program} hook` by hand, with {{}} on standard input."
        why = canary.error or canary.log_line or "it has nothing to say"
        sentence = f"the hook in {place.name} gave no block: {why}"
        yield Trouble("silent-hook", "error", name, sentence, remedy, *where)
    for canary in patient.canaries:
        if canary.limit and len(canary.text) > canary.limit:
            sentence = f"{title} passes {canary.limit:,} characters on, and the block has more"
            yield Trouble("over-limit", "error", name, sentence, "Report this; it must not happen.")
    for place, obstacle in patient.obstacles:
        clause = f"asked about a harmless command, the hook in {place.name} does not let it pass"
        sentence = f"{clause}: {obstacle}"
        remedy = f"Run `synapse install --client {name} --scope {place.scope}`."
        yield Trouble("guard-in-the-way", "error", name, sentence, remedy, place.name, place.line)
    if patient.latency is not None and patient.latency.verdict == "slow":
        sentence = (
            f"{title} waits {patient.latency.fastest:.0f} ms for a prompt at least, "
            f"{patient.latency.start_ratio:.0f} times what a bare interpreter takes"
        )
        remedy = "Register with `--scope local` or `--scope user`: these name the interpreter."
        yield Trouble("slow-hook", "warning", name, sentence, remedy)
    yield from registration_checks.rival_troubles(patient.client, patient.rivals)
