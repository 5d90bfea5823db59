"""All that can be asked of a tree: every command, every hook event, the MCP server, the language server."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from synapse_ls.integrations.client_registry import HOOK_CLIENTS, load_client
from synapse_ls.integrations.hook_commands import TOOL_NAME, fill_input, tool_input
from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.lsp.feature_table import FEATURES
from synapse_ls.mcp.server import TOOLS
from tests.hostile.scratch_place import SECRET

Job = dict[str, Any]

SESSION = "s1"
COMMANDS: dict[str, tuple[str, ...]] = {
    "context": ("context 'deploy the api' --agent dev", "context --format json --story 1.1"),
    "explain": ("explain 'deploy the api'",),
    "why": ("why GLOBAL_RULE_0", "why GLOBAL"),
    "status": ("status", "status --format json"),
    "domains": ("domains",),
    "guard": ("guard 'git push' --agent dev",),
    "log": ("log",),
    "replay": ("replay transcript.jsonl",),
    "coverage": ("coverage", "coverage transcript.jsonl"),
    "audit": ("audit", "audit transcript.jsonl"),
    "diagnose": ("diagnose",),
    "compact": ("compact history.json",),
    "check": (
        "check",
        "check --format sarif",
        "check --since HEAD",
        "check --fix --unsafe-fixes",
    ),
    "fmt": ("fmt",),
    "rule": ("rule SYN201",),
    "schema": ("schema config",),
    "completion": ("completion bash",),
    "completion candidates": (
        "completion candidates -- context --agent x",
        "completion candidates -- why X",
    ),
    "test": ("test",),
    "diff": ("diff", "diff HEAD"),
    "init": ("init", "init fresh"),
    "migrate": ("migrate --dry-run", "migrate"),
    "constitution build": ("constitution build",),
    "constitution check": ("constitution check",),
    "rename": ("rename domain DOCS GUIDES",),
    "domain new": ("domain new EXTRA --keyword extra",),
    "domain show": ("domain show TESTING",),
    "domain toggle": ("domain toggle TESTING",),
    "domain rename": ("domain rename GUIDES DOCS",),
    "domain suggest": ("domain suggest 'Tests are small'",),
    "domain rule add": ("domain rule add TESTING 'Tests are small.'",),
    "domain rule edit": ("domain rule edit TESTING 0 'Tests are fast.'",),
    "domain rule remove": ("domain rule remove TESTING 0",),
    "profile list": ("profile list",),
    "profile show": ("profile show",),
    "profile diff": ("profile diff synapse synapse-live",),
    "profile use": ("profile use synapse",),
    "memory add": ("memory add 'Deploys wait for QA.'",),
    "memory list": ("memory list",),
    "memory show": ("memory show one",),
    "memory search": ("memory search deploy",),
    "memory confirm": ("memory confirm one",),
    "memory forget": ("memory forget one",),
    "memory restore": ("memory restore one",),
    "memory stats": ("memory stats",),
    "memory gc": ("memory gc",),
    "memory short-term show": ("memory short-term show",),
    "memory short-term set": ("memory short-term set 'Half done.'",),
    "memory short-term log": ("memory short-term log --event 'It began.'",),
    "memory short-term clear": ("memory short-term clear",),
    "memory migrate": ("memory migrate",),
    "recover": (f"recover --session {SESSION}", "recover --spawn"),
    "handoff": (f"handoff --session {SESSION}",),
    "learn list": ("learn list",),
    "learn show": ("learn show p1",),
    "learn accept": ("learn accept p1",),
    "learn reject": ("learn reject p1",),
    "learn revert": ("learn revert p1",),
    "serve": ("serve --help",),
    "install": (
        "install --client all --guard --mcp --lsp --yes",
        "install --client codex --via mcp --scope user --yes",
    ),
    "uninstall": ("uninstall --client all",),
    "doctor": ("doctor --runs 1", "doctor --runs 1 --format json"),
    "sync": ("sync --check", "sync"),
    "activate": ("activate dev", "activate @qa --format json"),
    "policy": ("policy", "policy --all --format json"),
    "trust": ("trust", "trust --pin --yes", "trust --list", "trust --unpin", "trust --remove"),
    "hook": ("hook --event Nonsense",),
    "hook-server": ("hook-server --help",),
    "mcp": ("mcp --help",),
    "statusline": ("statusline",),
    "session list": ("session list",),
    "session show": (f"session show {SESSION}",),
    "session set": (f"session set {SESSION} agent=dev",),
    "session reset": (f"session reset {SESSION}",),
    "session clean": ("session clean",),
    "session migrate": ("session migrate", "session migrate --rollback"),
}
"""Each command of the table, as it is called here. Those that take settings away come last."""

LAST = ("uninstall",)
TOOL_ARGUMENTS: dict[str, Job] = {
    "why": {"rule": "GLOBAL_RULE_0"},
    "guard": {"command": "git push", "agent": "dev"},
    "memory_search": {"query": "deploy"},
    "memory_add": {"text": "Deploys wait for QA."},
    "memory_forget": {"id": "one"},
    "activate_agent": {"agent": "dev"},
    "set_task": {"session": SESSION, "task": "build"},
    "set_workflow": {"session": SESSION, "workflow": "story_development"},
    "handoff": {"session": SESSION},
    "compact": {"file": "history.json"},
    "short_term_update": {"summary": "Half done."},
}


def list_jobs(project: Path) -> list[Job]:
    """All that is asked of the tree in ``project``, in that order."""
    events = list(hook_events(project))
    settings_last = sorted(COMMANDS, key=lambda name: name in LAST)
    commands = [_command(line) for name in settings_last for line in COMMANDS[name]]
    servers = [ask_hook_server(project), _ask_mcp(), ask_editor(project)]
    return [*events, ask_statusline(project), *commands, *servers]


def ask_statusline(project: Path) -> Job:
    """What Claude Code sends for its status line."""
    place = {"current_dir": str(project), "project_dir": str(project)}
    raw = {"session_id": SESSION, "cwd": str(project), "workspace": place}
    raw["transcript_path"] = str(project / "transcript.jsonl")
    return _job("statusline of a session", ["statusline"], json.dumps(raw))


def _command(line: str) -> Job:
    return _job(line, shlex.split(line))


def _job(name: str, arguments: list[str], stdin: str = "", answers: int = 0) -> Job:
    return {"name": name, "arguments": arguments, "stdin": stdin, "answers": answers}


def hook_events(project: Path) -> Iterable[Job]:
    """An event of each kind, from the first client that has one."""
    seen: set[str] = set()
    for client in HOOK_CLIENTS:
        module = load_client(client)
        assert module is not None
        for event, kind in module.event_kinds.items():
            if kind not in seen:
                seen.add(kind)
                yield _hook_event(project, client, event)
    yield _hook_event(project, "claude", "UserPromptSubmit")
    # What a hook installed for the user says in a tree that nobody trusts.
    asked = _hook_event(project, "claude", "UserPromptSubmit")
    yield {**asked, "arguments": [*asked["arguments"], "--scope", "user"]}


def _hook_event(project: Path, client: str, event: str) -> Job:
    raw = {
        "hook_event_name": event,
        "session_id": SESSION,
        "conversation_id": SESSION,
        "cwd": str(project),
        "workspacePaths": [str(project)],
        "transcript_path": str(project / "transcript.jsonl"),
        "prompt": "deploy the api, then *brief; see .synapse/global",
        "tool_name": "Bash",
        "tool_input": {"command": "npm test", "file_path": str(project / ".synapse/global")},
        "error": "Error: connect ECONNREFUSED 127.0.0.1:5432",
        "reason": "clear",
        "trigger": "manual",
    }
    if event == "SessionStart":  # the source of a prompt is another thing
        raw["source"] = "startup"
    words = ["hook", "--client", client, "--event", event]
    return _job(f"{client} {event}", words, json.dumps(raw))


def _ask_mcp() -> Job:
    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }
    asked: list[tuple[str, Job]] = [("initialize", hello)]
    asked += [("tools/list", {}), ("prompts/list", {}), ("resources/list", {})]
    asked += [
        ("tools/call", {"name": name, "arguments": TOOL_ARGUMENTS.get(name, {})}) for name in TOOLS
    ]
    lines = [
        {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        for number, (method, params) in enumerate(asked, 1)
    ]
    lines.insert(1, {"jsonrpc": "2.0", "method": "notifications/initialized"})
    text = "".join(json.dumps(line) + "\n" for line in lines)
    return _job("mcp", ["mcp"], text, answers=len(asked))


def ask_hook_server(project: Path) -> Job:
    """Each event for which Claude Code calls the server, twice."""
    tool_hooks = CLIENTS["claude"].tool_hooks
    assert tool_hooks is not None
    lines: list[Job] = [{"method": "initialize", "params": {"protocolVersion": "2025-11-25"}}]
    for event in (*tool_hooks.fields, *tool_hooks.fields):
        payload = json.loads(_hook_event(project, "claude", event)["stdin"])
        arguments = fill_input(tool_input(event, tool_hooks.fields[event]), payload)
        call = {"name": TOOL_NAME, "arguments": arguments}
        lines.append({"method": "tools/call", "params": call})
    text = "".join(
        json.dumps({"jsonrpc": "2.0", "id": number, **line}) + "\n"
        for number, line in enumerate(lines, 1)
    )
    return _job("hook-server", ["hook-server", "--client", "claude"], text, answers=len(lines))


DOCUMENTS = (
    ".synapse/manifest", ".synapse/global", ".synapse/config.toml", ".synapse/agent-dev",
    "AGENTS.md", ".aios/story-state.yaml",
)  # fmt: skip


def ask_editor(project: Path) -> Job:
    root = project.as_uri()
    folder = {"uri": root, "name": "project"}
    sent: list[Job] = [
        {
            "id": 1,
            "method": "initialize",
            "params": {
                "processId": None,
                "rootUri": root,
                "capabilities": {},
                "workspaceFolders": [folder],
                "initializationOptions": {"trusted": True},
            },
        },
        {"method": "initialized", "params": {}},
    ]
    number = 1
    for path in DOCUMENTS:
        place = project / path
        text = ""
        if place.is_file() and not place.is_symlink():
            # What an editor shows it has read itself, also behind a link: that may be told back to it.
            shown = place.read_text(encoding="utf-8", errors="replace")[:50_000]
            text = shown.replace(SECRET, "what the editor shows")
        uri = place.as_uri()
        opened = {"uri": uri, "languageId": "plaintext", "version": 1, "text": text}
        sent.append({"method": "textDocument/didOpen", "params": {"textDocument": opened}})
        for method in FEATURES:
            if method.startswith("textDocument/"):
                number += 1
                sent.append({"id": number, "method": method, "params": _position_params(uri)})
    for method in FEATURES:
        if method.startswith(("synapse/", "workspace/symbol")):
            number += 1
            params = {"query": "a", "rule": "GLOBAL_RULE_0", "command": "git push", "agent": "dev"}
            sent.append({"id": number, "method": method, "params": {"root": root, **params}})
    number += 1
    sent.append({"id": number, "method": "shutdown", "params": None})
    sent.append({"method": "exit", "params": None})
    frames = []
    for message in sent:
        body = json.dumps({"jsonrpc": "2.0", **message})
        frames.append(f"Content-Length: {len(body.encode())}\r\n\r\n{body}")
    return _job("serve", ["serve"], "".join(frames), answers=number)


def _position_params(uri: str) -> Job:
    place = {"line": 0, "character": 3}
    return {
        "textDocument": {"uri": uri},
        "position": place,
        "positions": [place],
        "range": {"start": {"line": 0, "character": 0}, "end": place},
        "context": {"diagnostics": [], "includeDeclaration": True, "triggerKind": 1},
        "options": {"tabSize": 4, "insertSpaces": True},
        "newName": "OTHER",
        "previousResultId": "0",
    }
