"""Parse test files of a tree, ``.synapse/tests/*.toml``: cases of what a block has to contain.

A case is a prompt, a situation, and what must and must not be in the block then:

    [[case]]
    name = "a question about unit tests brings TESTING in"
    prompt = "Add a unit test for the parser"
    bracket = "MODERATE"
    domains = ["TESTING"]
    no_texts = ["git push"]
    max_tokens = 900
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from synapse_ls.formats.setting_validation import Option, OptionReader
from synapse_ls.formats.toml_document import KeyPosition, TomlPath, key_positions, load_toml
from synapse_ls.text.finding import Finding, ParseResult, Text, place_data, sort_problems
from synapse_ls.text.span import Span

TABLE = "case"
# What a prompt meets; what is left out is as for the first prompt of a new session.
STATE = (
    Option("prompt", "text", "", "What the user says."),
    Option("agent", "text", "", "The active agent."),
    Option("workflow", "text", "", "The active workflow."),
    Option("phase", "text", "", "The phase that the workflow is in."),
    Option("task", "text", "", "The active task: its name or its file."),
    Option("story", "text", "", "The story of the task: its id or its file."),
    Option("squad", "text", "", "The active squad: its folder or its name."),
    Option("files", "texts", (), "Files that were touched."),
    Option("bracket", "text", "", "The bracket, whatever is left of the window."),
    Option("remaining", "int", None, "Percent of the window that is left.", minimum=0, maximum=100),
    Option("turn", "int", 1, "The number of this prompt in its session.", minimum=1),
)

# What is looked for in the block.
EXPECTATIONS = (
    Option("domains", "texts", (), "Domains that have rules in the block."),
    Option("no_domains", "texts", (), "Domains that have none."),
    Option("rules", "texts", (), "Keys of rules that are in the block."),
    Option("no_rules", "texts", (), "Keys of rules that are not."),
    Option("texts", "texts", (), "Texts that the block says."),
    Option("no_texts", "texts", (), "Texts that it does not say."),
    Option("max_tokens", "int", None, "Tokens of the block at most.", minimum=0),
)

OPTIONS = (Option("name", "text", "", "What the case is about."), *STATE, *EXPECTATIONS)
BY_NAME: Mapping[str, Option] = {option.path: option for option in OPTIONS}

REFERENCE_FIELDS = ("agent", "workflow", "task", "story", "squad", "bracket")
_EFFECT = "none of its cases can be run"
_LISTS = tuple(option.path for option in EXPECTATIONS if option.kind == "texts")


class TreeTestCase(NamedTuple):
    """One case of a tree's tests. ``state``: the given fields of `STATE` by name; ``references``:
    those with the name of somebody or something, with their places.

    ``lists``: the fields of `EXPECTATIONS` that are lists, by name; ``max_tokens`` has its number
    as text. ``read_errors`` is what is wrong with the fields that could not be read, each in a
    sentence.
    """

    name: Text
    state: Mapping[str, Any]
    references: Mapping[str, Text]
    lists: Mapping[str, tuple[Text, ...]]
    max_tokens: Text | None
    span: Span
    read_errors: tuple[str, ...] = ()

    @property
    def is_readable(self) -> bool:
        """Whether all of it could be read: of a case that could not, a success would
        mean nothing.
        """
        return not self.read_errors


class TreeTests(NamedTuple):
    """The cases of a file of a tree's tests, in its order."""

    cases: tuple[TreeTestCase, ...] = ()


def parse(text: str) -> ParseResult[TreeTests]:
    """Parse a file of a tree's tests into its cases.

    Problem kinds: ``invalid-toml`` (there are no cases), ``bad-case``. Never raises.
    """
    if not text.strip():
        return ParseResult(TreeTests(), ())
    data, problem = load_toml(text, "The file", _EFFECT)
    if problem:
        return ParseResult(TreeTests(), (problem,))
    where = key_positions(text)
    # Where the last value of each case ends, by the number of the case.
    ends: dict[int, int] = {}
    for path, place in where.items():
        if len(path) > 1 and path[0] == TABLE and isinstance(path[1], int):
            ends[path[1]] = max(ends.get(path[1], 0), place.value.end)
    problems = [
        Finding(
            where[name,].key if (name,) in where else Span(0, 0),
            f"`{name}` is no list of cases, so nothing in it is run.",
            f"Begin each case with [[{TABLE}]].",
            kind="bad-case",
        )
        for name, value in data.items()
        if name != TABLE or not _is_tables(value)
    ]
    tables = data.get(TABLE, ())
    cases: list[TreeTestCase] = []
    for number, table in enumerate(tables if _is_tables(tables) else ()):
        case, found = _read_case(table, (TABLE, number), where, text)
        cases.append(case._replace(span=Span(case.span.start, ends.get(number, case.span.end))))
        problems += found
    first: dict[str, Text] = {}
    for name in (case.name for case in cases if case.name.value.strip()):
        if (earlier := first.setdefault(name.value, name)) is not name:
            message = f"Another case is called {name.value!r} too, so `--only` runs both."
            first_place = place_data(earlier.span)
            remedy = "Give it another name."
            problems.append(Finding(name.span, message, remedy, kind="bad-case", data=first_place))
    return ParseResult(TreeTests(tuple(cases)), sort_problems(problems))


def _is_tables(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, dict) for item in value)


def _read_case(
    table: Mapping[str, Any], path: TomlPath, where: Mapping[TomlPath, KeyPosition], text: str
) -> tuple[TreeTestCase, list[Finding]]:
    reader = OptionReader(where, BY_NAME, frozenset(), effect="the case fails")
    values = reader.read(table, path)
    unread = [problem._replace(kind="bad-case") for problem in reader.problems]
    header = where[path].key if path in where else Span(0, 0)
    place = where.get((*path, "name"))
    limit = where.get((*path, "max_tokens"))
    case = TreeTestCase(
        Text(values.get("name", ""), _unquoted_span(text, place.value) if place else header),
        {option.path: values[option.path] for option in STATE if option.path in values},
        {
            name: Text(
                values[name].removeprefix("@"), _unquoted_span(text, where[*path, name].value)
            )
            for name in REFERENCE_FIELDS
            if values.get(name) and (*path, name) in where
        },
        {
            name: tuple(_list_items(table[name], (*path, name), where, text))
            for name in _LISTS
            if name in values
        },
        Text(str(values["max_tokens"]), limit.value) if "max_tokens" in values and limit else None,
        header,
        tuple(f"{problem.message} {problem.remedy}".rstrip() for problem in unread),
    )
    if not case.name.value.strip():
        message = "The case has no name, so a failure of it says little."
        unread.append(Finding(header, message, "Name it.", kind="bad-case"))
    if case.is_readable and not any(case.lists.values()) and case.max_tokens is None:
        message = "The case expects nothing of the block, so it always passes."
        remedy = f"Give it one of {', '.join(option.path for option in EXPECTATIONS)}."
        unread.append(Finding(header, message, remedy, kind="bad-case"))
    return case, unread


def _list_items(
    values: list[Any], path: TomlPath, where: Mapping[TomlPath, KeyPosition], text: str
) -> Iterator[Text]:
    """Yield the items of a list that are texts; the others are reported already."""
    for number, value in enumerate(values):
        place = where.get((*path, number))
        if isinstance(value, str):
            yield Text(value, _unquoted_span(text, place.value) if place else Span(0, 0))


def _unquoted_span(text: str, span: Span) -> Span:
    quoted = span.cut(text)
    width = 3 if quoted.startswith(('"""', "'''")) else 1
    return Span(span.start + width, span.end - width) if quoted[:1] in ("'", '"') else span
