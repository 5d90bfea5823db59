"""``synapse install`` and ``uninstall``: the hook in the settings of agent clients."""

import time
from argparse import BooleanOptionalAction, Namespace
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from synapse_ls.cli import client_options
from synapse_ls.cli.command_table import command, exclusive, option, option_group, switch
from synapse_ls.cli.console import Console, Styled
from synapse_ls.cli.file_changes import DRY_RUN_SWITCH
from synapse_ls.cli.shared_options import FORMAT_OPTION
from synapse_ls.edits.config_edits import LIVE_PROFILE
from synapse_ls.engine.context_usage import estimate_tokens
from synapse_ls.guard.agent_action import OFF
from synapse_ls.integrations import client_settings, hook_registrations, settings_registry
from synapse_ls.integrations.client_settings import PROJECT, SCOPES, USER, Client, Surroundings
from synapse_ls.integrations.hook_commands import SHARED_PROGRAM
from synapse_ls.integrations.settings_syntax import find_left_out
from synapse_ls.lint.rules.brackets_and_budgets.budget_overflow import describe_overflow
from synapse_ls.queries.guard_report import describe_guarding
from synapse_ls.setup import mcp_sdk, tree_configuration
from synapse_ls.setup.doctor import tree_checks
from synapse_ls.setup.doctor.hook_trial import CanaryReply
from synapse_ls.setup.doctor.registration_checks import RivalHook, find_engine_sites
from synapse_ls.setup.install import engine_takeover, hook_installation, settings_merge
from synapse_ls.setup.install.engine_takeover import forget_import
from synapse_ls.setup.install.installed_clients import detect_clients, tool_hook_version
from synapse_ls.setup.install.settings_backup import damaged_records, load_record
from synapse_ls.storage import atomic_files, plan_cache, policy_gate, session_store, trusted_trees
from synapse_ls.text.phrases import format_count
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace import git_runner, outside_links
from synapse_ls.workspace.tree_folders import MANIFEST, SESSIONS, STATE_FOLDERS, TREE


@dataclass(frozen=True, slots=True)
class Takeover:
    """The answer to the question of ``synapse install`` what is to happen to other engines.
    engines: their hooks; replaced: those of them that go. files: what they read. sleeping: which
    triggers are not heard at first, "" for none; crowded: what a first block has no room for, ""
    for nothing; wakes: whether the profile is to change.
    """

    engines: tuple[RivalHook, ...]
    replaced: tuple[RivalHook, ...]
    files: tuple[engine_takeover.EngineFiles, ...]
    sleeping: str
    crowded: str
    wakes: bool


def ask_takeover(
    options: Namespace,
    console: Console,
    around: Surroundings,
    clients: list[Client],
    scope: str,
    *,
    asks: bool,
) -> Takeover:
    """Ask, for ``synapse install``, what is to become of other engines, unless the options say
    it.
    """
    asks = asks and console.can_ask and options.format != "json"
    engines = tuple(engine_takeover.find_engines(clients, around))
    names = {client.name for client in clients}
    within = tuple(
        rival
        for rival in engines
        if rival.client in names and rival.scope and (rival.scope != USER or scope == USER)
    )
    if (replaces := options.replace) is None and within and asks:
        for site in find_engine_sites(within):
            console.line(f"{site.describe(beside_ours=False)}.")
        replaces = bool(
            console.confirm("Take its place? `synapse uninstall` restores it.", default=True)
        )
    sleeping = crowded = ""
    if client_options.has_tree(around):
        delivered = tree_checks.read_delivered_tree(str(around.root))
        sleeping = tree_checks.sleeping_triggers(delivered)
        crowded = tree_checks.describe_whole_block(delivered)
    wakes = options.live
    reasons = [reason for reason in (sleeping, crowded) if reason]
    if wakes is None and reasons and asks:
        console.lines([f"{reason}."] for reason in reasons)
        wakes = bool(console.confirm(f"Choose the profile {LIVE_PROFILE}?", default=True))
    files = engine_takeover.engine_files(str(around.root), (rival.engine for rival in engines))
    replaced, wakes = within if replaces else (), bool(wakes and reasons)
    return Takeover(engines, replaced, tuple(files), sleeping, crowded, wakes)


def takeover_notes(
    answers: Takeover, clients: list[Client], around: Surroundings, *, write: bool
) -> Iterator[str]:
    """Yield what became of other engines by the answers to ``synapse install``, and what stays as
    it is; have what they remember imported.
    """
    # Which hooks of other engines give way, and what that means for others.
    verb = "is" if write else "would be"
    for site in find_engine_sites(answers.replaced):
        yield (
            f"{site.first.engine} in {site.place} ({', '.join(site.events)}) {verb} replaced; "
            "`synapse uninstall` restores it"
        )
    if any(rival.scope == USER for rival in answers.replaced):
        yield "it served every project; ours serves those that `synapse trust` names"
    shared = dict.fromkeys(
        replaced.name for replaced in answers.replaced if replaced.scope == PROJECT
    )
    if shared:
        yield (
            f"your colleagues share {', '.join(shared)}: they lose the other engine, and get rules "
            f"only if their client calls this hook and finds `{SHARED_PROGRAM}`"
        )
    staying = [rival for rival in answers.engines if rival not in answers.replaced]
    if write:  # our own lines may have moved theirs
        places = {(rival.file, rival.event, rival.command) for rival in staying}
        engines = engine_takeover.find_engines(clients, around)
        staying = [r for r in engines if (r.file, r.event, r.command) in places]
    for site in find_engine_sites(staying):
        takeover = site.first.takeover
        how = f"`{takeover}` takes its place" if takeover else "take that out of the file"
        yield f"{site.describe(beside_ours=write)}; {how}"
    if answers.replaced and client_options.has_tree(around):
        yield from engine_takeover.import_memory(str(around.root), now=time.time(), write=write)
    if answers.wakes:
        yield (
            f"the profile {verb} {LIVE_PROFILE} now: every trigger works in every bracket, and "
            "the first block of a window is whole"
        )
        return
    if answers.sleeping:
        yield f"{answers.sleeping}. `synapse profile use {LIVE_PROFILE}` activates them"
    if answers.crowded:
        yield answers.crowded


def _choose_clients(
    options: Namespace, around: Surroundings, scope: str
) -> tuple[list[Client], list[Client], dict[str, str]]:
    """Return the clients that are named, else in use here; those of them that have settings of the
    scope; and, where none was named, why each counts as in use.
    """
    clients = client_options.selected_clients(options)
    detected = {} if clients else detect_clients(around, for_user=scope == USER)
    gate = policy_gate.read_gate()
    served = {name: sign for name, sign in detected.items() if gate.serves(name)}
    listed = clients or [settings_registry.CLIENTS[name] for name in served]
    # The clients of `listed` that have settings of this scope.
    is_named = bool(clients) and client_options.ALL not in options.clients
    chosen = listed if is_named else [client for client in listed if client.place(scope)]
    if not listed:
        raise UserError(
            "No agent client that the policy lists was found here."
            if detected
            else "No agent client was found here.",
            f"Name one: --client {', '.join(settings_registry.CLIENTS)} or {client_options.ALL}.",
        )
    if not chosen:
        raise UserError(
            f"{', '.join(c.title for c in listed)}: no settings of scope {scope}.",
            f"Use --client {','.join(c.name for c in listed)} "
            f"--scope {' or '.join(dict.fromkeys(s for c in listed for s in c.scopes))}.",
        )
    # Raise UserError where no client has what the options ask for.
    if options.statusline and not any(client.status_line for client in chosen):
        raise UserError("Only Claude Code shows a status line.", "Add --client claude.")
    if options.lsp and not any(client.language_servers for client in chosen):
        raise UserError(
            "Only GitHub Copilot CLI starts a language server for files without an extension.",
            "Add --client copilot; in other clients the hook reports what is wrong with an edited "
            "rule.",
        )
    return listed, chosen, served


def _install_hook(options: Namespace, console: Console, around: Surroundings) -> None:
    """Plan the installation, carry it out where somebody has named the clients, and report it."""
    scope = options.scope or PROJECT
    listed, chosen, served = _choose_clients(options, around, scope)
    proposal = bool(served) and not options.yes
    write = not (options.dry_run or proposal)
    takeover = ask_takeover(options, console, around, chosen, scope, asks=write)
    changes = hook_installation.plan_installation(
        around,
        chosen,
        scope,
        status_line=options.statusline,
        guard=options.guard,
        mcp=options.mcp,
        lsp=options.lsp,
        replace_engines=bool(takeover.replaced),
        via=options.via,
        fail_closed=options.fail_closed,
    )
    if takeover.wakes and (woken := engine_takeover.plan_live_profile(around, scope)):
        changes.append(woken)
    notes: list[str] = []
    if write:
        hook_installation.apply_changes(changes)
        notes += client_options.follow_hook(around)
        if options.trust and scope == USER:
            trusted_trees.trust_tree(str(around.root))
    trusted = trusted_trees.is_trusted(str(around.root)) if scope == USER else None
    notes += _install_notes(around, chosen, scope)
    notes += _option_notes(
        options, around, chosen, scope, takeover_notes(takeover, chosen, around, write=write)
    )
    notes += (f"{c.title} has no settings of scope {scope}" for c in listed if c not in chosen)
    following = list(_next_commands(around, chosen, scope, proposal, trusted, takeover))
    reply = (
        engine_takeover.first_reply(chosen, scope, around) if write and takeover.replaced else None
    )
    if options.format == "json":
        console.json(
            {
                "root": str(around.root),
                "scope": scope,
                "dry_run": options.dry_run,
                "applied": write,
                "clients": [client.name for client in chosen],
                "detected": [{"client": name, "because": why} for name, why in served.items()],
                "files": client_options.changes_report(changes),
                "trusted": trusted,
                "notes": notes,
                "next": following,
                "engines": [
                    {
                        **rival.to_json(),
                        "engine": rival.engine,
                        "replaced": rival in takeover.replaced,
                    }
                    for rival in takeover.engines
                ],
                "engine_files": [asdict(file) for file in takeover.files],
                "block": None if reply is None else reply.to_json(),
            }
        )
        return
    if proposal and not options.dry_run:
        console.table(
            [
                Styled(client.title, "name"),
                served[client.name],
                Styled(place.path if scope != USER else "", "dim"),
            ]
            for client in chosen
            if (place := client.place(scope))
        )
    else:
        client_options.show_changes(changes, console, dry_run=options.dry_run)
    if reply is not None:
        _print_first_block(reply, takeover, str(around.root), console)
    console.notes(notes)
    for line in following if not options.dry_run else ():
        console.note(f"next, `{line}`{_COMMAND_PURPOSES.get(line.split()[1], '')}")


def _option_notes(
    options: Namespace,
    around: Surroundings,
    chosen: list[Client],
    scope: str,
    of_takeover: Iterable[str],
) -> Iterator[str]:
    """Yield what there is to say of what the options ask for, the takeover among it."""
    if options.guard is not False:
        # Where the guard is not asked though it is on, and why.
        mode = tree_configuration.tree_guard_mode(around)
        for client in chosen if mode != OFF else ():
            if not client.tool_events:
                lost = f"no agent is {describe_guarding(mode)} there"
                yield f"{client.title} cannot ask the guard: {lost}"
            elif not (options.guard or tree_configuration.asks_guard(client, scope, around)):
                yield (
                    f"{client.title} does not ask the guard with these settings, since it may "
                    f"refuse all tools of people without `{SHARED_PROGRAM}`; `--guard` has it "
                    "asked all the same"
                )
    if options.statusline:
        # What others have in the settings that stays there, though it concerns ours.
        for client in chosen:
            if place := settings_merge.foreign_status_line(client, scope, around):
                yield (
                    f"{place} has a status line already, which stays; to show both, put "
                    "`synapse statusline --then '…'` in its place, with its command in it"
                )
    yield from of_takeover
    if options.mcp:
        if problem := mcp_sdk.sdk_problem():
            yield f"{problem} {mcp_sdk.INSTALL_REMEDY}"
        for client in chosen:
            if client.servers is None or client.servers.place(scope) is None:
                where = f" of scope {scope}" if client.servers is not None else ""
                yield (f"{client.title}: no MCP server was registered{where}; {client.server_hint}")
    recommends = options.via is None and bool(options.clients or options.yes)
    # What people have to know where a client calls a server as its hook, or could.
    for client in chosen:
        kind = options.via or hook_installation.registered_kind(client, scope, around)
        asks_version = recommends and kind == hook_installation.COMMAND
        if asks_version and (version := tool_hook_version(client, around)):
            where = f" --scope {scope}" if scope != PROJECT else ""
            yield (
                f"{client.title} {version} can call a server as its hook, without a process "
                f"for each event: `synapse install --client {client.name}{where} --via mcp`"
            )
        if kind != hook_installation.SERVER or client.tool_hooks is None:
            continue
        if not client.restarts_servers:
            yield (
                f"{client.title} starts the server {client_settings.HOOK_SERVER_NAME} once in a "
                "session; if it ends, that session's prompts go on without the rules"
            )
        if scope == PROJECT:
            since = ".".join(map(str, client.tool_hooks.since))
            yield (
                f"{client.title}: everybody who shares these settings needs {since} or later: "
                f"{client.tool_hooks.older}"
            )
            if client.asks_for_servers:
                yield (
                    f"{client.title} asks about the server {client_settings.HOOK_SERVER_NAME} "
                    "once; whoever declines "
                    "it gets no rules, and sees at each prompt that the hook failed"
                )
    if options.lsp and scope != PROJECT:
        yield "no language server was registered: Copilot CLI has a place for it in projects only"


_COMMAND_PURPOSES = {
    "init": " creates a tree, so that there are rules to inject",
    "install": " registers the hook with these; nothing was written yet",
    "trust": " lets the hook serve this tree; until then it says nothing here",
    "doctor": " calls the hook as the clients do, and says what it answers",
}
_SHARING_CLIENTS = {"vscode", "copilot"}  # they read the same hook files


def _install_notes(surroundings: Surroundings, clients: list[Client], scope: str) -> Iterator[str]:
    if scope == PROJECT and not hook_registrations.shared_program(surroundings)[0]:
        yield (
            "`synapse-ls` is not on the search path here, so the shared settings inject nothing "
            "on this machine (`--scope local` and `--scope user` name the interpreter)"
        )
    if scope != "local" and len({client.name for client in clients} & _SHARING_CLIENTS) == 1:
        yield "VS Code and GitHub Copilot CLI read the same hook files: both will call the hook"
    for client in clients:
        if (place := client.place(scope)) is not None:
            file = client.path_of(place, surroundings)
            yield from (note.sentence for note in find_left_out(client, file, surroundings))
        if client.after_install:
            yield f"{client.title}: {client.after_install}"


def _next_commands(
    surroundings: Surroundings,
    clients: list[Client],
    scope: str,
    is_proposal: bool,
    is_trusted: bool | None,
    answers: Takeover,
) -> Iterator[str]:
    where = f" --scope {scope}" if scope != PROJECT else ""
    if is_proposal:
        named = "".join(f" --client {c.name}" for c in clients)
        yield f"synapse install{named}{where}{' --replace' * bool(answers.engines)}"
        return
    if not client_options.has_tree(surroundings):
        yield "synapse init"
    elif is_trusted is False:
        yield "synapse trust"
    yield "synapse doctor"


def _print_first_block(reply: CanaryReply, answers: Takeover, root: str, console: Console) -> None:
    """Print what a first prompt is told now, what of it comes later with an agent, and how large
    the other engine's files are.
    """
    if reply.text:
        console.line()
        console.write(reply.text)
        console.line()
        tokens = format_count(estimate_tokens(reply.text), "token")
        console.line(f"{tokens} reach the model with the first prompt of a session.")
        if late := describe_overflow(tree_checks.read_delivered_tree(root).tree):
            console.line(late)
    else:
        why = f": {reply.error or reply.log_line}" if reply.error or reply.log_line else ""
        console.line(Styled("nothing reaches the model", "bad"), why)
    for files in answers.files:
        engine = f"{files.engine[0].upper()}{files.engine[1:]}"
        console.line(
            f"{engine} injects a part of its {format_count(files.count, 'file')} in "
            f"{files.folder}/ again with every prompt. The files have "
            f"{format_count(files.tokens, 'token')}; how many of them it injects is not known, "
            "since nothing of it was run."
        )


@command(
    client_options.client_option(default="what is found here is proposed"),
    client_options.scope_option(default="project"),
    switch("--yes", "without --client: accept what is proposed"),
    switch("--trust", "with --scope user: trust the tree here as well"),
    switch("--statusline", "have Claude Code show `synapse statusline`, unless it shows another"),
    switch(
        "--replace",
        "take the place of another engine's hooks, which `synapse uninstall` restores "
        "(default: asked on a terminal)",
        action=BooleanOptionalAction,
        default=None,
    ),
    switch(
        "--live",
        "choose the profile synapse-live where triggers are inactive in a fresh window, or a first "
        "block has no room for what always applies (default: asked on a terminal)",
        action=BooleanOptionalAction,
        default=None,
    ),
    exclusive(
        switch(
            "--guard",
            "have the hook asked before each use of a tool (default: unless the tree's "
            "guard is off; in Cursor's shared settings, where it is enforced)",
            action="store_true",
            default=None,
        ),
        switch(
            "--no-guard", "do without, whatever the tree says", action="store_false", dest="guard"
        ),
    ),
    switch(
        "--fail-closed",
        "have the client refuse a tool where the program is missing or fails (Claude Code, Codex, "
        "Copilot, Gemini CLI, Cursor); a policy whose guard enforces asks for it as well",
    ),
    option(
        "--via VIA",
        "how Claude Code and Codex call the hook: a command for each event, or (mcp) a "
        "server that they start once (default: as it is now, else command)",
        choices=(hook_installation.COMMAND, hook_installation.SERVER),
        default=None,
    ),
    switch("--mcp", "register the MCP server (`synapse mcp`) as well"),
    switch(
        "--lsp",
        "have Copilot CLI start the language server (`synapse serve`) for files of the tree",
    ),
    option_group("Output", DRY_RUN_SWITCH, FORMAT_OPTION),
)
def run(options: Namespace, console: Console) -> None:
    """Registers the hook in the settings of agent clients, for every event that it has an answer
    to. Other settings and hooks stay as they are, to the character, and so do comments; the file
    as it was before is kept. Doing it again changes nothing, and entries of older versions are
    replaced. A file that the client could not read is an error with its place, and nothing is
    written.

    Without --client, the clients in use here are found and proposed. Settings of a project are
    shared, so the command in them works on every machine. It calls `synapse-ls` of the search path,
    nothing of the repository, and injects nothing on a machine without it. Settings of scope
    local and user name the interpreter, which is faster. A hook of scope user serves only trees
    that `synapse trust` has named.

    Where settings run another engine that injects the same rules (the original engine, or CARL's
    hook), it is shown, and --replace takes its place. Its hooks go, also those at a compaction, and
    its gotchas and sessions are imported. The block that now reaches the model is shown beside the
    size of its files. `synapse uninstall` restores every byte. On a terminal you are asked.

    Unless `[guard] mode` of the tree is "off", the hook is also asked before an agent uses a tool.

    Examples:

    # Which clients are in use here?
    $ synapse install

    # Claude Code and Cursor, for everybody in the project
    $ synapse install --client claude --client cursor

    # What would change?
    $ synapse install --client gemini --dry-run

    # Take over from the engine that is there
    $ synapse install --client claude --replace

    # Only for me, in all projects
    $ synapse install --client claude --scope user --trust
    """
    _install_hook(options, console, client_options.find_surroundings(options))


_GIT_PATIENCE = 5.0  # seconds


def _unrecorded_notes(
    around: Surroundings, changes: Sequence[hook_installation.SettingsChange]
) -> Iterator[str]:
    """Yield the shared settings files into which the hook came elsewhere: what stood in them before
    is not recorded here.
    """
    for change in changes:
        if change.scope != PROJECT or load_record(change.file) is not None:
            continue
        sentence = (
            f"no installation on this machine is recorded for {change.path}: if one elsewhere took "
            "out hooks of another engine, they do not come back"
        )
        tracked = ("--cached", "--", change.path)
        with suppress(git_runner.GitError):
            if git_runner.list_files(str(around.root), tracked, _GIT_PATIENCE):
                sentence += f"; `git log -p -- {change.path}` shows what stood there"
        yield sentence


def _kept_notes(around: Surroundings) -> Iterator[str]:
    """Yield what stays of ours in the project, after folders of it were removed in which nothing is
    left.
    """
    if (folder := around.root / TREE).is_symlink() or not folder.is_dir():
        return
    state = [folder / name for name in STATE_FOLDERS]
    for entry in state:
        if entry.is_dir() and not entry.is_symlink():
            session_store.remove_idle_folder(str(entry), str(around.root))
    session_store.remove_idle_gitignore(str(folder), str(around.root))
    if atomic_files.remove_folder(str(folder), within=str(around.root)):
        return
    if (around.root / MANIFEST).exists():
        beside = any(entry.exists() for entry in state)
        yield f"the rules in {TREE}/ stay{', with the sessions and notes beside them' * beside}"
    else:
        yield (
            f"{TREE}/ stays, with the sessions and notes that hooks have kept; nothing needs it now"
        )
    if any(name.endswith(".json") for name in outside_links.list_names(str(around.root), SESSIONS)):
        yield (
            f"each session holds words of a prompt, as its title; delete {SESSIONS}/ if they shall "
            "go"
        )


def _cached_notes(around: Surroundings) -> Iterator[str]:
    """Yield where the log of this project is, and its cache beside it."""
    files = Path(plan_cache.cache_folder(), plan_cache.cache_file_prefix(str(around.root)))
    if any(files.parent.glob(f"{files.name}*.injections")):
        tree = f", and {TREE}/," * (around.root / TREE).exists()
        yield (
            "the log and the cache of this project are "
            f"{client_settings.shown_path(files, around)}*; delete them{tree} if nothing shall stay"
        )


@command(
    client_options.client_option(default="all"),
    client_options.scope_option(default="all"),
    option_group("Output", DRY_RUN_SWITCH, FORMAT_OPTION),
)
def run_uninstall(options: Namespace, console: Console) -> None:
    """Takes the hook out of the settings of agent clients, older forms of it included, and the
    status line of `synapse install --statusline`. A file that nobody has touched since the
    installation is again what it was, to the byte. One that did not exist is removed, and so are
    folders made for it. Where somebody has edited it, only our entries go. Hooks of another engine
    that `synapse install --replace` took out are restored, and what it imported is removed, unless
    it was changed since. The record may be of a former clone at the same place. So nothing is
    restored in a file if nothing shows that it was taken out in this clone, and a message shows
    where the copy is.

    Examples:

    # Every client, every scope
    $ synapse uninstall

    # What would go?
    $ synapse uninstall --client claude --scope user --dry-run
    """
    around = client_options.find_surroundings(options)
    clients = client_options.selected_clients(options) or list(settings_registry.CLIENTS.values())
    scopes = (options.scope,) if options.scope else SCOPES
    changes = hook_installation.plan_uninstallation(around, clients, scopes)
    files = client_options.changes_report(changes)
    notes = [
        *_unrecorded_notes(around, changes),
        *hook_installation.withheld_engines(around, clients, scopes),
        *(
            f"the copy of {client_settings.shown_path(file, around)} in {copy.parent} is damaged, "
            "so what was there before does not come back from it; version control may have it"
            for file, copy in damaged_records(around.root)
        ),
    ]
    if not options.dry_run:
        hook_installation.apply_changes(changes)
        notes += forget_import(around)
        notes += client_options.follow_hook(around)
        if changes and not hook_registrations.registered_files(str(around.root)):
            notes += (*_kept_notes(around), *_cached_notes(around))
    shared = [c for c in changes if c.path.endswith("hooks/synapse.json")]
    if shared and len({client.name for client in clients} & _SHARING_CLIENTS) == 1:
        notes.append("VS Code and GitHub Copilot CLI read the same hook files: it is gone for both")
    if options.format == "json":
        console.json(
            {
                "root": str(around.root),
                "scope": options.scope or "",
                "dry_run": options.dry_run,
                "applied": not options.dry_run,
                "clients": [client.name for client in clients],
                "detected": [],
                "files": files,
                "trusted": None,
                "notes": notes,
                "next": [],
            }
        )
        return
    if not changes:
        console.line("Nothing to change: the hook is not registered.")
    client_options.show_changes(changes, console, dry_run=options.dry_run)
    console.notes(notes)
