"""What a tree has and where it stands, as plain values: its domains, its sessions, its status.

As in ``reports``, keys are never renamed or removed.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from synapse_ls.engine.tokens import tokens_of
from synapse_ls.service.navigating import navigation_report
from synapse_ls.service.reports import notes_of, situation_report, usage_report
from synapse_ls.sessions.archive import moment
from synapse_ls.workspace.folders import SESSIONS, TREE

if TYPE_CHECKING:
    from typing import Any

    from synapse_ls.engine.account import DomainAccount
    from synapse_ls.engine.plan import Domain, Plan, Squad
    from synapse_ls.engine.situation import Situation
    from synapse_ls.service.answer import Answer
    from synapse_ls.sessions.archive import SessionInfo

CURRENT_HOURS = 1.0
"""A session is current while its last activity is no older."""

EMPTY = "the tree is empty: run `synapse init`"
"""What is said about a tree without any file."""

_SETTINGS = ("config.toml", ".gitignore")
_BUILT_IN = {
    "constitution": "always on",
    "global": "always on",
    "context": "by bracket",
    "commands": "star-commands",
    "session": "session",
    "handoff": "agent or task",
    "identity": "always",
    "short-term": "always",
    "memory": "words of the prompt, the work at hand",
}
_BUILT_IN_LAYERS = {
    "constitution": "L0",
    "global": "L1",
    "context": "L1",
    "commands": "L7",
    "session": "L3",
    "handoff": "L4",
    "identity": "IDENTITY",
    "short-term": "STM",
    "memory": "LTM",
    "section": "SECTIONS",
}
_MARKER = len("    1. ") + 1  # what a rule's line in a block has beside its text


def sessions_folder(root: str) -> str:
    """Where the sessions of a tree are."""
    return os.path.join(root, SESSIONS)


def wakes_by(plan: Plan, domain: Domain) -> str:
    """What brings a domain in, in a few words; "" where nothing can."""
    if domain.role in _BUILT_IN:
        return _BUILT_IN[domain.role]
    ways = [
        "always on" if domain.always_on else "",
        f"@{domain.agent}" if domain.agent else "",
        f"workflow {domain.workflow}" if domain.workflow else "",
        "keywords" if domain.recall else "",
        "paths" if domain.paths else "",
        f"every {domain.every_n_turns} prompts" if domain.every_n_turns else "",
        f"past {domain.on_tokens} tokens" if domain.on_tokens else "",
        f"squad {plan.squads[domain.squad].folder}" if domain.squad >= 0 else "",
    ]
    return ", ".join(way for way in ways if way) or ("always" if domain.role else "")


def home_layer(domain: Domain) -> str:
    """The layer that a domain takes part in, or would."""
    if domain.role:
        return _BUILT_IN_LAYERS[domain.role]
    if domain.squad >= 0:
        return "L5"
    if domain.agent:
        return "L2"
    if domain.workflow:
        return "L3"
    return "L1" if domain.always_on else "L6"


def tokens_in(domain: Domain) -> int:
    """What all rules of a domain cost in a block."""
    return sum(tokens_of(len(row.text) + _MARKER) for row in domain.rows)


def emptiness(plan: Plan) -> str:
    """Why a tree has no domain, and what to do; "" where it has some."""
    if plan.packed:
        return ""
    folder = os.path.join(plan.root, TREE)
    if os.path.isfile(os.path.join(folder, "manifest")):
        return "the manifest declares no domain: `synapse domain new` adds one"
    names = os.listdir(folder) if os.path.isdir(folder) else ()
    if any(os.path.isfile(os.path.join(folder, name)) for name in names if name not in _SETTINGS):
        return "the tree has no manifest: `synapse check` says what that means"
    return EMPTY


def domain_report(plan: Plan, domain: Domain) -> dict[str, Any]:
    """A domain."""
    return {
        "label": domain.label,
        "name": domain.name,
        "squad": plan.squads[domain.squad].folder if domain.squad >= 0 else None,
        "active": domain.active,
        "always_on": domain.always_on,
        "non_negotiable": domain.non_negotiable,
        "agent": domain.agent or None,
        "workflow": domain.workflow or None,
        "recall": list(domain.recall),
        "exclude": list(domain.exclude),
        "paths": list(domain.paths),
        "every_n_turns": domain.every_n_turns or None,
        "on_tokens": domain.on_tokens or None,
        "layer": home_layer(domain),
        "wakes_by": wakes_by(plan, domain) or None,
        "rules": len(domain.rows),
        "tokens": tokens_in(domain),
        "file": domain.file or None,
        "manifest": domain.manifest or None,
        "line": domain.line + 1 if domain.manifest else None,
    }


def squad_report(plan: Plan, squad: Squad, file: str, situation: Situation) -> dict[str, Any]:
    """A squad; ``file`` says what it is, ``situation`` is that of the next prompt."""
    domains = [plan.domain(position) for position in squad.domains]
    active = situation.squad == squad.folder
    return {
        "folder": squad.folder,
        "name": squad.name,
        "mode": squad.mode,
        "active": active,
        "source": situation.squad_source if active else None,
        "domains": [domain.label for domain in domains],
        "rules": sum(len(domain.rows) for domain in domains),
        "tokens": sum(map(tokens_in, domains)),
        "file": file or None,
        "line": 1 if file else None,
    }


def session_report(info: SessionInfo, root: str) -> dict[str, Any]:
    """A session as a list shows it."""
    return {
        "id": info.session_id or None,
        "title": info.title or None,
        "label": info.label or None,
        "last_activity": stamp(info.last_activity),
        "prompts": info.prompt_count,
        "bracket": info.bracket or None,
        "agent": info.agent or None,
        "file": os.path.relpath(info.path, root).replace(os.sep, "/"),
        "problem": info.problem or None,
    }


def status_report(
    answer: Answer, accounts: tuple[DomainAccount, ...], hooks: tuple[str, ...]
) -> dict[str, Any]:
    """What the next prompt would be answered with; ``hooks`` are settings that register ours."""
    assembly = answer.assembly
    session = answer.session
    at = moment(session.get("last_activity")) if session else None
    return {
        "root": answer.plan.root,
        "profile": answer.plan.profile.name,
        "bracket": assembly.situation.bracket.name,
        "usage": usage_report(assembly.situation.usage),
        "tokens": assembly.tokens,
        "budget": assembly.budget,
        "cuts": len(assembly.cut),
        "over_budget": assembly.over_budget,
        **situation_report(assembly.situation),
        "navigation": navigation_report(answer),
        "session": {
            "id": session.get("uuid"),
            "title": session.get("title"),
            "prompts": session.get("prompt_count"),
            "last_activity": None if at is None else stamp(at),
        }
        if session
        else None,
        "domains": {
            "total": len(accounts),
            "in_block": sum(domain.rendered > 0 for domain in accounts),
        },
        "rules": {
            "total": sum(len(domain.rules) for domain in accounts),
            "in_block": sum(domain.rendered for domain in accounts),
        },
        "hooks": list(hooks),
        "notes": list(notes_of(answer)),
    }


def stamp(moment: float) -> str:
    """A moment as ISO 8601 in UTC."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment))
