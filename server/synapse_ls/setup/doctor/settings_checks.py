"""This module checks what can be seen from client settings alone: hooks that are missing,
doubled, outdated or switched off.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.util import cache_from_source
from pathlib import Path
from shutil import which

from synapse_ls.guard.agent_action import ENFORCE
from synapse_ls.integrations.client_definition import (
    PROJECT,
    Client,
    Surroundings,
    Trouble,
    shown_path,
)
from synapse_ls.integrations.hook_commands import SHARED_PROGRAM
from synapse_ls.integrations.registered_lines import UNKNOWN
from synapse_ls.integrations.settings_files import (
    Registration,
    missing_programs,
    parse_settings,
    read_settings,
    readable_settings,
)
from synapse_ls.integrations.vscode import settings
from synapse_ls.setup.install.client_detection import tree_guard_mode
from synapse_ls.setup.install.settings_backup import load_record
from synapse_ls.setup.install.settings_merge import has_current_hooks
from synapse_ls.setup.tree_configuration import read_configuration
from synapse_ls.storage import plan_cache
from synapse_ls.storage.bundle_writer import remove_bundle
from synapse_ls.storage.bytecode_bundle import BUNDLE_FILE, Bundle
from synapse_ls.workspace.edit_plan import EditError
from synapse_ls.workspace.neighbouring_systems import system_notes
from synapse_ls.workspace.tree_folders import CONFIG
from synapse_ls.workspace.trusted_places import LEADS_OUT, find_outside_link, trust_remedy

# Where editors look for programs when nobody started them from a terminal.
SHORT_PATH = os.pathsep.join(("/usr/local/bin", "/usr/bin", "/bin", "/opt/homebrew/bin"))
GRAPHICAL_CLIENTS = ("vscode", "cursor", "antigravity")

_PACKAGE = Path(__file__).parent.parent.parent
_HOOK_PACKAGES = ("engine", "hooks", "integrations", "storage", "text")


def configuration_troubles(around: Surroundings) -> Iterator[Trouble]:
    """Yields what is written in the tree's configuration and does not hold."""
    for said, remedy, line in read_configuration(around.root).faults:
        sentence = f"{CONFIG}:{line}: {said}"
        yield Trouble("broken-configuration", "error", "", sentence, remedy, CONFIG, line)


def system_troubles(around: Surroundings) -> Iterator[Trouble]:
    """Yields the rule systems that have rules in the folder and are not the one that is served."""
    config = read_configuration(around.root).config
    for note in system_notes(str(around.root), config):
        said = note.message.removesuffix(".")
        yield Trouble("two-systems", "warning", "", said, note.remedy, note.path)


def settings_troubles(client: Client, around: Surroundings) -> Iterator[Trouble]:
    """Yields the settings files that the client could not read."""
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
            remedy = "Mend the file; as it is, nothing in it counts."
            yield Trouble("broken-settings", "error", client.name, said, remedy, name)
        if not client.follows_links and file.is_symlink():
            said = f"{name} is a symbolic link, and {client.title} reads no settings through one"
            yield Trouble(
                "linked-settings", "error", client.name, said, "Put a file in its place.", name
            )


def linked_settings_troubles(client: Client, around: Surroundings) -> Iterator[Trouble]:
    """Yields the links on the way to the client's settings in the project that `synapse install` will
    not write through, each once.
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
    """Returns the scopes in which the client is registered as it would be now."""
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
        spare = [r for r in prompts if not _replaces_engine(r)] or prompts
        yield Trouble(
            "double-registration",
            "warning",
            client.name,
            f"{client.title} calls the hook {len(prompts)} times for each prompt ({places}); "
            "nothing is told twice, but each call takes its time",
            f"Keep one: `synapse uninstall --client {client.name} --scope {spare[-1].scope}`.",
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
    """Yields a trouble where the guard is to be enforced and the client does not ask it."""
    if client.tool_events and tree_guard_mode(around) == ENFORCE:
        asked = {r.event for r in ours}
        if missing := [event for event in client.tool_events if event not in asked]:
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


def vscode_troubles(
    registered: dict[str, list[Registration]], around: Surroundings
) -> Iterator[Trouble]:
    """Yields a trouble where VS Code runs the hooks of Claude Code as well, because it was told
    to.
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


def missing_bytecode() -> tuple[int, bool]:
    """Returns how many modules that the hook may load have no compiled form, and whether they
    can get one.
    """
    missing = [
        path
        for package in _HOOK_PACKAGES
        for path in (_PACKAGE / package).rglob("*.py")
        if not Path(cache_from_source(str(path))).exists()
    ]
    writable = all(os.access(path.parent, os.W_OK) for path in missing)
    return len(missing), writable


def bytecode_troubles() -> Iterator[Trouble]:
    """Yields a trouble where nobody can write into the installation, so that the same modules
    are compiled for each prompt.
    """
    missing, writable = missing_bytecode()
    if missing and not writable:
        yield Trouble(
            "missing-bytecode",
            "warning",
            "",
            f"{missing} modules are compiled anew for each prompt, as {_PACKAGE} is read-only",
            f"Run `python -m compileall {_PACKAGE}` once as a user who may write there.",
        )


def cache_troubles(root: str) -> Iterator[Trouble]:
    """Yields a trouble for each file of the hook's own that is damaged, and removes it.

    Asked before any hook is called, which puts such files right by itself.
    """
    remedy = "There is nothing to do, unless it comes back: then look at the disk."
    if plan_cache.is_damaged(root):
        plan_cache.drop_plan(root)
        said = (
            f"the compiled plan of this tree in {plan_cache.cache_folder()} was damaged: it was removed, "
            "and the next prompt has it made anew"
        )
        yield Trouble("damaged-cache", "error", "", said, remedy)
    if Bundle().is_damaged():
        said = f"the bytecode in {BUNDLE_FILE} was damaged or of another version: "
        if remove_bundle():
            said += "it was removed, and the next hook makes it anew"
        else:
            said += "it cannot be removed, and the modules in it come from their sources"
            remedy = "Remove it as a user who may write there."
        yield Trouble("damaged-cache", "warning", "", said, remedy)
