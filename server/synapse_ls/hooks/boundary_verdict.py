"""Judge an agent's action by the boundaries of the tree, and warn of each once."""

from __future__ import annotations

import os

from synapse_ls.engine.domain_selection import select_domains
from synapse_ls.engine.situation import Request, Situation, resolve_situation
from synapse_ls.guard.action_verdict import (
    PROTECTED_FILES,
    SYSTEM_FILES,
    Verdict,
    judge_action,
    protection_clauses,
)
from synapse_ls.guard.agent_action import ENFORCE, UNKNOWN_FILE, WRITE, AgentAction
from synapse_ls.guard.boundary_patterns import DENY, EXCLUSIVE, MAX_KNOWN, Policy, parse_clause
from synapse_ls.hooks import hook_call
from synapse_ls.integrations.model_windows import measure_window_usage
from synapse_ls.storage.atomic_files import StorageError
from synapse_ls.storage.plan_cache import is_known_session
from synapse_ls.workspace import git_settings
from synapse_ls.workspace.linked_work_trees import find_git_folders, project_roots
from synapse_ls.workspace.regular_files import read_beginning
from synapse_ls.workspace.tree_folders import RULE_FOLDERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from typing import Any, Final

    from synapse_ls.engine.compiled_plan import Plan
    from synapse_ls.formats.session_file import SessionState
    from synapse_ls.guard.boundary_patterns import Clause

MAX_TEXT_BYTES: Final = 2_000_000  # bytes of a file whose sections are compared
FREE_WORD: Final = "free"  # of a boundary: what is exclusive to others does not bind its owner


def judge_event(
    call: hook_call.HookCall,
    plan: Plan,
    session: SessionState,
    use: AgentAction,
    without: Collection[str],
) -> tuple[Verdict, str]:
    """Return the verdict on the use of a tool that an event announces, and the agent on whom it
    is. without: as in `judge_use`.
    """
    window = session.find_window(call.window_key)
    turn = hook_call.turn_number(call, session, window)
    start = call.event.cwd or call.root
    files = [
        hook_call.path_in_root(call.root, spelled, call.event.cwd)
        for _, path in use.files
        if path != UNKNOWN_FILE
        for spelled in (path, os.path.realpath(os.path.join(start, path)))
    ]
    by_event = Request(agent=plan.find_agent(call.event.agent), files=tuple(filter(None, files)))
    request = hook_call.window_request(plan, session, window, turn, by_event)
    situation = resolve_situation(plan, request, measure_window_usage(plan, session))
    transcript = call.event.transcript
    verdict = judge_use(
        plan, situation, use, project_root=call.root, transcript=transcript, without=without
    )
    return verdict, situation.agent


def judge_use(
    plan: Plan,
    situation: Situation,
    use: AgentAction,
    *,
    project_root: str,
    transcript: str = "",
    mode: str = "",
    without: Collection[str] = (),
) -> Verdict:
    """Return the guard's verdict on the ``use`` of a tool in ``situation``, by the agent's
    boundaries.

    project_root: the folder that paths of boundaries are relative to. transcript: of the session,
    which says what a person has said. mode: that of the tree unless
    given. without: keys of rules that do not count.
    """
    policy = build_policy(plan, situation, without)
    if (mode or plan.settings["guard"]) == ENFORCE:
        places = git_settings.find_protected_places(project_root)
        places += (*plan.settings.get("adopted", ()), *plan.settings["named"])
        # Whether a squad's domains count beside the project's, or instead of them.
        squads = plan.settings["places"]["squads"]
        places += [f"{folder}/*/{name}" for folder in squads for name in _SQUAD_FILES]
        places += SYSTEM_FILES.get(plan.profile_table["source"], ())
        places += _linked_places(project_root)
        if (top := find_git_folders(project_root)[0]) not in ("", project_root):
            # A tree in a sub-folder takes nothing from those around it.
            places += [f"{top}/{glob}" for glob in PROTECTED_FILES if glob[0] not in "/~"]
        places += (transcript, os.path.realpath(transcript)) if transcript else ()
        policy.clauses += protection_clauses(places)
    aliases: dict[str, str] = {}
    if "git" in use.command:
        aliases.update(git_settings.read_git_aliases(project_root))
    if "gh" in use.command:
        aliases.update(git_settings.read_forge_aliases())
    files = [(verb, _resolve_path(path, project_root, use.folder)) for verb, path in use.files]
    rewritten = {}
    if any(clause.pattern.sections for clause in policy.clauses):
        rewritten = _rewritten_texts(use, files)
    # A link has a name that rules may be about, besides that of what it leads to.
    for (verb, real), (_, path) in zip(tuple(files), use.files, strict=True):
        spelled = os.path.normpath(os.path.join(_start_folder(project_root, use.folder), path))
        if spelled != real and spelled.startswith(f"{project_root.rstrip('/')}/"):
            files.append((verb, spelled))
            rewritten |= {spelled: rewritten[real]} if real in rewritten else {}
    resolved = AgentAction(**{**vars(use), "files": files, "rewritten": rewritten})
    home = os.path.expanduser("~")
    # A word of a command may be a path in a work tree that git's files do not name.
    words = use.command.translate(_PATH_ENDS).split()
    folder = _start_folder(project_root, use.folder)
    beside = (os.path.join(folder, path) for path in (*words, *(path for _, path in files)))
    roots = project_roots(project_root, beside)
    return judge_action(
        policy, resolved, root=project_root, aliases=aliases, home=home, roots=roots
    )


_PATH_ENDS: Final = str.maketrans(dict.fromkeys("'\"=<>|&;()`,", " "))
_SQUAD_FILES: Final = ("squad.yaml", "config.yaml")
_known_clauses: dict[tuple[Any, ...], Clause | None] = {}


def build_policy(plan: Plan, situation: Situation, without: Collection[str] = ()) -> Policy:
    """Return what the tree says to the agent: its own boundaries, what belongs to others, and the
    ``DENY`` and ``ALLOW`` rules of the domains that take part. without: keys of rules that do not
    count.
    """
    taking_part: set[str] | None = None
    agent = situation.agent
    policy = Policy(agent, [])
    others: dict[str, bool] = {}  # owners -> whether they are other agents of the tree
    for row in plan.boundaries:
        label, owner, effect, action, machine, note, key, file, line = row
        if key in without:
            continue
        if not owner:
            if taking_part is None:
                layers = select_domains(plan, situation).by_layer.values()
                taking_part = {domain.label for listed in layers for domain, _ in listed}
            if label not in taking_part:
                continue
        elif owner != agent:
            if owner not in others:
                owners = [plan.find_agent(name) for name in owner.split(", @")]
                others[owner] = any(owners) and agent not in owners
            if effect != EXCLUSIVE or not others[owner]:
                continue
        if effect == FREE_WORD:
            policy.is_free = True
            continue
        if row not in _known_clauses:  # as they are where a server judges many actions
            if len(_known_clauses) >= MAX_KNOWN:
                _known_clauses.clear()
            place = {"owner": owner, "key": key, "file": file, "line": line}
            _known_clauses[row] = parse_clause(
                effect, action, is_pattern=machine, note=note, **place
            )
        if clause := _known_clauses[row]:
            policy.clauses.append(clause)
    return policy


def unreadable_clauses(plan: Plan, agent: str) -> list[tuple[str, str, int, str]]:
    """Return ``(key, file, line, action)`` of an agent's boundaries on which there can be no
    verdict, since no command can be recognised in them: the agent is told of them, the guard cannot
    see to them.
    """
    return [
        (key, file, line, action)
        for _, owner, effect, action, machine, _, key, file, line in plan.boundaries
        if owner == agent
        and effect == DENY
        and parse_clause(effect, action, is_pattern=machine) is None
    ]


def _rewritten_texts(
    use: AgentAction, files: Sequence[tuple[str, str]]
) -> dict[str, tuple[str, str]]:
    """Return the text before and after ``use`` of the file that it writes, by its path; nothing
    where that cannot be told.
    """
    written = [path for verb, path in files if verb == WRITE]
    if len(written) != 1 or UNKNOWN_FILE in written:
        return {}
    try:
        before = read_beginning(written[0], MAX_TEXT_BYTES + 1)
    except FileNotFoundError:
        before = b""
    except OSError:
        return {}
    if len(before) > MAX_TEXT_BYTES:
        return {}
    text = before.decode("utf-8", "replace")
    from synapse_ls.integrations.tool_edits import edited_text

    after = edited_text(use.tool, use.given, text)
    return {} if after is None else {written[0]: (text, after)}


def _start_folder(project: str, folder: str) -> str:
    return os.path.join(project, folder.partition("\0")[0])


def _linked_places(root: str) -> list[str]:
    """Return globs of where links lead that stand in the place of rules and hook settings, which
    are protected there, too.
    """
    globs = [f"{folder}/**" for folder in RULE_FOLDERS]
    globs += [*PROTECTED_FILES, ".claude/settings.json", ".claude/settings.local.json"]
    for folder in RULE_FOLDERS:
        try:
            with os.scandir(f"{root}/{folder}") as entries:
                globs += [f"{folder}/{entry.name}" for entry in entries if entry.is_symlink()]
        except OSError:
            continue  # there is none
    linked = {"": False}

    def is_linked(path: str) -> bool:
        if path not in linked:
            linked[path] = is_linked(path.rpartition("/")[0]) or os.path.islink(f"{root}/{path}")
        return linked[path]

    places = []
    for glob in globs:
        head, star, rest = glob.partition("*")
        path = head.rstrip("/")
        if head[:1] not in ("", "~", "/") and is_linked(path):
            slash = "/" if head.endswith("/") else ""
            places.append(f"{os.path.realpath(f'{root}/{path}')}{slash}{star}{rest}")
    return places


def _resolve_path(path: str, project: str, folder: str) -> str:
    """Return where a path of a tool really leads: links in it have been followed, and a NUL ends
    it, as it does for the system.
    """
    if path == UNKNOWN_FILE:
        return path
    start = _start_folder(project, folder)
    real = os.path.realpath(os.path.join(start, os.path.expanduser(path.partition("\0")[0])))
    root = os.path.realpath(project)
    return os.path.join(project, os.path.relpath(real, root)) if real.startswith(root) else real


def warn_agent(
    call: hook_call.HookCall, session: SessionState, verdict: Verdict, reason: str
) -> bool:
    """Warn the agent, who may go on; return False where it was warned of this rule in this turn
    already. session: as it was read for the verdict.
    """
    rule = verdict.clause.citation if verdict.clause is not None else verdict.reason
    text = f"{reason} The guard is set to warn, so the tool is used all the same."
    reply = {
        **call.host.notice_reply(call.event, text),
        **call.host.context_reply(call.event, text),
    }
    if not call.event.session_id:
        call.write_reply(reply)
        return True
    # Nobody need wait for the lock to hear that there is nothing to say.
    if (
        is_known_session(call.root, call.event.session_id)
        and rule in _warned_rules(call, session)[1]
    ):
        return False
    try:
        with call.session_transaction() as transaction:
            window = transaction.session.open_window(call.window_key)
            turn, rules = _warned_rules(call, transaction.session)
            if rule in rules:
                return False
            window.warned = turn, (*rules, rule)
            # After a compaction the same warning may wait already.
            if not call.takes_context and text not in window.warnings:
                window.warnings = (*window.warnings, text)
            call.write_reply(reply)
            transaction.commit()
    except StorageError:
        call.write_reply(reply)  # without a place to remember, every warning is the first one
    return True


def _warned_rules(call: hook_call.HookCall, session: SessionState) -> tuple[int, tuple[str, ...]]:
    """Return the number of the turn, and the rules that the agent was warned of in it."""
    window = session.find_window(call.window_key)
    turn = hook_call.turn_number(call, session, window)
    at, rules = window.warned
    return turn, rules if at == turn else ()
