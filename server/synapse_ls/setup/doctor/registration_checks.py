"""This module checks how the hook is registered, by client settings alone: registrations that are
missing, doubled, outdated or switched off.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from shutil import which

from synapse_ls.guard.agent_action import ENFORCE
from synapse_ls.integrations.client_definition import (
    PROJECT,
    Client,
    Surroundings,
    Trouble,
    shown_path,
)
from synapse_ls.integrations.client_registrations import CURRENT, UNKNOWN, Registration
from synapse_ls.integrations.hook_commands import SHARED_PROGRAM
from synapse_ls.integrations.hook_programs import missing_programs, shared_program
from synapse_ls.integrations.malformed_hooks import find_left_out
from synapse_ls.integrations.settings_files import parse_settings, read_settings, readable_settings
from synapse_ls.integrations.vscode import settings
from synapse_ls.setup.install.guard_registration import tree_guard_mode
from synapse_ls.setup.install.settings_backup import load_record
from synapse_ls.setup.install.settings_merge import has_current_hooks
from synapse_ls.workspace.edit_plan import EditError
from synapse_ls.workspace.trusted_places import LEADS_OUT, find_outside_link, trust_remedy

# Where editors look for programs when nobody started them from a terminal.
SHORT_PATH = os.pathsep.join(("/usr/local/bin", "/usr/bin", "/bin", "/opt/homebrew/bin"))
GRAPHICAL_CLIENTS = ("vscode", "cursor", "antigravity")


def settings_troubles(client: Client, around: Surroundings) -> Iterator[Trouble]:
    """Yields the settings files with a registration that the client could not read."""
    for place in client.places:
        file = client.file(place.scope, around)
        assert file is not None
        name = shown_path(file, around)
        try:
            found = read_settings(file, name)
            if found is not None and found.text.strip():
                parse_settings(client, found.text, name)
        except EditError as error:
            said = error.sentence.removesuffix(".").replace(", so nothing was written", "")
            remedy = (
                error.remedy if place.plugin else "Mend the file; as it is, nothing in it counts."
            )
            yield Trouble("broken-settings", "error", client.name, said, remedy, name)
        if not client.follows_links and file.is_symlink():
            said = f"{name} is a symbolic link, and {client.title} reads no settings through one"
            yield Trouble(
                "linked-settings", "error", client.name, said, "Put a file in its place.", name
            )


def left_out_troubles(client: Client, around: Surroundings) -> Iterator[Trouble]:
    """Yields the settings files that the client can leave out, each with the scope that is lost."""
    for place in client.places:
        file = client.path_of(place, around)
        yield from (one.for_scope(place.scope) for one in find_left_out(client, file, around))


def linked_settings_troubles(client: Client, around: Surroundings) -> Iterator[Trouble]:
    """Yields the links on the way to the client's settings in the project that `synapse install`
    will not write through, each once.
    """
    seen = set[str]()
    for place in client.places:
        file = client.path_of(place, around)
        if not file.is_relative_to(around.root):
            continue
        path = file.relative_to(around.root).as_posix()
        found = find_outside_link(str(around.root), path)
        if found is None or found[0] in seen:
            continue
        link, target = found
        seen.add(link)
        said = f"{LEADS_OUT}, so `synapse install` and `synapse uninstall` do not write through it"
        remedy = trust_remedy(target)
        yield Trouble("leads-out", "error", client.name, f"{link}: {said}", remedy, link)


def current_scopes(
    client: Client, ours: list[Registration], around: Surroundings
) -> frozenset[str]:
    """Returns the scopes in which the registration of a client is as it would be now."""
    files = {r.scope: r.file for r in ours}
    kinds = [client, client.through_tool(tree_guard_mode(around) == ENFORCE)]
    return frozenset(
        place.scope
        for place in client.places
        if place.scope in files
        and (found := readable_settings(client, files[place.scope])) is not None
        and any(
            has_current_hooks(kind.with_guard(guard), place, found)
            for kind in kinds
            for guard in (True, False)
        )
    )


def registration_troubles(
    client: Client, ours: list[Registration], around: Surroundings
) -> Iterator[Trouble]:
    """Yields registrations that are incomplete, old, doubled, or that call what is not there."""
    current = current_scopes(client, ours, around)
    for place in client.places:
        here = [r for r in ours if r.scope == place.scope]
        if here:
            yield from _place_troubles(client, here, around, is_current=place.scope in current)
    prompts = [r for r in ours if r.event == client.prompt]
    if len(prompts) > 1:
        places = ", ".join(f"{r.name}:{r.line}" for r in prompts)
        kept = next((r for r in prompts if _replaces_engine(r)), prompts[0])
        scopes = dict.fromkeys(r.scope for r in prompts if r.scope != kept.scope)
        command = f"synapse uninstall --client {client.name} --scope"
        commands = " and ".join(f"`{command} {scope}`" for scope in scopes or (kept.scope,))
        yield Trouble(
            "double-registration",
            "warning",
            client.name,
            f"{client.title} calls the hook {len(prompts)} times for each prompt ({places}); "
            "nothing is told twice, but each call takes its time",
            f"Keep one: {commands}.",
        )


def _replaces_engine(registration: Registration) -> bool:
    """Tells whether another engine's hooks come back where this registration goes."""
    record = load_record(registration.file)
    return record is not None and bool(record.replaced)


def _place_troubles(
    client: Client, here: list[Registration], around: Surroundings, *, is_current: bool
) -> Iterator[Trouble]:
    """Yields what is wrong with the registrations in one place."""
    first = here[0]
    remedy = f"Run `synapse install --client {client.name} --scope {first.scope}`."
    if not is_current:
        missing = [e for e in client.events if e not in {r.event for r in here}]
        what = f"lacks {', '.join(missing)}" if missing else "is not what would be written now"
        yield Trouble(
            "outdated-registration",
            "warning",
            client.name,
            f"the registration in {first.name} {what}",
            remedy,
            first.name,
            first.line,
        )
    for place in here:
        if place.state == UNKNOWN:
            yield Trouble(
                "unknown-line",
                "warning",
                client.name,
                f"{place.name}:{place.line} calls the hook by a line that `synapse install` does not "
                f"write: not checked ({place.event})",
                f"Look at it; {remedy[0].lower()}{remedy[1:]}",
                place.name,
                place.line,
            )
    root = str(around.root)
    for word in dict.fromkeys(
        word
        for r in here
        if r.state != UNKNOWN and not r.calls_tool
        for word in missing_programs(r.command, root)
    ):
        yield Trouble(
            "missing-program",
            "error",
            client.name,
            f"the hook in {first.name} calls {word}, which does not exist",
            remedy,
            first.name,
            first.line,
        )
    is_graphical = first.scope == PROJECT and client.name in GRAPHICAL_CLIENTS
    if is_graphical and not which(SHARED_PROGRAM, path=SHORT_PATH):
        yield Trouble(
            "short-path",
            "warning",
            client.name,
            f"started from the desktop, {client.title} may not find `{SHARED_PROGRAM}`",
            f"Link `{SHARED_PROGRAM}` into /usr/local/bin, or start the editor from a terminal.",
        )


def guard_troubles(
    client: Client, ours: list[Registration], around: Surroundings
) -> Iterator[Trouble]:
    """Yields a trouble with the registration where the guard is to be enforced and the client does
    not ask it, or cannot.
    """
    if tree_guard_mode(around) != ENFORCE:
        return
    asked = {r.event for r in ours}
    missing = [event for event in client.tool_events if event not in asked]
    if client.tool_events and not missing:
        return
    if missing:
        how = f"does not ask it ({', '.join(missing)})"
        remedy = f"Run `synapse install --client {client.name} --scope {ours[0].scope}`."
    else:
        how = "cannot ask it: no agent is stopped there"
        remedy = "Where an agent has to be stopped, let it work in another client."
    said = f"the tree's guard is set to enforce, and {client.title} {how}"
    yield Trouble("unguarded", "warning", client.name, said, remedy, ours[0].name, ours[0].line)


def vscode_troubles(
    registered: dict[str, list[Registration]], around: Surroundings
) -> Iterator[Trouble]:
    """Yields a trouble with the registration where VS Code runs the hooks of Claude Code as well,
    because it was told to.
    """
    if registered["claude"] and registered["vscode"] and settings.reads_claude_hooks(around):
        yield Trouble(
            "double-registration",
            "warning",
            "vscode",
            "VS Code calls the hook for .github/hooks and for Claude Code's settings "
            "(chat.useClaudeHooks); nothing is told twice, but each call takes its time",
            "Switch chat.useClaudeHooks off.",
        )


def program_troubles(
    registrations: Iterable[Registration], around: Surroundings
) -> Iterator[Trouble]:
    """Yields a trouble with the registration where the line of a project finds its program only as
    long as a virtual environment is active.
    """
    shared = [one for one in registrations if one.scope == PROJECT and one.state == CURRENT]
    found, alone = shared_program(around)
    if shared and alone:
        yield Trouble(
            "only-in-environment",
            "warning",
            "",
            f"the line in {shared[0].name} finds {found}, which is in the virtual environment that is "
            "active here: a client that is started without it gets no rules",
            "Start the client from this environment, or have the program on the search path for good: "
            "`pipx install FOLDER` or `uv tool install FOLDER` (the folder of the checkout).",
            shared[0].name,
            shared[0].line,
        )
