"""Analyse one file: parse it and collect its facts and problems.

A file is analysed independently of all others, as the map step of a map-reduce; the index reduces.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from operator import attrgetter

from synapse_ls.text.finding import Finding, ParseResult
from synapse_ls.text.grouping import group_pairs
from synapse_ls.text.line_index import LineIndex
from synapse_ls.workspace import fact_extraction
from synapse_ls.workspace.file_kinds import FileKind
from synapse_ls.workspace.tree_folders import CARL

# By name, because a prompt needs only some of them and YAML is slow to import.
_PARSERS: Mapping[FileKind, str] = {
    FileKind.MANIFEST: "manifest",
    FileKind.RULES: "domain_file",
    FileKind.COMMANDS: "commands_file",
    FileKind.CONTEXT: "context_file",
    FileKind.CONSTITUTION: "constitution_file",
    FileKind.SQUAD: "squad_manifest",
    FileKind.OLD_SQUAD: "squad_manifest:parse_old",
    FileKind.WORKFLOW_STATE: "workflow_state",
    FileKind.WORKFLOW: "workflow_definition",
    FileKind.TASK: "task_file",
    FileKind.STORY: "story_file",
    FileKind.AGENT: "agent_definition",
    FileKind.CONFIG: "config_file",
    FileKind.PATTERNS: "workflow_definition:parse_patterns",
    FileKind.CHAINS: "workflow_definition:parse_chains",
    FileKind.CONSTITUTION_SOURCE: "constitution_source",
    FileKind.TESTS: "tree_tests",
    FileKind.MEMORY: "memory_file",
    FileKind.SYNCED: "managed_block",
    FileKind.INSTRUCTIONS: "instruction_rules",
    FileKind.CARL: "carl.carl_json",
    FileKind.CHATI_SESSION: "chati.session_file",
    FileKind.CHATI_CONFIG: "chati.config_file:parse_config_file",
    FileKind.CHATI_CONSTITUTION: "chati.constitution_file",
    FileKind.CHATI_DOMAIN: "chati.domain_file",
    FileKind.CHATI_AGENT: "chati.agent_definition",
    FileKind.CHATI_WORKFLOW: "chati.work_files:parse_workflow_definition",
    FileKind.CHATI_HANDOFF: "chati.handoff_file",
    FileKind.CHATI_TASK: "chati.work_files:parse_task_file",
    FileKind.CHATI_TASKS: "chati.work_files:parse_definitions",
    FileKind.CHATI_MEMORY: "chati.memory_files:parse_memory",
    FileKind.CHATI_GOTCHAS: "chati.memory_files:parse_gotcha",
    FileKind.CHATI_TRACKED: "chati.memory_files:parse_gotcha",
    FileKind.CHATI_BRACKETS: "chati.config_file:parse_bracket_table",
    FileKind.IDENTITY: "brainiac.memory_index:parse_core_identity",
    FileKind.SHORT_TERM: "brainiac.short_term_memory",
    FileKind.LONG_TERM: "brainiac.long_term_memory",
    FileKind.MEMORY_INDEX: "brainiac.memory_index:parse_memory_index",
    FileKind.ACCESS_LOG: "brainiac.memory_index:parse_access_log",
}

# CARL v1 has the same files and another grammar.
_CARL_PARSERS: Mapping[FileKind, str] = {
    FileKind.MANIFEST: "carl.manifest",
    FileKind.RULES: "carl.rule_files:parse_domain_rules",
    FileKind.COMMANDS: "carl.rule_files:parse_commands_file",
    FileKind.CONTEXT: "carl.rule_files:parse_context_file",
}


@dataclass(frozen=True, eq=False)
class FileFacts:
    """Everything that is known of one file.

    ``document`` is what the parser of its kind returned: None for a file that is only listed
    (then ``read`` is false and ``text`` empty) and for kinds without a parser in the workspace.
    ``id`` is what an agent, a workflow or a story calls itself; the file's stem where it does
    not say or was not read. ``readers`` are the clients that apply a file of instructions by
    themselves, each with whether they do so only when the file's own scope says so. ``mtime_ns`` is
    the time of the last change on disk in nanoseconds, 0 where nobody took it.
    """

    path: str
    kind: FileKind
    text: str = ""
    document: object | None = None
    problems: tuple[Finding, ...] = ()
    definitions: tuple[fact_extraction.Definition, ...] = ()
    references: tuple[fact_extraction.Reference, ...] = ()
    id: str = ""
    is_read: bool = True
    mtime_ns: int = 0
    readers: tuple[tuple[str, bool], ...] = ()

    @cached_property
    def lines(self) -> LineIndex:
        """The line index of the text."""
        return LineIndex(self.text)

    @cached_property
    def definitions_by_key(
        self,
    ) -> Mapping[fact_extraction.Key, Sequence[fact_extraction.Definition]]:
        """The definitions by key, in text order."""
        return group_pairs((fact.key, fact) for fact in self.definitions)

    @cached_property
    def values_by_key(self) -> Mapping[fact_extraction.Key, tuple[Hashable, ...]]:
        """What the file says about each key that it defines, wherever it says it."""
        return {
            key: tuple([definition.value for definition in definitions])
            for key, definitions in self.definitions_by_key.items()
        }

    @cached_property
    def references_by_key(
        self,
    ) -> Mapping[fact_extraction.Key, Sequence[fact_extraction.Reference]]:
        """The references by key, in text order."""
        return group_pairs((fact.key, fact) for fact in self.references)

    @cached_property
    def content_identity(self) -> Hashable:
        """What makes the file another one; of workflow states the newest counts, so their age
        does.
        """
        age = self.mtime_ns if self.kind is FileKind.WORKFLOW_STATE else 0
        return self.kind, self.text, self.is_read, self.problems, self.readers, age


def analyze_file(
    path: str, kind: FileKind, text: str, *, problems: tuple[Finding, ...] = (), mtime_ns: int = 0
) -> FileFacts:
    """Parse a file and collect what it says. ``problems`` are those of its bytes, from
    `decode`.
    """
    parsers = {**_PARSERS, **_CARL_PARSERS} if path.startswith(f"{CARL}/") else _PARSERS
    if path.startswith(".claude/"):
        parsers = {**parsers, FileKind.AGENT: "agent_definition:parse_sub_agent"}
    parsed: ParseResult[object | None] = ParseResult(None, ())
    if kind in parsers:
        module, _, function = parsers[kind].partition(":")
        parsed = getattr(import_module(f"synapse_ls.formats.{module}"), function or "parse")(text)
    if kind is FileKind.SYNCED and parsed.document is None:
        problems = ()  # somebody else's file: what its bytes are is none of our business
    definitions, references = sort_facts(fact_extraction.extract_facts(path, kind, parsed.document))
    return FileFacts(
        path,
        kind,
        text,
        parsed.document,
        tuple(sorted((*problems, *parsed.problems), key=lambda problem: problem.span)),
        definitions,
        references,
        fact_extraction.find_identity(path, kind, parsed.document)[0],
        mtime_ns=mtime_ns,
    )


def list_file(path: str, kind: FileKind) -> FileFacts:
    """Return the facts of a file that is known to exist and has not been read."""
    definitions, references = sort_facts(fact_extraction.extract_facts(path, kind, None))
    return FileFacts(
        path,
        kind,
        definitions=definitions,
        references=references,
        id=fact_extraction.find_identity(path, kind, None)[0],
        is_read=False,
    )


def sort_facts(
    facts: Iterable[fact_extraction.Definition | fact_extraction.Reference],
) -> tuple[tuple[fact_extraction.Definition, ...], tuple[fact_extraction.Reference, ...]]:
    """Return the definitions and the references among facts, each in text order."""
    ordered = sorted(facts, key=attrgetter("span"))
    definitions = tuple(fact for fact in ordered if isinstance(fact, fact_extraction.Definition))
    return definitions, tuple(
        fact for fact in ordered if isinstance(fact, fact_extraction.Reference)
    )
