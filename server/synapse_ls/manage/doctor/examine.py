"""The whole examination: every client, every scope, and what is wrong."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from tempfile import TemporaryDirectory
from typing import Any

from synapse_ls.manage.clients.client import PROJECT, USER, Client, Surroundings, Trouble
from synapse_ls.manage.clients.detect import detected, is_found
from synapse_ls.manage.clients.registry import CLIENTS
from synapse_ls.manage.clients.settings import Registration, registrations
from synapse_ls.manage.doctor import canary, checks, rivals, servers
from synapse_ls.manage.doctor.canary import Canary, Latency
from synapse_ls.manage.doctor.rivals import Rival
from synapse_ls.manage.doctor.servers import Greeted
from synapse_ls.service import trust
from synapse_ls.workspace.discover import find_root


@dataclass(frozen=True, slots=True)
class Patient:
    """One client. because: what shows that it is in use, "" for nothing. current: the scopes in
    which it is registered as it would be now. guarded: those in which the hook is asked before a tool is
    used; obstacles: where it stands in the way of a harmless one, and how. servers: where the MCP
    server and the language server are registered."""

    client: Client
    because: str
    registrations: tuple[Registration, ...]
    current: frozenset[str]
    canaries: tuple[Canary, ...]
    guarded: tuple[str, ...]
    obstacles: tuple[tuple[Registration, str], ...]
    latency: Latency | None
    rivals: tuple[Rival, ...]
    servers: tuple[Greeted, ...] = ()

    def report(self) -> dict[str, Any]:
        """The client as data."""
        events = {r.event for r in self.registrations}
        canaries = [found.report() for found in self.canaries]
        effect = "runs beside ours" if self.client.joins else "its text may replace ours"
        return {
            "client": self.client.name,
            "detected": bool(self.because),
            "because": self.because,
            "registrations": [
                {
                    "scope": r.scope,
                    "file": str(r.file),
                    "path": r.name,
                    "line": r.line,
                    "event": r.event,
                    "command": r.command,
                    "current": r.scope in self.current,
                }
                for r in self.registrations
            ],
            "missing_events": [e for e in self.client.events if events and e not in events],
            "canary": canaries[0] if canaries else None,
            "canaries": canaries,
            "guard": [
                {"scope": scope, "ok": scope not in {r.scope for r, _ in self.obstacles}}
                for scope in self.guarded
            ],
            "latency": self.latency.report() if self.latency is not None else None,
            "servers": [greeted.report() for greeted in self.servers],
            "rivals": [
                {
                    "file": str(rival.file),
                    "path": rival.name,
                    "line": rival.line,
                    "event": rival.event,
                    "command": rival.command,
                    "effect": effect,
                }
                for rival in self.rivals
            ],
        }


@dataclass(frozen=True, slots=True)
class Findings:
    """The examination. start: milliseconds that a bare interpreter takes."""

    around: Surroundings
    has_tree: bool
    trusted: bool
    start: float
    patients: tuple[Patient, ...]
    troubles: tuple[Trouble, ...] = field(default=())

    @property
    def ok(self) -> bool:
        """Whether no trouble is an error."""
        return all(trouble.severity != "error" for trouble in self.troubles)

    def report(self) -> dict[str, Any]:
        """The examination as data."""
        missing, writable = checks.missing_bytecode()
        return {
            "root": str(self.around.root),
            "tree": self.has_tree,
            "trusted": self.trusted,
            "ok": self.ok,
            "interpreter": {
                "path": sys.executable,
                "version": ".".join(map(str, sys.version_info[:3])),
                "start_ms": round(self.start, 1),
            },
            "bytecode": {"missing": missing, "writable": writable},
            "clients": [patient.report() for patient in self.patients],
            "troubles": [
                {
                    "code": t.code,
                    "severity": t.severity,
                    "client": t.client,
                    "sentence": t.sentence,
                    "remedy": t.remedy,
                    "path": t.path,
                    "line": t.line,
                }
                for t in self.troubles
            ],
        }


def examine(
    around: Surroundings, clients: Iterable[Client], scopes: Iterable[str], runs: int
) -> Findings:
    """Look at ``clients`` in ``scopes``; ``runs`` prompts are timed."""
    wanted = tuple(scopes)
    root = str(around.root)
    seen = detected(around)
    start = canary.interpreter_start(max(runs, 3))
    registered = {
        client.name: [r for r in registrations(around, client) if r.scope in wanted]
        for client in CLIENTS.values()
    }
    has_tree = find_root(root) == root
    trusted = trust.is_trusted(root)
    patients: list[Patient] = []
    troubles: list[Trouble] = []
    if not has_tree:
        said = f"{root} has no tree, so there is nothing to tell"
        troubles.append(Trouble("no-tree", "error", "", said, "Run `synapse init`."))
    troubles += checks.configuration_troubles(around)
    for client in clients:
        ours = registered[client.name]
        because = seen.get(client.name, "")
        patients.append(_patient(client, because, ours, around, wanted, runs))
        if because or ours:
            troubles += checks.settings_troubles(client, around)
        if ours:
            troubles += checks.registration_troubles(client, ours, around)
            troubles += checks.unguarded(client, ours, around)
            found = (
                *client.switches(around),
                *_answers(patients[-1], around, has_tree=has_tree, trusted=trusted),
            )
            troubles += _weighed(found, patients[-1])
        troubles += servers.troubles(client, patients[-1].servers)
    if not any(patient.registrations for patient in patients):
        said = "no client calls the hook"
        troubles.append(Trouble("not-registered", "error", "", said, "Run `synapse install`."))
    troubles += checks.claude_hooks_in_vscode(registered, around)
    troubles += checks.bytecode_troubles()
    return Findings(around, has_tree, trusted, start, tuple(patients), tuple(troubles))


def _patient(
    client: Client,
    because: str,
    ours: list[Registration],
    around: Surroundings,
    wanted: tuple[str, ...],
    runs: int,
) -> Patient:
    canaries: list[Canary] = []
    latency = None
    guards = {r.scope: r for r in ours if r.event in client.before[:1]}
    obstacles: list[tuple[Registration, str]] = []
    prompts = {r.scope: r for r in ours if r.event == client.prompt}
    if prompts:
        with TemporaryDirectory(prefix="synapse-doctor-") as cache:
            canaries = [canary.settled(client, r, around, cache) for r in prompts.values()]
            answered = [c.scope for c in canaries if not c.error]
            if runs and answered:
                latency = canary.time(client, prompts[answered[0]], around, cache, runs)
    if guards:
        with TemporaryDirectory(prefix="synapse-doctor-") as cache:
            obstacles = [
                (place, said)
                for place in guards.values()
                if (said := canary.obstacle(client, place, around, cache))
            ]
    others = tuple(rivals.rivals(client, around)) if ours else ()
    current = checks.current_scopes(client, ours)
    greeted = tuple(servers.greet(client, around, wanted))
    return Patient(
        client,
        because,
        tuple(ours),
        current,
        tuple(canaries),
        tuple(guards),
        tuple(obstacles),
        latency,
        others,
        greeted,
    )


def _weighed(troubles: Iterable[Trouble], patient: Patient) -> Iterator[Trouble]:
    """The troubles; what stops one scope is no error where the block comes through another."""
    found = tuple(troubles)
    stopped = {trouble.scope for trouble in found}
    works = any(c.ok and c.scope not in stopped for c in patient.canaries)
    for trouble in found:
        yield replace(trouble, severity="warning") if works and trouble.scope else trouble


def _nothing(scope: str, around: Surroundings) -> str:
    """Why a hook has nothing to say and does not complain."""
    if scope == PROJECT and not is_found(around):
        return "`synapse` was not found, neither on the search path nor in .venv"
    return "it has nothing to say"


def _answers(
    patient: Patient, around: Surroundings, *, has_tree: bool, trusted: bool
) -> Iterator[Trouble]:
    """What is wrong with what came back, and with how long it took."""
    name, title = patient.client.name, patient.client.title
    prompts = {r.scope: r for r in patient.registrations if r.event == patient.client.prompt}
    for found in patient.canaries:
        place = prompts[found.scope]
        if found.ok or not has_tree:
            continue
        if found.scope == USER and not trusted and not found.error:
            said = f"the hook in {place.name} tells {title} nothing, as this tree is not trusted"
            remedy = "Run `synapse trust`."
            yield Trouble("untrusted-tree", "error", name, said, remedy, scope=USER)
            continue
        why = found.error or found.logged or _nothing(found.scope, around)
        yield Trouble(
            "silent-hook",
            "error",
            name,
            f"the hook in {place.name} gave no block: {why}",
            "Run its command line by hand, with {} on standard input.",
            place.name,
            place.line,
            place.scope,
        )
    for found in patient.canaries:
        if found.limit and len(found.text) > found.limit:
            said = f"{title} passes {found.limit:,} characters on, and the block has more"
            yield Trouble("over-limit", "error", name, said, "Report this; it must not happen.")
    for registration, said in patient.obstacles:
        yield Trouble(
            "guard-in-the-way",
            "error",
            name,
            f"asked about a harmless command, the hook in {registration.name} does not let it pass: "
            f"{said}",
            f"Run `synapse install --client {name} --scope {registration.scope}`.",
            registration.name,
            registration.line,
        )
    if patient.latency is not None and patient.latency.verdict == "slow":
        said = (
            f"{title} waits {patient.latency.median:.0f} ms for each prompt, "
            f"{patient.latency.times:.0f} times what a bare interpreter takes"
        )
        remedy = "Register with `--scope local` or `--scope user`: these name the interpreter."
        yield Trouble("slow-hook", "warning", name, said, remedy)
    yield from rivals.troubles(patient.client, patient.rivals)
