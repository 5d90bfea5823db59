"""What can be seen from settings alone: what is missing, doubled, in the way or switched off."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.util import cache_from_source
from pathlib import Path

from synapse_ls.guard.use import ENFORCE
from synapse_ls.manage.clients import vscode
from synapse_ls.manage.clients.client import PROJECT, Client, Surroundings, Trouble, shown
from synapse_ls.manage.clients.detect import guard_mode, is_found
from synapse_ls.manage.clients.merge import is_current
from synapse_ls.manage.clients.settings import (
    Registration,
    absent,
    document,
    read,
    readable,
)
from synapse_ls.manage.configuration import configured
from synapse_ls.manage.plan import ManageError
from synapse_ls.workspace.folders import CONFIG

# Where editors look for programs when nobody started them from a terminal.
SHORT_PATH = os.pathsep.join(("/usr/local/bin", "/usr/bin", "/bin", "/opt/homebrew/bin"))
GRAPHICAL = ("vscode", "cursor", "antigravity")

_PACKAGE = Path(__file__).parent.parent.parent
_ROOMS = ("engine", "hosts", "service", "sessions", "text")


def configuration_troubles(around: Surroundings) -> Iterator[Trouble]:
    """What is written in the tree's configuration and does not hold."""
    for said, remedy, line in configured(around.root).faults:
        sentence = f"{CONFIG}:{line}: {said}"
        yield Trouble("broken-configuration", "error", "", sentence, remedy, CONFIG, line)


def settings_troubles(client: Client, around: Surroundings) -> Iterator[Trouble]:
    """Settings files that the client could not read."""
    for place in client.places:
        file = client.file(place.scope, around)
        assert file is not None
        name = shown(file, around)
        try:
            found = read(file, name)
            if found is not None and found.text.strip():
                document(client, found.text, name)
        except ManageError as error:
            said = error.sentence.removesuffix(".").replace(", so nothing was written", "")
            remedy = "Mend the file; as it is, nothing in it counts."
            yield Trouble("broken-settings", "error", client.name, said, remedy, name)
        if not client.links and file.is_symlink():
            said = f"{name} is a symbolic link, and {client.title} reads no settings through one"
            yield Trouble(
                "linked-settings", "error", client.name, said, "Put a file in its place.", name
            )


def current_scopes(client: Client, ours: list[Registration]) -> frozenset[str]:
    """The scopes in which the client is registered as it would be now."""
    files = {r.scope: r.file for r in ours}
    return frozenset(
        place.scope
        for place in client.places
        if place.scope in files
        and (found := readable(client, files[place.scope])) is not None
        and any(is_current(client.guarding(guard), place, found) for guard in (True, False))
    )


def registration_troubles(
    client: Client, ours: list[Registration], around: Surroundings
) -> Iterator[Trouble]:
    """Registrations that are incomplete, old, doubled, or that call what is not there."""
    current = current_scopes(client, ours)
    for place in client.places:
        here = [r for r in ours if r.scope == place.scope]
        if not here:
            continue
        first = here[0]
        if place.scope not in current:
            missing = [e for e in client.events if e not in {r.event for r in here}]
            what = f"lacks {', '.join(missing)}" if missing else "is not what would be written now"
            yield Trouble(
                "outdated-registration",
                "warning",
                client.name,
                f"the registration in {first.name} {what}",
                f"Run `synapse install --client {client.name} --scope {place.scope}`.",
                first.name,
                first.line,
            )
        for word in dict.fromkeys(
            word for r in here for word in absent(r.command, str(around.root))
        ):
            yield Trouble(
                "missing-program",
                "error",
                client.name,
                f"the hook in {first.name} calls {word}, which does not exist",
                f"Run `synapse install --client {client.name} --scope {place.scope}`.",
                first.name,
                first.line,
            )
        if place.scope == PROJECT and client.name in GRAPHICAL and not is_found(around, SHORT_PATH):
            yield Trouble(
                "short-path",
                "warning",
                client.name,
                f"started from the desktop, {client.title} may not find `synapse`",
                "Put `synapse` into .venv or /usr/local/bin, or start the editor from a terminal.",
            )
    prompts = [r for r in ours if r.event == client.prompt]
    if len(prompts) > 1:
        places = ", ".join(f"{r.name}:{r.line}" for r in prompts)
        yield Trouble(
            "double-registration",
            "warning",
            client.name,
            f"{client.title} calls the hook {len(prompts)} times for each prompt ({places}); "
            "nothing is told twice, but each call takes its time",
            f"Keep one: `synapse uninstall --client {client.name} --scope {prompts[-1].scope}`.",
        )


def unguarded(client: Client, ours: list[Registration], around: Surroundings) -> Iterator[Trouble]:
    """A guard that is to be enforced, and that the client does not ask."""
    if client.before and guard_mode(around) == ENFORCE:
        asked = {r.event for r in ours}
        if missing := [event for event in client.before if event not in asked]:
            yield Trouble(
                "unguarded",
                "warning",
                client.name,
                f"the tree's guard is set to enforce, and {client.title} does not ask it "
                f"({', '.join(missing)})",
                f"Run `synapse install --client {client.name} --scope {ours[0].scope}`.",
                ours[0].name,
                ours[0].line,
            )


def claude_hooks_in_vscode(
    registered: dict[str, list[Registration]], around: Surroundings
) -> Iterator[Trouble]:
    """VS Code runs the hooks of Claude Code as well, where it was told to."""
    if registered["claude"] and registered["vscode"] and vscode.reads_claude_hooks(around):
        yield Trouble(
            "double-registration",
            "warning",
            "vscode",
            "VS Code calls the hook for .github/hooks and for Claude Code's settings "
            "(chat.useClaudeHooks); nothing is told twice, but each call takes its time",
            "Switch chat.useClaudeHooks off.",
        )


def missing_bytecode() -> tuple[int, bool]:
    """How many modules that the hook may load have no compiled form, and whether they can get one."""
    missing = [
        path
        for room in _ROOMS
        for path in (_PACKAGE / room).rglob("*.py")
        if not Path(cache_from_source(str(path))).exists()
    ]
    writable = all(os.access(path.parent, os.W_OK) for path in missing)
    return len(missing), writable


def bytecode_troubles() -> Iterator[Trouble]:
    """An installation that nobody can write into compiles the same modules for each prompt."""
    missing, writable = missing_bytecode()
    if missing and not writable:
        yield Trouble(
            "missing-bytecode",
            "warning",
            "",
            f"{missing} modules are compiled anew for each prompt, as {_PACKAGE} is read-only",
            f"Run `python -m compileall {_PACKAGE}` once as a user who may write there.",
        )
