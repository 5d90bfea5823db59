"""Plan that a tree refers to a project's files of instructions (``[[adopted]]``).

Nothing is copied or moved: a file is injected as it is, only for clients that do not read it
themselves. Copies of rules by an earlier version are removed.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from synapse_ls.edits.edit_targets import tree_after
from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.engine.context_usage import estimate_tokens
from synapse_ls.formats import managed_block
from synapse_ls.integrations import client_registry, transcript_turns
from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.queries.session_replay import replay_plan, replay_subagent
from synapse_ls.setup.init.rule_sources import SourceSurvey, survey_sources
from synapse_ls.setup.planned_changes import FileChange
from synapse_ls.storage.atomic_files import read_bytes
from synapse_ls.text.line_index import line_break_style
from synapse_ls.text.phrases import format_count, join_names
from synapse_ls.text.span import Span
from synapse_ls.text.text_edit import TextEdit, apply_edits, delete_lines
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace import instruction_readers
from synapse_ls.workspace.edit_plan import EditPlan, create_file, edit_file
from synapse_ls.workspace.outside_links import is_behind_link
from synapse_ls.workspace.regular_files import SETTINGS_BYTES
from synapse_ls.workspace.rule_comparison import told_form
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_domains import Domain
from synapse_ls.workspace.tree_folders import CONFIG, MANIFEST

TOOL_USES = 6
_MOST_PATTERNS = 3  # in a sentence
_PROMPT = "Say hello."


@dataclass(frozen=True, slots=True)
class AdoptionPlan:
    """What is to be written, and the ``tree`` as it is then, read in memory."""

    plan: EditPlan
    tree: Tree
    survey: SourceSurvey

    @property
    def domains(self) -> tuple[Domain, ...]:
        """The domains of the files that were looked at, those without rules left out."""
        return tuple(
            domain
            for domain in self.tree.domains
            if domain.adopted and domain.file in self.survey.sources and self.tree.rules_of(domain)
        )


def plan_adoption(
    root: Path, tree: Tree, survey: SourceSurvey, settings: Mapping[str, str]
) -> AdoptionPlan:
    """Plan that a tree refers to the files of a survey that have rules; ``settings`` are the files
    of a tree that are not there yet, texts by path.

    Raises UserError where the configuration cannot be read.
    """
    named = {source.path for source in tree.snapshot.config.adopted}
    names = tuple(name for name in survey.names if name not in named)
    facts = tree.snapshot.facts(CONFIG)
    text = facts.text if facts is not None else settings.get(CONFIG, "")
    if facts is not None and (
        not facts.is_read or any(problem.kind == "invalid-toml" for problem in facts.problems)
    ):
        raise UserError(
            f"{CONFIG} cannot be read, so a change could damage the rest of it.",
            "Mend it first; `synapse check` says where.",
        )
    newline = line_break_style(text)
    lines = [
        line
        for name in names
        for line in ("", "[[adopted]]", f"path = {json.dumps(name, ensure_ascii=False)}")
    ]
    before = [] if not text or text.endswith("\n") else [""]
    tables = newline.join((*before, *lines, "")).removeprefix("" if text else newline)
    addition = TextEdit(Span(len(text), len(text)), tables)
    edits = [edit_file(CONFIG, text, [addition]) if facts else create_file(CONFIG, text + tables)]
    edits += [create_file(p, t) for p, t in settings.items() if p != CONFIG]
    plan = EditPlan(tuple(edits) if names else ())
    # The tree as it will be, with the files to which it refers then.
    snapshot = tree_after(tree, plan).snapshot
    readers = instruction_readers.ProjectReaders(str(root))
    for path, text in survey.texts.items():
        snapshot = snapshot.with_text(path, text)
        if facts := snapshot.facts(path):
            facts = replace(facts, readers=readers.readers(path))
            snapshot = snapshot.replace_file(path, facts)[0]
    return AdoptionPlan(plan, Tree(snapshot), survey)


class FirstTurn(NamedTuple):
    """What a client's model gets of rules in the first turn of a session, a prompt that says no
    word that rules wait for and `TOOL_USES` uses of tools, in tokens. ``native``: what the client
    reads itself; ``injected``: what the hook adds, by a replay, ``injected_before``: without the
    plan.
    """

    client: str
    native: int
    injected_before: int
    injected: int


def replay_first_turn(
    before: Plan | None, now: Plan | None, after: Tree, survey: SourceSurvey, client: str
) -> FirstTurn:
    """Replay a first turn in a client, by what its hook injects from ``before`` and ``now``, None
    where it calls none; ``after`` has the files of the survey with their readers.
    """
    native = sum(
        estimate_tokens(text)
        for path, text in survey.texts.items()
        if (facts := after.snapshot.facts(path)) is not None
        and client in instruction_readers.native_clients(facts.readers, is_own_scope=True)
        and _applies_always(after, path)
    )
    earlier = injected_tokens(before, client) if before else 0
    return FirstTurn(client, native, earlier, injected_tokens(now, client) if now else 0)


def _applies_always(tree: Tree, path: str) -> bool:
    domain = next((domain for domain in tree.domains if domain.file == path), None)
    return domain is None or (
        not domain.on_request and domain.declaration is not None and domain.declaration.always_on
    )


def injected_tokens(
    plan: Plan, client: str, prompt: str = _PROMPT, files: tuple[str, ...] = ()
) -> int:
    """Return what the hook adds to a first turn in a client, by a replay. files: what each use of a
    tool touches.
    """
    host = client_registry.load_client(client)
    assert host is not None
    turn = transcript_turns.Turn(prompt, moments=(transcript_turns.ToolMoment(files),) * TOOL_USES)
    (step,) = replay_plan(plan, [turn], host)
    return step.tokens


def describe_later_costs(plan: Plan, client: str, first_turn: int) -> Iterator[str]:
    """Yield what the hook injects in a client beside the tokens of a ``first_turn``, as sentences
    without a full stop: with files for which rules wait, and in sub-agents that do not get what the
    client reads.
    """
    domains = list(plan.domains())
    patterns = dict.fromkeys(
        pattern
        for domain in domains
        for pattern in domain.paths
        if domain.active
        and not domain.on_request
        and not domain.is_native_in(client)
        and client not in dict(domain.elsewhere)
    )
    files = tuple(p.replace("**/", "").replace("**", "x").replace("*", "x") for p in patterns)
    if files and (more := injected_tokens(plan, client, files=files) - first_turn):
        named = [*patterns][:_MOST_PATTERNS]
        rest = len(patterns) - len(named)
        where = join_names([*named, *[format_count(rest, "more pattern")] * bool(rest)])
        yield f"up to {more:,} tokens more when files of {where} are used"
    marked = dict.fromkeys(mark for d in domains for mark in d.native)
    agents = [mark.partition(":")[2] for mark in marked if mark.startswith(f"!{client}:")]
    host = client_registry.load_client(client)
    prices = {agent: replay_subagent(plan, host, agent) for agent in agents if host}
    for tokens in filter(None, dict.fromkeys(prices.values())):
        names = join_names([agent for agent, price in prices.items() if price == tokens], "or")
        yield (
            f"{tokens:,} tokens for each sub-agent {names}, which does not get these files from "
            "the client"
        )


def describe_first_turn(turn: FirstTurn) -> str:
    """Return what a first turn takes, as a sentence without a full stop."""
    title = CLIENTS[turn.client].title
    before, now = turn.native + turn.injected_before, turn.native + turn.injected
    if not now:
        how = "none of these files applies to it always"
    elif not turn.injected:
        how = "it reads its files itself; nothing is injected twice"
    elif turn.native:
        how = f"{turn.native:,} it reads itself, {turn.injected:,} injected by the hook"
    else:
        how = "injected by the hook"
    return f"{title}: {before:,} tokens before, {now:,} now ({how})"


def describe_names(survey: SourceSurvey, path: str | None) -> str:
    """Return the path of a file, and the links to it."""
    links = survey.links.get(path or "")
    return f"{path} (also {join_names(links)})" if links else path or ""


def describe_when(domain: Domain) -> str:
    """Return when an adopted domain applies, for people."""
    if domain.on_request:
        return "on request"
    declared = domain.declaration
    return "always" if declared is None or declared.always_on else ", ".join(declared.paths)


def describe_readers(domain: Domain, clients: Collection[str], hooked: Collection[str]) -> str:
    """Return which of the clients in use read a file themselves, and for which of those that call
    the hook it is injected.
    """
    elsewhere = {name for name, _ in domain.elsewhere}
    native = [CLIENTS[name].title for name in clients if name in domain.native]
    rest = [name for name in clients if name in hooked and name not in domain.native]
    injected = [CLIENTS[name].title for name in rest if name not in elsewhere]
    reading_elsewhere = [CLIENTS[name].title for name in rest if name in elsewhere]
    parts = [f"read by {join_names(native)}"] if native else []
    if domain.on_request:
        parts.append(f"never injected: {domain.on_request}")
    elif injected:
        parts.append(f"injected for {join_names(injected)}")
    if reading_elsewhere and not domain.on_request:
        verb = "reads its" if len(reading_elsewhere) == 1 else "read their"
        parts.append(f"not injected for {join_names(reading_elsewhere)}, which {verb} own file")
    return "; ".join(parts) or "nobody reads it here: `synapse install` has it injected"


def describe_left_out(survey: SourceSurvey, path: str) -> str:
    """Return which parts of a file are no rules, by line, "" for none."""
    places: dict[str, list[str]] = {}
    for part in survey.sources[path].left_out:
        last = part.line + part.span.cut(survey.texts[path]).rstrip().count("\n")
        place = f"{part.line}–{last}" if last > part.line else str(part.line)
        places.setdefault(part.why, []).append(place)
    clauses = (
        f"{why} in {'line' if ' '.join(at).isdecimal() else 'lines'} {', '.join(at)}"
        for why, at in places.items()
    )
    return "; ".join(clauses)


_LINE_MARKS = re.compile(r"^[ \t>]*(?:#{1,6}[ \t]+|(?:[-*+]|\d+[.)])[ \t]+)?(?:\[[ xX]\][ \t]+)?")


def plan_conversion(root: Path, tree: Tree) -> tuple[list[FileChange], SourceSurvey]:
    """Plan the conversion of the tree at ``root``: return the changes by which the copies of rules
    go that its files have, and the files that these were copied from.
    """
    survey = survey_sources(root)
    forms = frozenset(form for path in survey.sources for form in _source_forms(survey, path))
    changes, emptied = list[FileChange](), list[str]()
    for domain in tree.domains:
        is_special = domain.builtin and domain.label != "GLOBAL"
        if is_special or domain.squad or domain.adopted or not domain.file:
            continue
        facts = tree.snapshot.facts(domain.file)
        copied = [rule for rule in tree.rules_of(domain) if told_form(rule.text) in forms]
        # What a link leads to may be no copy, and somebody else's.
        is_linked = any(is_behind_link(str(root), path) for path in (domain.file, MANIFEST))
        if facts is None or not copied or is_linked:
            continue
        rest = apply_edits(facts.text, [delete_lines(facts.text, rule.span) for rule in copied])
        if len(copied) == len(tree.rules_of(domain)):
            emptied.append(domain.label)
            rest = ""
        changes.append(_tree_change(root, domain.file, rest))
    if emptied:
        changes.append(_tree_change(root, MANIFEST, _manifest_without(tree, emptied)))
    return changes, survey


def _source_forms(survey: SourceSurvey, path: str) -> Iterator[str]:
    """Yield what rules that were copied from a file can be made of: its rules, lines, headings."""
    for heading in survey.sources[path].headings:
        yield told_form(heading.title)
        yield from (told_form(rule.text) for rule in heading.rules)
    text = survey.texts[path]
    if (block := managed_block.parse(text).document) is not None:
        text = text[: block.span.start] + text[block.span.end :]
    for line in text.splitlines():
        yield told_form(_LINE_MARKS.sub("", line).strip().rstrip(":"))


def _manifest_without(tree: Tree, labels: Collection[str]) -> str:
    """Return the manifest without the declarations of domains, "" where nothing else is in it."""
    facts = tree.snapshot.facts(MANIFEST)
    text = facts.text if facts else ""
    prefixes = tuple(f"{label}_" for label in labels)
    lines = [
        line
        for line in text.splitlines(keepends=True)
        if not line.lstrip("# ").startswith(prefixes)
    ]
    rest = "".join(lines)
    return rest if any(line.strip() and not line.startswith("#") for line in lines) else ""


def _tree_change(root: Path, path: str, text: str) -> FileChange:
    before = read_bytes(f"{root}/{path}", SETTINGS_BYTES, within=str(root))
    after = text.encode("utf-8", "surrogateescape") if text.strip() else None
    return FileChange(path, root / path, before, after, within=str(root))
