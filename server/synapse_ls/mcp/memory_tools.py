"""MCP tools that search and change memories."""

import time
from collections.abc import Iterator

from synapse_ls.formats.memory_file import CORRECTION_TYPE, DEFAULT_TYPE, TYPES
from synapse_ls.mcp.tool_definition import (
    INTEGER,
    LIST,
    Arguments,
    ToolArgument,
    ToolResult,
    note_lines,
    split_text,
    tool,
)
from synapse_ls.memory import brainiac_short_term
from synapse_ls.memory.memory_record import reader_name
from synapse_ls.queries.memory_report import (
    MemoryFilter,
    ScoredMemory,
    find_memory,
    list_memories,
    memory_report,
    open_store,
    search_memories,
    secret_notes,
)
from synapse_ls.storage.current_plan import load_plan
from synapse_ls.text.phrases import quotation, shorten_text
from synapse_ls.text.user_error import UserError

_SCOPES = ("shared", "private")


def _require_memory(root: str) -> None:
    """Raise UserError where nothing of an agent is kept: each tool that would asks this first."""
    if not load_plan(root).plan.settings["memory"]["enabled"]:
        raise UserError(
            "Nothing is remembered, because `memory.enabled` is false.",
            "`synapse policy` says who has set it.",
        )


def _describe_memory(_root: str, arguments: Arguments) -> str:
    # The whole: what is not shown would be kept without consent.
    is_correction = arguments["type"] == CORRECTION_TYPE
    kind = "as a correction by the user" if is_correction else "for later sessions"
    agent = quotation(reader_name(arguments["agent"]))
    readers = f"of the agent {agent} alone" if arguments["scope"] == "private" else "of every agent"
    kinds = [] if is_correction else [arguments["type"]]
    parts = (("type", kinds), ("title", [arguments["title"]]), ("tags", arguments["tags"]))
    about = [f"{name}: {', '.join(map(quotation, texts))}" for name, texts in parts if any(texts)]
    return f"remember {kind} {readers}: {'; '.join([quotation(arguments['text']), *about])}"


@tool(
    "Remember something",
    ToolArgument("text", "what to remember, in one or a few sentences", required=True),
    ToolArgument("title", "a line that names it"),
    ToolArgument("type", f"what it is; {DEFAULT_TYPE} unless given", choices=tuple(TYPES)),
    ToolArgument("tags", "what it is about", kind=LIST),
    ToolArgument("agent", "the agent that has learned it"),
    ToolArgument("scope", "private: for this agent alone; shared unless given", choices=_SCOPES),
    is_changing=True,
    idempotent=False,
    describe_change=_describe_memory,
    command_words=lambda given: ["synapse", "memory", "add", "--", given["text"]],
)
def run_memory_add(root: str, arguments: Arguments) -> ToolResult:
    """Keeps something for later sessions, after the user has agreed: a decision, a correction by
    the user, a pitfall with its resolution. The same text again counts as further evidence.
    """
    _require_memory(root)
    agent, kind = reader_name(arguments["agent"]), arguments["type"] or DEFAULT_TYPE
    scope = arguments["scope"] or "shared"
    if scope == "private" and not agent:
        raise UserError("A private memory belongs to an agent.", "Give the agent.")
    record = open_store(root).remember(
        arguments["text"],
        now=time.time(),
        title=arguments["title"],
        type=kind,
        tags=arguments["tags"],
        agent=agent,
        scope=scope,
        source="an agent",
    )
    memory, _ = find_memory(root, record.id)
    verb = "remembered" if record.evidence == 1 else f"confirmed for the {record.evidence}. time"
    text = f"{record.id} {verb}: {record.title} ({memory.score.tier.upper()})"
    notes = secret_notes(record)
    return ToolResult(
        [text, *note_lines(notes)], {"memory": memory_report(memory), "notes": list(notes)}
    )


_MAX_MEMORIES = 20


def _memory_lines(memory: ScoredMemory) -> Iterator[str]:
    record, score = memory.record, memory.score
    tags = "".join(f" #{tag}" for tag in record.tags)
    yield (
        f"{record.id} [{record.sector}, {record.confidence:.0%}, {score.tier}] {record.title}{tags}"
    )
    if record.text and record.text != record.title:
        yield from split_text(record.text)
    if memory.match.matches:
        yield f"matches {memory.match.description}"


@tool(
    "Search what is remembered",
    ToolArgument("query", "what it is about, in words"),
    ToolArgument("agent", "the agent that asks: it sees what is shared, and its own"),
    ToolArgument("tags", "only memories with all of these tags", kind=LIST),
    ToolArgument("sector", "episodic, semantic, procedural or reflective"),
    ToolArgument("tier", "hot, warm or cold"),
    ToolArgument("limit", f"how many at most; {_MAX_MEMORIES} unless given", kind=INTEGER),
)
def run_memory_search(root: str, arguments: Arguments) -> ToolResult:
    """What earlier sessions have learned: decisions, corrections by the user, pitfalls and their
    resolutions. Without a query, all of it, the most important first.
    """
    reader = reader_name(arguments["agent"])  # an agent sees what is shared and its own, never all
    wanted = MemoryFilter(
        tags=arguments["tags"], sector=arguments["sector"], tier=arguments["tier"]
    )
    query = arguments["query"].strip()
    memories = (
        search_memories(root, query, reader, wanted)
        if query
        else list_memories(root, reader, wanted)
    )
    most = arguments["limit"] or _MAX_MEMORIES
    lines = [line for memory in memories[:most] for line in _memory_lines(memory)]
    return ToolResult(
        lines or ["Nothing is remembered about it."],
        {"memories": [memory_report(s) for s in memories[:most]], "found": len(memories)},
    )


def _describe_forgetting(root: str, arguments: Arguments) -> str:
    memory, _ = find_memory(root, arguments["id"], reader_name(arguments["agent"]))
    record = memory.record
    return f"forget the memory {quotation(record.id)}, {quotation(record.title)}"


@tool(
    "Forget something",
    ToolArgument("id", "the id of the memory, as memory_search shows it", required=True),
    ToolArgument("agent", "the agent that asks, for one of its own"),
    is_changing=True,
    describe_change=_describe_forgetting,
    command_words=lambda given: ["synapse", "memory", "forget", "--", given["id"]],
)
def run_memory_forget(root: str, arguments: Arguments) -> ToolResult:
    """Puts a memory away that is wrong or no longer true, so that no agent gets it any more. It
    can be restored.
    """
    record = open_store(root).forget(arguments["id"], reader=reader_name(arguments["agent"]))
    memory, archived = find_memory(root, record.id)
    text = f"{record.id} is forgotten: {record.title} (`synapse memory restore` restores it)"
    return ToolResult([text], {"memory": memory_report(memory, archived=archived)})


_TEXTS = ("summary", "user", "ai", "thoughts")
_LISTS = ("goals", "facts", "tasks", "done", "dropped")
_COMMAND_OPTIONS = dict(zip(_LISTS, ("goal", "fact", "task", "done", "drop"), strict=True))
_LONGEST_QUOTE = 200  # characters of what goes, which is in the file


def _describe_short_term(root: str, arguments: Arguments) -> str:
    # By what stands there: a number or a word would not say which item goes.
    affected = brainiac_short_term.affected_texts(root, _short_term_change(arguments))
    values = {name: [arguments[name]] for name in _TEXTS if arguments[name]}
    values |= {name: arguments[name] for name in _LISTS if arguments[name]}
    for name, texts in affected.items():
        values[name] = [shorten_text(" ".join(text.split()), _LONGEST_QUOTE) for text in texts]
    parts = (f"{name}: {', '.join(map(quotation, texts))}" for name, texts in values.items())
    return f"change the short-term memory, {'; '.join(parts)}"


def _short_term_change(arguments: Arguments) -> brainiac_short_term.ShortTermChange:
    return brainiac_short_term.ShortTermChange(
        **{name: arguments[name] for name in (*_TEXTS, *_LISTS)}
    )


def _command_words(arguments: Arguments) -> list[str]:
    is_event = _short_term_change(arguments).is_event
    words = ["synapse", "memory", "short-term", "log" if is_event else "set"]
    words += [arguments["summary"]] if arguments["summary"] and not is_event else []
    if is_event:
        texts = ((name, arguments[name]) for name in ("user", "ai", "thoughts"))
        words += (word for name, text in texts if text for word in (f"--{name}", text))
    items = ((_COMMAND_OPTIONS[name], text) for name in _LISTS for text in arguments[name])
    return words + [word for name, text in items for word in (f"--{name}", text)]


@tool(
    "Update the short-term memory",
    ToolArgument("user", "for the log: what the user said"),
    ToolArgument("ai", "for the log: what was answered"),
    ToolArgument("thoughts", "for the log: what is to be thought of it"),
    ToolArgument("goals", "goals to be added", kind=LIST),
    ToolArgument("facts", "facts and decisions to be added", kind=LIST),
    ToolArgument("tasks", "tasks to be added", kind=LIST),
    ToolArgument("done", "goals and tasks that are done: words of each, or its number", kind=LIST),
    ToolArgument("dropped", "items that are to go: words of each, or its number", kind=LIST),
    ToolArgument("summary", "the new summary of the work at hand"),
    is_changing=True,
    idempotent=False,
    describe_change=_describe_short_term,
    command_words=_command_words,
)
def run_short_term_update(root: str, arguments: Arguments) -> ToolResult:
    """In a tree of Brainiac: keeps what happened and what is to be done in the short-term memory,
    which is injected with every prompt. Adds an event to its log, adds goals, facts and tasks,
    ticks those that are done, or gives it another summary; everything else in it stays as it is.
    """
    _require_memory(root)
    if arguments["summary"] and _short_term_change(arguments).is_event:
        raise UserError("An event leaves the summary as it is.", "Give it in a call of its own.")
    outcome = brainiac_short_term.change_short_term(
        root, _short_term_change(arguments), time.time()
    )
    memory = brainiac_short_term.short_term_report(outcome.memory)
    lines = [f"{memory['file']} is changed; its items are now:"]
    for number, item in brainiac_short_term.number_items(outcome.memory):
        box = "" if item.checked is None else "[x] " if item.checked else "[ ] "
        lines.append(f"{number}. {box}{' '.join(item.text.split())}")
    lines += note_lines(outcome.notes)
    return ToolResult(lines, {"memory": memory, "notes": list(outcome.notes)})
