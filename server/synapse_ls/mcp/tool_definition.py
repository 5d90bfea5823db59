"""What an MCP tool is: arguments, validated as a model writes them, and a result as clean text.

Several tools share the arguments of a situation (prompt, agent, task, session).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from mcp import types

from synapse_ls.engine.rule_account import describe_size
from synapse_ls.engine.text_escaping import neutralise_lines, neutralise_markup, to_one_line
from synapse_ls.live import disk_queries
from synapse_ls.queries import report_model
from synapse_ls.queries.answer_lines import situation_lines
from synapse_ls.queries.context_question import Answer
from synapse_ls.queries.session_lookup import CURRENT_NAME, current_session, resolve_session
from synapse_ls.storage.trusted_trees import require_served
from synapse_ls.text.fast_json import dumps
from synapse_ls.text.phrases import format_count, join_paragraphs
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.naming_conventions import suggest_names


class ToolResult(NamedTuple):
    """What a tool answers: lines for whoever reads, and data for programs, a report or a mapping
    with reports, None where there is nothing for them. block: behind the lines, as it is, since
    it is a block of rules or JSON.
    """

    lines: Sequence[str]
    data: Any = None
    block: str = ""

    @property
    def text(self) -> str:
        """The text that an agent is given."""
        return join_paragraphs(render_lines(self.lines), self.block)

    @property
    def content(self) -> Any:
        """The data as JSON, which some clients give to the agent in place of the text."""
        data = report_model.to_json(self.data) if self.data else None
        return replace_surrogates(data) if self.block else render_data(data)


def replace_surrogates(value: Any) -> Any:
    """Return a tool's result without lone surrogates, which names of files can have and no message
    may.
    """
    return _map_texts(value, lambda text, _: text.encode("utf-8", "replace").decode("utf-8"))


def _map_texts(value: Any, clean: Callable[[str, str], str], key: str = "") -> Any:
    """Return data of JSON with each of its texts, keys too, as ``clean`` has it, which is given
    the text and the key that it is at.
    """
    if isinstance(value, str):
        return clean(value, key)
    if isinstance(value, dict):
        return {clean(name, ""): _map_texts(item, clean, name) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_map_texts(item, clean, key) for item in value]
    return value


def window_line(answer: Answer) -> str:
    """Return the line of a tool's result about the context window: the bracket, what is left of the
    window, and what the block costs.
    """
    assembly = answer.assembly
    situation = assembly.situation
    return (
        f"{situation.bracket.name}: {situation.usage.remaining:g}% of the context window left "
        f"({situation.usage.source}); the block has "
        f"{describe_size(assembly, assembly.tokens, '')}"
    )


def answer_situation_lines(answer: Answer) -> list[str]:
    """Return the lines of a tool's result about the situation: who is at work on what, and where
    that is known from; nothing of what is not known.
    """
    return [
        f"{what}: {value} ({source})" if source else f"{what}: {value}"
        for what, value, source in situation_lines(answer.plan, answer.assembly.situation)
        if value
    ]


def join_groups(*groups: Iterable[str]) -> list[str]:
    """Return the lines of a tool's result: groups as paragraphs, of those that have any."""
    return [line for group in filter(None, map(list, groups)) for line in ("", *group)][1:]


def render_lines(lines: Iterable[str]) -> str:
    """Return lines as an agent is given them: what comes from files of the tree adds no line to
    them, and passes for no heading, no message of the client and no control character.
    """
    visible_lines = (
        line[: len(line) - len(bare)] + to_one_line(bare, keeps_spaces=True)
        for line in lines
        for bare in (line.lstrip(" "),)
    )
    return neutralise_markup("\n".join(visible_lines))


_LONG_TEXTS = ("text", "greeting")  # keys in reports whose values may have several lines


def render_data(value: Any) -> Any:
    """Return data of JSON with all its texts as `render_lines` has them; only rules, memories and
    the like have several lines.
    """
    return _map_texts(
        value, lambda text, key: render_lines(text.split("\n") if key in _LONG_TEXTS else (text,))
    )


def split_text(text: str) -> list[str]:
    """Return the lines of a rule or a memory, further ones indented, for a tool's result."""
    return neutralise_lines(text).split("\n")


def note_lines(notes: Iterable[str]) -> list[str]:
    """Return the lines of a tool's result with remarks."""
    return [f"note: {note}" for note in notes]


def omitted_lines(shown: int, total: int, noun: str, advice: str) -> list[str]:
    """Return a line of a tool's result about those that were left out, if any were."""
    return [f"… {format_count(total - shown, noun)} more; {advice}"] if total > shown else []


TEXT, NUMBER, INTEGER, LIST = "string", "number", "integer", "array"

_TYPE_NAMES = {
    TEXT: "a text",
    NUMBER: "a number",
    INTEGER: "a whole number",
    LIST: "a list of texts",
}
# What a value is instead, the first that fits; all others are objects.
_VALUE_NAMES = (
    (bool, "a switch"), (str, "a text"), (int | float, "a number"),
    (list, "a list of something else"),
)  # fmt: skip
_DEFAULTS: Mapping[str, Any] = {TEXT: "", NUMBER: None, INTEGER: None, LIST: ()}


@dataclass(frozen=True, slots=True)
class ToolArgument:
    """One argument of a tool. kind: one of those above. choices: the only values, empty for any.

    json: a text of JSON, for which a model may give the list or the object itself. An argument that
    is not given is "", None or ().
    """

    name: str
    description: str
    kind: str = TEXT
    required: bool = False
    choices: tuple[str, ...] = ()
    json: bool = False

    def schema(self) -> dict[str, Any]:
        """Return the argument as JSON Schema."""
        schema: dict[str, Any] = {"type": self.kind, "description": self.description}
        if self.kind == LIST:
            schema["items"] = {"type": TEXT}
        if self.choices:
            schema["enum"] = list(self.choices)
        return schema

    def read(self, value: Any) -> Any:
        """Return the value that a client sent; raise UserError where it is of another type."""
        if value is None:
            return _DEFAULTS[self.kind]
        if self.kind == LIST and isinstance(value, str):
            value = [value]
        if self.json and isinstance(value, list | dict):
            value = dumps(value, None)
        if not self._is_valid(value):
            kinds = (noun for kind, noun in _VALUE_NAMES if isinstance(value, kind))
            raise UserError(
                f"{self.name} is {_TYPE_NAMES[self.kind]}, not {next(kinds, 'an object')}.",
                f"It means: {self.description}.",
            )
        if self.choices and value not in self.choices:
            raise UserError(
                f'{self.name} cannot be "{value}".', f"Choose one of {', '.join(self.choices)}."
            )
        return tuple(value) if self.kind == LIST else value

    def _is_valid(self, value: Any) -> bool:
        if self.kind == LIST:
            return isinstance(value, list) and all(isinstance(item, str) for item in value)
        if self.kind == TEXT:
            return isinstance(value, str)
        wanted = int if self.kind == INTEGER else (int, float)
        return isinstance(value, wanted) and not isinstance(value, bool)


def arguments_schema(arguments: Sequence[ToolArgument]) -> dict[str, Any]:
    """Return the JSON Schema of all arguments of an MCP tool together."""
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {field.name: field.schema() for field in arguments},
        "additionalProperties": False,
    }
    required = [field.name for field in arguments if field.required]
    return schema | ({"required": required} if required else {})


def read_arguments(arguments: Sequence[ToolArgument], values: Mapping[str, Any]) -> dict[str, Any]:
    """Read the arguments of an MCP tool by name, those that are not given among them; raise
    UserError for a wrong one.
    """
    fields_by_name = {field.name: field for field in arguments}
    for name in values:
        if name not in fields_by_name:
            raise UserError(
                f'There is no argument "{name}".',
                suggest_names(
                    name, fields_by_name, f"There are {', '.join(fields_by_name) or 'none'}."
                ),
            )
    for field in arguments:
        if field.required and values.get(field.name) is None:
            raise UserError(f"{field.name} is missing.", f"It means: {field.description}.")
    return {name: field.read(values.get(name)) for name, field in fields_by_name.items()}


Arguments = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool of the server. description: for the model that chooses. run: (root, arguments) ->
    its result; for a thread. is_changing: whether it changes a session or what is remembered.
    idempotent: whether the same again makes no difference. describe_change: (root, arguments) ->
    what a person has to say yes to before, where the guard enforces boundaries: a clause that
    begins with its verb, and has what an agent gave in quotation marks.
    command_words: arguments -> the words of the command line with which a person does the same.
    """

    name: str
    title: str
    description: str
    arguments: tuple[ToolArgument, ...]
    run: Callable[[str, Arguments], ToolResult]
    is_changing: bool = False
    idempotent: bool = True
    describe_change: Callable[[str, Arguments], str] | None = None
    command_words: Callable[[Arguments], list[str]] | None = None

    def to_mcp(self) -> types.Tool:
        """Return the tool in the protocol's form, as a client is sent it."""
        return types.Tool(
            name=self.name,
            title=self.title,
            description=self.description,
            input_schema=arguments_schema(self.arguments),
            annotations=types.ToolAnnotations(
                title=self.title,
                read_only_hint=not self.is_changing,
                # What a session was set to before is lost, but never a file that somebody wrote.
                destructive_hint=False,
                idempotent_hint=self.idempotent,
                open_world_hint=False,
            ),
        )


def tool(
    title: str, *arguments: ToolArgument, **settings: Any
) -> Callable[[Callable[[str, Arguments], ToolResult]], Tool]:
    """Make a function ``run_NAME`` the tool of that name, which its docstring describes to the
    model that chooses; ``settings`` are further fields of the `Tool`.
    """

    def make_tool(run: Callable[[str, Arguments], ToolResult]) -> Tool:
        description = " ".join((run.__doc__ or "").split())
        name = run.__name__.removeprefix("run_")
        return Tool(name, title, description, arguments, run, **settings)

    return make_tool


NEW = "new"

PROMPT = ToolArgument("prompt", "what the user says, word for word")
AGENT = ToolArgument("agent", "the id of the active agent: dev or @dev")
SESSION = ToolArgument(
    "session",
    f'a session, its unique beginning, "{CURRENT_NAME}" (the default) or "{NEW}" for a first '
    "prompt",
)
SITUATION = (
    PROMPT,
    AGENT,
    ToolArgument("workflow", "the id of the active workflow"),
    ToolArgument("phase", "the phase that the workflow is in"),
    ToolArgument("task", "the active task: its name or its file"),
    ToolArgument("story", "the story of the task: its id or its file"),
    ToolArgument("squad", "the active squad: its folder or its name"),
    ToolArgument("files", "files that the user mentions or that were touched", LIST),
    ToolArgument("remaining", "how much of the context window is left, in percent", NUMBER),
    ToolArgument("bracket", "answer in this bracket, whatever is left: FRESH, MODERATE, …"),
    ToolArgument(
        "profile", "another profile than the tree's: synapse-live, brainiac-reflection, …"
    ),
    ToolArgument(
        "client",
        "whose agent gets the block: claude, codex, copilot, …; what this client reads by itself "
        "is left out",
    ),
    SESSION,
)


def session_from_argument(root: str, name: str) -> str:
    """Return the id of the session that the arguments of an MCP tool name in a situation, "" for a
    new one; raise UserError where there is none.

    Where none is named, it is the current one where there is one.
    """
    if name == NEW:
        return ""
    return resolve_session(root, name) if name else current_session(root)


def query_answer(root: str, arguments: Mapping[str, Any], *, standing: bool = False) -> Answer:
    """Return the answer to the arguments that describe a situation, by the names of `SITUATION`;
    what is empty is found out, and what
    is no part of a situation does not count.

    standing: it says what the agent of the session has (`Question`).
    """
    params = {name: value for name, value in arguments.items() if value not in ("", None, ())}
    if "profile" in params:
        require_served(root, params["profile"])
    params["session"] = session_from_argument(root, arguments.get("session", ""))
    if "agent" in params:
        params["agent"] = params["agent"].removeprefix("@")
    return disk_queries.answer_params(root, "", params, standing=standing)
