"""This module asks, for ``synapse install``, whether another engine is to be replaced, and says
what became of it.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from synapse_ls.cli.client_options import has_tree
from synapse_ls.cli.console import Styled
from synapse_ls.edits.profile_choice import LIVE_PROFILE
from synapse_ls.engine.token_estimate import estimate_tokens
from synapse_ls.integrations.client_definition import PROJECT, USER
from synapse_ls.integrations.hook_commands import SHARED_PROGRAM
from synapse_ls.setup.doctor.delivery_checks import (
    DeliveredTree,
    late_rules,
    sleeping_triggers,
)
from synapse_ls.setup.doctor.rival_hooks import find_engine_sites
from synapse_ls.setup.install.engine_takeover import (
    EngineFiles,
    engine_files,
    find_engines,
    import_memory,
    plan_import,
)
from synapse_ls.text.plural_counts import format_count

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator

    from synapse_ls.cli.console import Console
    from synapse_ls.integrations.client_definition import Client, Surroundings
    from synapse_ls.setup.doctor.canary_prompt import CanaryReply
    from synapse_ls.setup.doctor.rival_hooks import RivalHook


@dataclass(frozen=True, slots=True)
class Takeover:
    """A Takeover is the answer to the question of ``synapse install`` what is to happen to other
    engines. engines: their hooks; replaced: those of them that go. files: what they read. sleeping:
    which triggers are not heard at first, "" for none; wakes: whether the profile is to change.
    """

    engines: tuple[RivalHook, ...]
    replaced: tuple[RivalHook, ...]
    files: tuple[EngineFiles, ...]
    sleeping: str
    wakes: bool

    @property
    def replaces(self) -> bool:
        """Returns whether ours takes the place of any."""
        return bool(self.replaced)


def ask_takeover(
    options: Namespace,
    console: Console,
    around: Surroundings,
    clients: list[Client],
    scope: str,
    *,
    asks: bool,
) -> Takeover:
    """Asks, for ``synapse install``, what is to become of other engines, unless the options say it."""
    asks = asks and console.can_ask and options.format != "json"
    engines = tuple(find_engines(clients, around))
    names = {client.name for client in clients}
    within = tuple(
        rival
        for rival in engines
        if rival.client in names and rival.scope and (rival.scope != USER or scope == USER)
    )
    replaces = options.replace
    if replaces is None and within and asks:
        for site in find_engine_sites(within):
            console.line(f"{site.describe(beside_ours=False)}.")
        replaces = bool(
            console.confirm("Take its place? `synapse uninstall` brings it back.", default=True)
        )
    sleeping = sleeping_triggers(DeliveredTree(str(around.root))) if has_tree(around) else ""
    wakes = options.live
    if wakes is None and sleeping and asks:
        console.line(f"{sleeping}.")
        wakes = bool(console.confirm(f"Wake them, with the profile {LIVE_PROFILE}?", default=True))
    files = tuple(engine_files(str(around.root), (rival.engine for rival in engines)))
    return Takeover(engines, within if replaces else (), files, sleeping, bool(wakes and sleeping))


def takeover_notes(
    taken: Takeover, clients: list[Client], around: Surroundings, *, write: bool
) -> Iterator[str]:
    """Yields what became of other engines by the answers to ``synapse install``, and what stays as
    it is; has what they remember imported.
    """
    yield from _replacement_notes(taken, write=write)
    staying = [rival for rival in taken.engines if rival not in taken.replaced]
    if write:  # our own lines may have moved theirs
        said = {(rival.file, rival.event, rival.command) for rival in staying}
        there = list(find_engines(clients, around))
        staying = [one for one in there if (one.file, one.event, one.command) in said]
    for site in find_engine_sites(staying):
        takeover = site.first.takeover
        how = f"`{takeover}` takes its place" if takeover else "take that out of the file"
        yield f"{site.describe(beside_ours=write)}; {how}"
    if taken.replaced and has_tree(around):
        root, now = str(around.root), time.time()
        if write:
            yield from import_memory(root, now=now)
        else:
            yield from (f"would import {what}" for what in plan_import(root, now=now))
    if taken.wakes:
        verb = "is" if write else "would be"
        yield f"the profile {verb} {LIVE_PROFILE} now: every trigger is heard in every bracket"
    elif taken.sleeping:
        yield f"{taken.sleeping}. `synapse profile use {LIVE_PROFILE}` wakes them"


def _replacement_notes(taken: Takeover, *, write: bool) -> Iterator[str]:
    """Yields which hooks of other engines give way, and what that means for others."""
    for site in find_engine_sites(taken.replaced):
        verb = "is replaced" if write else "would be replaced"
        yield (
            f"{site.first.engine} in {site.place} ({', '.join(site.events)}) {verb}; `synapse uninstall` "
            "brings it back"
        )
    if any(rival.scope == USER for rival in taken.replaced):
        yield "it served every project; ours serves those that `synapse trust` names"
    shared = dict.fromkeys(one.name for one in taken.replaced if one.scope == PROJECT)
    if shared:
        yield (
            f"colleagues share {', '.join(shared)}: they lose the other engine there, and are told rules only where "
            f"their client calls this hook and has `{SHARED_PROGRAM}`"
        )


def engine_report(rival: RivalHook, taken: Takeover) -> dict[str, Any]:
    """Returns a hook of another engine, about which ``synapse install`` asks, as data for JSON."""
    return {
        "path": rival.name,
        "file": str(rival.file),
        "line": rival.line,
        "event": rival.event,
        "command": rival.command,
        "engine": rival.engine,
        "replaced": rival in taken.replaced,
    }


def print_block(reply: CanaryReply, taken: Takeover, root: str, console: Console) -> None:
    """Prints, at the end of ``synapse install``, what a first prompt is told now, what of it comes
    later with an agent, and how large the other engine's files are.
    """
    if reply.text:
        console.line()
        console.write(reply.text)
        console.line()
        tokens = format_count(estimate_tokens(reply.text), "token")
        console.line(f"{tokens} reach the model with the first prompt of a session.")
        if late := late_rules(DeliveredTree(root)):
            console.line(late)
    else:
        why = f": {reply.error or reply.log_line}" if reply.error or reply.log_line else ""
        console.line(Styled("nothing reaches the model", "bad"), why)
    for files in taken.files:
        engine = f"{files.engine[0].upper()}{files.engine[1:]}"
        console.line(
            f"{engine} tells a part of its {format_count(files.count, 'file')} in {files.folder}/ again with "
            f"every prompt. The files have {format_count(files.tokens, 'token')}; how many of them it tells "
            "is not known, since nothing of it was run."
        )
