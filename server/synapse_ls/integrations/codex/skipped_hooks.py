"""This module finds what keeps Codex from running our hooks: files that it leaves out or cannot read,
hooks that are switched off, a folder that is not trusted, and hooks that nobody has approved.

Source: the answers of Codex 0.169 to ``hooks/list``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from synapse_ls.formats.toml_document import MAX_TOML_CHARS, load_toml
from synapse_ls.integrations.client_definition import (
    HOOK_SERVER_NAME,
    PROJECT,
    USER,
    Client,
    Surroundings,
    Trouble,
    shown_path,
)
from synapse_ls.integrations.codex.folder_trust import CodexFolder
from synapse_ls.integrations.codex.hook_approvals import (
    CHANGED,
    DISABLED,
    UNAPPROVED,
    HookApproval,
    find_approvals,
)
from synapse_ls.integrations.malformed_hooks import find_left_out
from synapse_ls.integrations.settings_files import readable_settings
from synapse_ls.text.line_index import LineIndex
from synapse_ls.workspace.regular_files import read_whole

APPROVAL_HINT: Final = (
    "Start Codex and approve the hooks with /hooks; each change of them asks again."
)
_SWITCHES: Final = ("hooks", "codex_hooks")
"""The names of the feature, the one that wins first; the other one is older."""
_LATER_TOML: Final = re.compile(r"[{\\]|\d:\d\d")
"""What a line has where TOML 1.1, which Codex reads, takes more than 1.0, which is read here: inline
tables, escapes and times without seconds."""


def find_skipped_hooks(client: Client, around: Surroundings) -> Iterator[Trouble]:
    """Yields what keeps Codex from running our hooks. client: its definition."""
    here = CodexFolder.of_path(around.root)
    if here.is_linked:
        left_out = find_left_out(client, here.hook_file, around)
        yield from (one.for_scope(PROJECT) for one in left_out)
    folder = client.user_folder.resolve(around.home)
    config = folder / "config.toml"
    settings, problems = _read_config(config, around)
    yield from problems
    if settings is None:
        return
    projects = _inner_table(settings, "projects")
    own = [file for file in here.config_files(projects) if file != config]
    layers = [(config, settings)]
    for file in own:
        found, problems = _read_config(file, around)
        yield from problems
        layers.append((file, found or {}))
    for file in own if here.is_linked else ():
        # It reads them beside the hook files there.
        yield from _read_config(here.main / file.relative_to(here.top), around)[1]
    yield from _find_switched_off(layers, around)
    # Where nobody has ever started it, nothing is kept from anybody.
    severity = "error" if folder.is_dir() else "warning"
    place = client.place(PROJECT)
    states = _inner_table(_inner_table(settings, "hooks"), "state")
    if place is not None and not client.is_of_user(place, around):
        file = client.path_of(place, around)
        read_file = here.hook_file if here.is_linked else file
        name = shown_path(read_file, around)
        approvals = _read_approvals(client, read_file, str(here.hook_file), states)
        wanted = {one.event: None for one in _read_approvals(client, file, str(file), states)}
        if here.is_linked:
            yield from _find_unread(wanted, approvals, here, name, severity)
        if wanted and not here.is_trusted(projects):
            said = f"Codex does not trust {around.root}, so it leaves {name} out"
            yield Trouble(
                "untrusted-folder",
                severity,
                "codex",
                said,
                "Trust the folder in Codex.",
                shown_path(config, around),
                scope=PROJECT,
            )
        yield from _find_skipped(approvals, name, severity, PROJECT)
    file = folder / "hooks.json"
    # It resolves the folder that a variable names, and its own one not.
    named = os.environ.get(client.user_folder.variable)
    spelled = os.path.join(os.path.realpath(folder), file.name) if named else str(file)
    approvals = _read_approvals(client, file, spelled, states)
    yield from _find_skipped(approvals, shown_path(file, around), severity, USER)


def _read_config(
    file: Path, around: Surroundings
) -> tuple[dict[str, Any] | None, tuple[Trouble, ...]]:
    """Returns what settings in TOML hold, and what is wrong with them; nothing of what is not there,
    and None where they cannot be read.
    """
    name, effect = shown_path(file, around), "so Codex runs no hooks at all"
    code, severity, remedy = "unreadable-settings", "error", "Mend that place of the file."
    try:
        text = read_whole(file).decode()
    except (FileNotFoundError, NotADirectoryError):
        return {}, ()
    except (OSError, UnicodeDecodeError) as error:
        what = "is not UTF-8" if isinstance(error, UnicodeDecodeError) else "cannot be read"
        remedy = "Look at the file."
        return None, (Trouble(code, severity, "codex", f"{name} {what}, {effect}", remedy, name),)
    settings, problem = load_toml(text, "The file", "nothing is read")
    if problem is None:
        return settings, ()
    line, column = LineIndex(text).position(problem.span.start)
    place = f"{name}:{line + 1}:{column + 1}"
    what = problem.message.removesuffix(", so nothing is read.")
    said = f"{place} cannot be read as TOML: {what[:1].lower()}{what[1:]}, {effect}"
    line_start = text.rfind("\n", 0, problem.span.start) + 1
    line_text = text[line_start:].partition("\n")[0]
    if len(text) > MAX_TOML_CHARS or _LATER_TOML.search(line_text):
        severity = "warning"
        said = f"{place} cannot be read here: {what[:1].lower()}{what[1:]}; if Codex cannot either, it runs no hooks at all"
        remedy = "Start Codex in this folder, and see if it complains."
    return None, (Trouble(code, severity, "codex", said, remedy, name, line + 1),)


def _find_switched_off(
    layers: Sequence[tuple[Path, Mapping[str, Any]]], around: Surroundings
) -> Iterator[Trouble]:
    """Yields the settings that switch hooks, or our server, off. layers: those of the user first; for
    each switch the last one counts.
    """
    said: dict[str, tuple[Any, Path]] = {}
    for file, settings in layers:
        features = _inner_table(settings, "features")
        said |= {key: (features[key], file) for key in _SWITCHES if key in features}
    key = next((key for key in _SWITCHES if key in said), "")
    if key and said[key][0] is False:
        name = shown_path(said[key][1], around)
        sentence = f"{name} switches hooks off (features.{key} = false)"
        yield Trouble("hooks-off", "error", "codex", sentence, "Remove that line.", name)
    file, settings = layers[0]
    server = _inner_table(_inner_table(settings, "mcp_servers"), HOOK_SERVER_NAME)
    if server.get("enabled") is False:
        name = shown_path(file, around)
        sentence = (
            f"{name} switches the server {HOOK_SERVER_NAME} off, so prompts go on without the rules"
        )
        yield Trouble("declined-server", "error", "codex", sentence, "Remove that line.", name)


def _find_unread(
    wanted: Iterable[str],
    approvals: Iterable[HookApproval],
    here: CodexFolder,
    name: str,
    severity: str,
) -> Iterator[Trouble]:
    """Yields that hooks which are registered in a linked work tree are missing where Codex reads
    them. name: that file.
    """
    there = {one.event for one in approvals}
    missing = [event for event in wanted if event not in there]
    if missing:
        lack = f"no hook of ours for {', '.join(missing)}" if there else "none of ours"
        said = f"this is a linked work tree, whose hooks Codex reads from {name}: it has {lack}"
        remedy = f"Run `synapse install --client codex` in {here.hook_folder}, and approve the hooks with /hooks."
        yield Trouble("unread-settings", severity, "codex", said, remedy, name, scope=PROJECT)


def _read_approvals(
    client: Client, file: Path, spelled: str, states: Mapping[str, Any]
) -> tuple[HookApproval, ...]:
    """Returns the approvals of our hooks in a file. spelled: its path as Codex has it."""
    found = readable_settings(client, file)
    return () if found is None else tuple(find_approvals(spelled, found.root.value, states))


def _find_skipped(
    approvals: tuple[HookApproval, ...], place: str, severity: str, scope: str
) -> Iterator[Trouble]:
    """Yields which of our hooks in a file Codex skips, and why."""
    for state, code, remedy in (
        (UNAPPROVED, "unapproved-hooks", APPROVAL_HINT),
        (CHANGED, "unapproved-hooks", APPROVAL_HINT),
        (DISABLED, "hooks-off", "Start Codex and switch them on again with /hooks."),
    ):
        events = [one.event for one in approvals if one.state == state]
        if not events:
            continue
        several = len(events) > 1
        hooks, it = ("hooks", "them") if several else ("hook", "it")
        which = f"the {hooks} of {place}"
        if len(events) < len(approvals):
            which = f"the {hooks} for {', '.join(events)} in {place}"
        said = {
            UNAPPROVED: f"nobody has approved {which} in Codex yet, so it skips {it} silently",
            CHANGED: f"{which} {'were' if several else 'was'} changed since a person approved {it} in "
            f"Codex, so it skips {it} silently",
            DISABLED: f"{which} {'are' if several else 'is'} switched off in Codex",
        }[state]
        yield Trouble(code, severity, "codex", said, remedy, place, scope=scope)


def _inner_table(settings: Mapping[str, Any], key: str) -> dict[str, Any]:
    found = settings.get(key)
    return found if isinstance(found, dict) else {}
