"""What both programs are given to do, in parts that can be played one beside the other."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from synapse_ls.cli.command_table import FAMILIES, ROWS
from synapse_ls.formats.json_schema import SCHEMAS
from synapse_ls.integrations.hook_commands import TOOL_NAME
from synapse_ls.mcp.server import TOOLS
from tests.compare.command_cases import (
    DAY_CLIENTS,
    Case,
    command_cases,
    day_cases,
    example_cases,
    help_cases,
    play_story,
    process_cases,
    recorded_cases,
    row_cases,
)
from tests.compare.differences import Answers, Parts
from tests.compare.editor_transcript import Editing
from tests.compare.place import Place
from tests.compare.programs import Program
from tests.compare.spoken_server import FramedServer, LineServer, answer_text
from tests.compare.templates import Template
from tests.hostile.asked_of_a_tree import TOOL_ARGUMENTS, ask_hook_server

KINDS = ("cli", "hooks", "lsp", "mcp", "inventory")
CHUNK = 60  # cases that one worker plays before another one may go on
DAY_TREES = ("team", "showcase", "band", "board", "brainiac")
"""The trees in which Claude Code has a day; other clients have theirs in the first."""
MAIN_TREES = ("showcase", "team", "band-v2")
"""The trees in which each command is asked in each format, and in more ways."""
ROW_TREES = ("team", "showcase", "band-v2", "board", "corpus-aiox")
PROCESS_TREE = "showcase"
HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "compare", "version": "1"},
}


class Scenario(NamedTuple):
    """Something that a program does in a place, and the cases that this answers."""

    kind: str
    name: str
    play: Callable[[Place, Program], Answers]


def list_scenarios(
    templates: Sequence[Template], kinds: Sequence[str], *, is_quick: bool
) -> Iterator[Scenario]:
    """All that is played; what takes long comes first."""
    makers = {
        "lsp": _editor_scenarios,
        "hooks": _hook_scenarios,
        "cli": _command_scenarios,
        "mcp": _agent_scenarios,
        "inventory": _inventory_scenarios,
    }
    for kind, make in makers.items():
        if kind in kinds:
            yield from make(templates, is_quick=is_quick)


# The command line


def _command_scenarios(templates: Sequence[Template], *, is_quick: bool) -> Iterator[Scenario]:
    by_name = {template.name: template for template in templates}
    showcase = by_name[PROCESS_TREE]
    for template in templates:
        is_main = template.name in MAIN_TREES
        cases = command_cases(has_more=is_main and not is_quick, has_all_formats=is_main)
        yield from _in_chunks("cli", template, cases)
    yield from _in_chunks("cli", showcase, help_cases())
    if is_quick:
        return
    yield from _in_chunks("cli", showcase, process_cases())
    yield from _in_chunks("cli", showcase, example_cases())
    for name in ROW_TREES:
        if name in by_name:
            yield _row_scenario("cli", f"{name} in a row", by_name[name], _all_in_a_row)


def _all_in_a_row(place: Place) -> Iterator[Case]:
    return iter(row_cases(place.project))


def _in_chunks(kind: str, template: Template, cases: Sequence[Case]) -> Iterator[Scenario]:
    """Cases of which each finds the tree as it was."""
    for begin in range(0, len(cases), CHUNK):
        chunk = cases[begin : begin + CHUNK]

        def play(place: Place, program: Program, chunk: Sequence[Case] = chunk) -> Answers:
            answers: Answers = {}
            is_fresh = False
            for case in chunk:
                if not is_fresh:
                    place.reset(template.folder)
                parts = play_case(place, program, case)
                # What a command has put into the caches may stay: it has to make no difference.
                is_fresh = not any(name.startswith("file ") for name in parts)
                answers[case.name] = parts
            return _named(template, answers)

        yield Scenario(kind, f"{template.name} {begin // CHUNK}", play)


def _row_scenario(
    kind: str, name: str, template: Template, list_cases: Callable[[Place], Iterator[Case]]
) -> Scenario:
    """Cases of which each finds the tree as the one before has left it."""

    def play(place: Place, program: Program) -> Answers:
        place.reset(template.folder)
        answers: Answers = {}
        for number, case in enumerate(list_cases(place)):
            answers[f"{name} {number}: {case.name}"] = play_case(place, program, case)
        return answers

    return Scenario(kind, name, play)


def _named(template: Template, answers: Answers) -> Answers:
    return {f"{template.name}: {name}": parts for name, parts in answers.items()}


def play_case(place: Place, program: Program, case: Case) -> Parts:
    """What a line says, and what it leaves in files."""
    for path, text in case.changes.items():
        target = place.project / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    outcome = place.run(
        program,
        {
            "name": case.name,
            "arguments": list(case.arguments),
            "stdin": case.stdin,
            "start": case.start,
            "folder": str(place.project),
            "environment": {**place.environment, **case.environment},
        },
    )
    parts: Parts = {
        "exit code": f"{outcome['code']}\n",
        "standard output": outcome["out"],
        "standard error": outcome["err"],
    }
    for path, text in place.take_changes().items():
        parts[f"file {path}"] = text
    return parts


# Hooks


def _hook_scenarios(templates: Sequence[Template], *, is_quick: bool) -> Iterator[Scenario]:
    by_name = {template.name: template for template in templates}
    team = by_name["team"]
    clients = ("claude",) if is_quick else DAY_CLIENTS
    for client in clients:
        for tree in DAY_TREES if client == "claude" and not is_quick else ("team",):
            yield _day_scenario(client, by_name[tree])
    for tree in ("team",) if is_quick else DAY_TREES:
        yield _story_scenario(by_name[tree])
    for client in clients:

        def play(place: Place, program: Program, client: str = client) -> Answers:
            answers: Answers = {}
            for case in recorded_cases(place.project, place.folder / "home", (client,)):
                place.reset(team.folder)
                answers[f"event {case.name}"] = play_case(place, program, case)
            return answers

        yield Scenario("hooks", f"events of {client}", play)
    yield Scenario("hooks", "hook server", lambda place, program: _ask_server(place, program, team))


def _story_scenario(template: Template) -> Scenario:
    def play(place: Place, program: Program) -> Answers:
        place.reset(template.folder)
        answers: Answers = {}

        def call(case: Case) -> str:
            parts = play_case(place, program, case)
            answers[f"story in {template.name} {len(answers)}: {case.name}"] = parts
            return parts["standard output"]

        play_story(place.project, call)
        return answers

    return Scenario("hooks", f"story in {template.name}", play)


def _day_scenario(client: str, template: Template) -> Scenario:
    def list_cases(place: Place) -> Iterator[Case]:
        return day_cases(client, place.project, place.folder / "home")

    return _row_scenario("hooks", f"day of {client} in {template.name}", template, list_cases)


def _ask_server(place: Place, program: Program, template: Template) -> Answers:
    place.reset(template.folder)
    job = ask_hook_server(place.project)
    answers: Answers = {}
    with LineServer(program, place, *job["arguments"]) as server:
        for number, line in enumerate(job["stdin"].splitlines()):
            asked = json.loads(line)
            response, _ = server.request(asked["method"], asked["params"])
            name = f"hook server {number} {asked['params'].get('name', TOOL_NAME)}"
            answers[name] = _response_parts(response)
        answers["hook server: end"] = {"exit code": f"{server.exit_code()}\n"}
    answers["hook server: end"] |= _changed_files(place)
    return answers


def _response_parts(response: dict[str, Any]) -> Parts:
    return {"response": answer_text([response.get("result", response.get("error"))])}


def _changed_files(place: Place) -> Parts:
    return {f"file {path}": text for path, text in place.take_changes().items()}


# Editors and agents


def _editor_scenarios(templates: Sequence[Template], *, is_quick: bool) -> Iterator[Scenario]:
    for template in templates[:1] if is_quick else templates:

        def play(place: Place, program: Program, template: Template = template) -> Answers:
            place.reset(template.folder)
            with FramedServer(program, place, "serve") as server:
                answers = Editing(server, place.project).play(is_quick=is_quick)
                answers["end"] = {"exit code": f"{server.exit_code()}\n"}
                answers["end"]["standard error"] = server.error_text()
            answers["end"] |= _changed_files(place)
            return _named(template, answers)

        yield Scenario("lsp", template.name, play)


def _agent_scenarios(templates: Sequence[Template], *, is_quick: bool) -> Iterator[Scenario]:
    for template in templates[:1] if is_quick else templates:

        def play(place: Place, program: Program, template: Template = template) -> Answers:
            place.reset(template.folder)
            with LineServer(program, place, "mcp") as server:
                answers = _ask_agent_server(server)
                answers["end"] = {"exit code": f"{server.exit_code()}\n"}
            answers["end"] |= _changed_files(place)
            return _named(template, answers)

        yield Scenario("mcp", template.name, play)


def _ask_agent_server(server: LineServer) -> Answers:
    """All that MCP offers, listed and called."""
    answers: Answers = {}

    def ask(name: str, method: str, params: dict[str, Any]) -> Any:
        response, _ = server.request(method, params)
        answers[name] = _response_parts(response)
        return response.get("result") or {}

    ask("initialize", "initialize", HELLO)
    server.notify("notifications/initialized", {})
    ask("tools/list", "tools/list", {})
    prompts = ask("prompts/list", "prompts/list", {}).get("prompts", [])
    resources = ask("resources/list", "resources/list", {}).get("resources", [])
    ask("resources/templates/list", "resources/templates/list", {})
    for prompt in prompts:
        values = {one["name"]: "dev" for one in prompt.get("arguments", ()) if one.get("required")}
        asked = {"name": prompt["name"], "arguments": values}
        ask(f"prompt {prompt['name']}", "prompts/get", asked)
    for resource in resources:
        ask(f"resource {resource['uri']}", "resources/read", {"uri": resource["uri"]})
    for name in TOOLS:
        for arguments in dict.fromkeys((json.dumps(TOOL_ARGUMENTS.get(name, {})), "{}")):
            asked = {"name": name, "arguments": json.loads(arguments)}
            ask(f"tool {name} {arguments}", "tools/call", asked)
    ask("tool nonsense", "tools/call", {"name": "nonsense", "arguments": {}})
    return answers


# The inventory

_HELP_LINE = re.compile(r"^  (-.*?)(?:  |$)", re.MULTILINE)
_OPTION = re.compile(r"--[\w-]+")
_COMMAND_LINE = re.compile(r"^  ([a-z][\w-]*)  ", re.MULTILINE)
_INTERFACE = re.compile(r"^export interface (\w+).*?^}", re.MULTILINE | re.DOTALL)
_FIELD = re.compile(r"^  (?:readonly )?(\w+)\??:", re.MULTILINE)
_METHOD = re.compile(r"\bsynapse/\w+")
_LIBRARY = """
import inspect
import synapse_ls
import synapse_ls.compaction

for module in (synapse_ls, synapse_ls.compaction):
    for name in module.__all__:
        value = getattr(module, name)
        print(f"{module.__name__}.{name}")
        if inspect.isclass(value):
            fields = {*dir(value), *inspect.get_annotations(value)}
            print(*(f"{name}.{field}" for field in fields if field[0] != "_"), sep="\\n")
        elif inspect.isfunction(value):
            print(*(f"{name}({one})" for one in inspect.signature(value).parameters), sep="\\n")
"""


def _inventory_scenarios(templates: Sequence[Template], *, is_quick: bool) -> Iterator[Scenario]:
    tree = next(template for template in templates if template.name == PROCESS_TREE)

    def play(place: Place, program: Program) -> Answers:
        place.reset(tree.folder)
        lists = {
            **_listed_on_the_command_line(place, program),
            **_listed_by_servers(place, program),
            **_listed_in_files(program.folder),
            "the library": _listed_in_library(program),
        }
        return {
            name: {"names": "".join(f"{one}\n" for one in sorted(set(listed)))}
            for name, listed in lists.items()
        }

    yield Scenario("inventory", "inventory", play)


def _listed_on_the_command_line(place: Place, program: Program) -> dict[str, list[str]]:
    def say(line: str) -> str:
        return play_case(place, program, Case(line, line.split()))["standard output"]

    lists: dict[str, list[str]] = {"commands": _COMMAND_LINE.findall(say("--help"))}
    for name in (*ROWS, *FAMILIES):
        text = say(f"{name} --help")
        lists[f"options of {name}"] = [
            option for line in _HELP_LINE.findall(text) for option in _OPTION.findall(line)
        ]
        if name in FAMILIES:
            lists[f"commands of {name}"] = _COMMAND_LINE.findall(text)
    rules = json.loads(say("rule --format json"))
    lists["rules of the linter"] = [f"{rule['code']} {rule['name']}" for rule in rules]
    for name in SCHEMAS:
        lists[f"schema {name}"] = list(_leaves(json.loads(say(f"schema {name}")), "properties"))
    return lists


def _listed_by_servers(place: Place, program: Program) -> dict[str, list[str]]:
    with FramedServer(program, place, "serve") as editor:
        params: dict[str, Any] = {
            "processId": None,
            "rootUri": place.project.as_uri(),
            "capabilities": {},
        }
        capabilities, _ = editor.request("initialize", params)
        editor.request("shutdown", None)
        editor.notify("exit", None)
    with LineServer(program, place, "mcp") as agent:
        agent.request("initialize", HELLO)
        agent.notify("notifications/initialized", {})
        tools = agent.request("tools/list", {})[0]["result"]["tools"]
        prompts = agent.request("prompts/list", {})[0]["result"]["prompts"]
    return {
        "capabilities of the language server": list(_paths(capabilities["result"])),
        "tools of MCP": [one["name"] for one in tools],
        "arguments of tools of MCP": [
            f"{one['name']} {name}" for one in tools for name in one["inputSchema"]["properties"]
        ],
        "prompts of MCP": [one["name"] for one in prompts],
    }


def _listed_in_library(program: Program) -> list[str]:
    done = subprocess.run(
        [program.python, "-I", "-c", _LIBRARY], capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


def _listed_in_files(folder: Path) -> dict[str, list[str]]:
    extension = json.loads((folder / "clients/vscode/package.json").read_text(encoding="utf-8"))
    protocol = (folder / "clients/vscode/src/protocol.ts").read_text(encoding="utf-8")
    page = (folder / "docs/protocol.md").read_text(encoding="utf-8")
    interfaces = {match[1]: match[0] for match in _INTERFACE.finditer(protocol)}
    schemas = (folder / "docs" / "schema").glob("*.json")
    return {
        "custom methods": _METHOD.findall(protocol + page),
        "fields of reports": [
            f"{name}.{field}" for name, text in interfaces.items() for field in _FIELD.findall(text)
        ],
        "contributions of the extension": list(_paths(extension["contributes"])),
        "published schemas": [path.name for path in schemas],
        "pages of rules": [path.name for path in (folder / "docs" / "rules").glob("*.md")],
    }


def _leaves(value: object, word: str, beginning: str = "") -> Iterator[str]:
    """The names below each ``word`` of JSON, as paths."""
    if isinstance(value, dict):
        for name, item in value.items():
            if name == word and isinstance(item, dict):
                yield from (f"{beginning}{one}" for one in item)
                for one, inner in item.items():
                    yield from _leaves(inner, word, f"{beginning}{one}.")
            else:
                yield from _leaves(item, word, beginning)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item, word, beginning)


def _paths(value: object, beginning: str = "") -> Iterator[str]:
    """The paths to all values of JSON; an item of a list is called by its command, id, name or key."""
    if isinstance(value, dict):
        for name, item in value.items():
            yield f"{beginning}{name}"
            yield from _paths(item, f"{beginning}{name}.")
    elif isinstance(value, list):
        for item in value:
            if isinstance(item, dict):
                names = (
                    item.get(key) for key in ("command", "id", "name", "key", "view", "language")
                )
                name = next(filter(None, names), "")
                yield f"{beginning}{name}"
                yield from _paths(item, f"{beginning}{name}.")
            else:
                yield f"{beginning}{item}"
