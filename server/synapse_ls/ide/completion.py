"""Complete comments that suppress lint findings (``synapse: ignore[…]``): their words, and the
rules with findings here.

Complete the front matter of memories: fields, their words, agents, and tags that
are in use.

Complete tasks and stories: executors, agents, status, and mentions in their text.

Answer completion requests: what an editor offers to write at the caret, for every
kind of file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from synapse_ls.formats.memory_file import CHOICES, FIELD_NAMES, MemoryDocument
from synapse_ls.formats.name_normalization import to_slug
from synapse_ls.formats.suppression_comments import (
    FILE,
    LINE,
    NEXT_LINE,
    CommentStyle,
    find_directives,
)
from synapse_ls.ide import (
    completion_item,
    manifest_completion,
    rules_completion,
    toml_completion,
    yaml_completion,
)
from synapse_ls.ide.completion_item import (
    CompletionItem,
    CompletionOffer,
    LineContext,
    line_context,
    unique_offer,
)
from synapse_ls.ide.hover import FIELD_MEANINGS
from synapse_ls.ide.tree_view import View
from synapse_ls.lint.lint_runner import lint_file
from synapse_ls.lint.rule_registry import all_rules
from synapse_ls.lint.rule_selection import Policy
from synapse_ls.text.span import Span
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import RULE_KINDS, FileKind
from synapse_ls.workspace.rule_tree import Tree

_COMMENT = r"(?:(?<!\S)#+|<!--)[ \t]*"
_BEGINNING = re.compile(rf"{_COMMENT}(s[a-z]*)$")
_DIRECTIVE_WORD = re.compile(rf"{_COMMENT}synapse:[ \t]*(?P<word>[a-z-]*)$")
_LIST = re.compile(rf"{_COMMENT}synapse:[ \t]*(?P<word>ignore[\w-]*)[ \t]*\[(?P<list>[^\]]*)$")
_CODE = re.compile(r"[\w-]")
_SCOPE_PHRASES = {
    LINE: "this line",
    NEXT_LINE: "the line below",
    FILE: "the whole file",
}


def complete_directive(view: View, facts: FileFacts, place: LineContext) -> CompletionOffer | None:
    """Return the completions of a directive: what can be written in a suppression comment; None
    where the caret is in none.
    """
    before = place.text[place.span.start : place.caret]
    listed = _LIST.search(before)
    if listed:
        span = place.word_span(_CODE)
        parts = {part.strip() for part in listed["list"].split(",")[:-1]}
        return unique_offer(span, _rule_items(view, facts, place, listed["word"], parts))
    word = _DIRECTIVE_WORD.search(before)
    if word:
        return unique_offer(place.word_span(_CODE), _scope_items("", place))
    begun = _BEGINNING.search(before)
    if begun and "synapse:".startswith(begun[1]):
        return unique_offer(
            Span(place.caret - len(begun[1]), place.caret), _scope_items("synapse: ", place)
        )
    return None


def _scope_items(before: str, place: LineContext) -> Iterator[CompletionItem]:
    """Yield the three scopes; what suits a comment on its own line comes first there."""
    alone = not place.text[place.span.start : place.caret].lstrip().partition("#")[0].strip("<!- ")
    for word in (NEXT_LINE, FILE, LINE) if alone else (LINE, NEXT_LINE, FILE):
        text = f"{before}{word}"
        topic = ("directive", word)
        yield CompletionItem(
            text, "value", f"{text}[]", f"{text}[$1]$0", _SCOPE_PHRASES[word], topic
        )


def _rule_items(
    view: View, facts: FileFacts, place: LineContext, scope: str, taken: set[str]
) -> Iterator[CompletionItem]:
    """Yield the rules that find something in the comment's scope, then the others."""
    line = place.line + (scope == NEXT_LINE)
    offer: dict[str, str] = {}
    # Without the half-written directive, which may keep silent all that is looked for.
    half = (
        d.span
        for d in find_directives(facts.text, CommentStyle.BOTH)
        if d.span.touches(place.caret)
    )
    start, end = next(half, Span(place.caret, place.caret))
    text = facts.text[:start] + " " * (end - start) + facts.text[end:]
    snapshot = view.tree.snapshot.with_text(facts.path, text)
    policy = Policy(snapshot.config.lint)
    for diagnostic in lint_file(Tree(snapshot), facts.path, policy):
        if scope == FILE or facts.lines.line_of(diagnostic.span.start) == line:
            offer.setdefault(diagnostic.code, diagnostic.name)
    for rule in sorted(all_rules(), key=lambda rule: rule.code not in offer):
        if rule.code not in taken:
            where = f" · {_SCOPE_PHRASES.get(scope, '')}" if rule.code in offer else ""
            yield CompletionItem(
                rule.code, "rule", "", "", f"{rule.name}{where}", ("rule", rule.code), ","
            )


_MEMORY_WORD = re.compile(r"[\w-]")
_TAG = re.compile(r"[^\[\],\n]")
_USUAL_FIELDS = ("id", "type", "sector", "storage", "tags", "confidence")


def complete_memory(view: View, facts: FileFacts, place: LineContext) -> CompletionOffer | None:
    """Return the completions at a place of a memory's front matter; nothing below it."""
    memory = facts.document
    if (
        not isinstance(memory, MemoryDocument)
        or not memory.has_front_matter
        or place.caret >= memory.body
    ):
        return None
    key, colon, _ = place.text_before.partition(":")
    if not colon:
        return unique_offer(place.word_span(_MEMORY_WORD), _memory_field_items(memory))
    if key == "tags":
        # The span of the list item around the caret.
        word_span = place.word_span(_TAG)
        colon_end = place.text.find(":", place.span.start, place.caret) + 1
        start = max(word_span.start, colon_end)
        while start < place.caret and place.text[start] in " \t":
            start += 1
        return unique_offer(Span(start, word_span.end), _tag_items(view))
    return unique_offer(place.word_span(_MEMORY_WORD), _word_items(view, key))


def _memory_field_items(memory: MemoryDocument) -> Iterator[CompletionItem]:
    for name in sorted(FIELD_NAMES, key=lambda name: name not in _USUAL_FIELDS):
        if name not in memory.fields:
            yield CompletionItem(name, "key", f"{name}: ", "", FIELD_MEANINGS[name])


def _word_items(view: View, key: str) -> Iterable[CompletionItem]:
    if key in CHOICES:
        return (CompletionItem(word, "value") for word in CHOICES[key])
    if key == "agent":
        return _memory_agent_items(view)
    if key == "explicit":
        return (CompletionItem(word, "value") for word in ("true", "false"))
    return ()


def _memory_agent_items(view: View) -> Iterator[CompletionItem]:
    """Yield the agents with a definition, then those that only rules know."""
    yield from completion_item.agent_items(view.tree)
    for id in sorted(set(view.plan.agents.values())):
        yield CompletionItem(id, "agent", topic=("agent", id))


def _tag_items(view: View) -> Iterator[CompletionItem]:
    """Return the tags of other memories, so that one thing goes by one word."""
    tags = set[str]()
    for path in view.tree.snapshot.paths(FileKind.MEMORY):
        facts = view.tree.snapshot.facts(path)
        memory = facts.document if facts else None
        if isinstance(memory, MemoryDocument):
            tags.update(filter(None, map(str.strip, memory.field_value("tags").split(","))))
    return (CompletionItem(tag, "value") for tag in sorted(tags))


_LABEL = re.compile(
    r"(?P<start>[ \t>|*-]*)(?P<key>[^\W\d][\w -]{0,40}?)\*{0,2}[ \t]*(?::\*{0,2}|\|)[ \t]*"
)
_KEY = re.compile(r"[\w-]*$")
_MENTION = re.compile(r"(?<![\w*@])([*@])[\w-]+$|(?<![\w*@])(@)$")
_NAME = re.compile(r"[\w-]")

EXECUTORS = ("Agente", "Worker", "Humano", "Clone")
"""How the framework's task format spells its executors (TASK-FORMAT-SPECIFICATION-V1)."""
_LAYERS = ("Atom", "Molecule", "Organism", "Template", "Page", "Config")
_STATUSES = ("Draft", "Approved", "Ready", "In Progress", "Ready for Review", "Done", "Blocked")
_TASK_FIELDS = ("task", "responsavel", "responsavel_type", "atomic_layer", "story")
_STORY_FIELDS = ("status", "executor", "quality_gate", "epic")


def complete_task(view: View, facts: FileFacts, place: LineContext) -> CompletionOffer | None:
    """Return the completions at a place of a task."""
    return _complete_fields(view, facts, place, _TASK_FIELDS)


def complete_story(view: View, facts: FileFacts, place: LineContext) -> CompletionOffer | None:
    """Return the completions at a place of a story."""
    return _complete_fields(view, facts, place, _STORY_FIELDS)


def _complete_fields(
    view: View, facts: FileFacts, place: LineContext, fields: tuple[str, ...]
) -> CompletionOffer | None:
    before = place.text[place.span.start : place.caret]
    label = _LABEL.match(before)
    supplier = _SUPPLIERS.get(to_slug(label["key"]).replace(" ", "_")) if label else None
    if label and supplier:
        start = place.span.start + label.end()
        bare = before[label.end() :].lstrip("\"'`")
        start = place.caret - len(bare)
        end = place.text.find("|", place.caret, place.span.end)
        end = place.body.end if end < 0 else end
        rest = place.text[place.caret : max(end, place.caret)].rstrip(" \"'`*")
        return unique_offer(Span(start, place.caret + len(rest)), supplier(view))
    mention = _MENTION.search(before)
    if mention:
        span = Span(place.span.start + mention.start(), place.word_span(_NAME).end)
        star = mention[1] == "*"
        return unique_offer(
            span,
            completion_item.command_items(view.tree)
            if star
            else completion_item.agent_items(view.tree, "@"),
        )
    if _KEY.fullmatch(before) and _is_field_place(facts, place):
        word = place.word_span(_NAME)
        after = "" if place.is_followed_by(":", word.end) else ": "
        return unique_offer(
            word, (CompletionItem(name, "key", f"{name}{after}") for name in fields)
        )
    return None


def _is_field_place(facts: FileFacts, place: LineContext) -> bool:
    """Return whether the line is in front matter or directly below another field or a fence."""
    if place.line == 0:
        return False
    above = facts.lines.line_span(place.line - 1).cut(facts.text).strip()
    return above.startswith(("```", "---")) or _LABEL.match(above) is not None


def _word_supplier(words: Iterable[str]) -> Callable[[View], Iterator[CompletionItem]]:
    return lambda _: (CompletionItem(word, "value") for word in words)


def _task_agent_items(view: View) -> Iterator[CompletionItem]:
    return completion_item.agent_items(view.tree, "@")


_SUPPLIERS: Mapping[str, Callable[[View], Iterable[CompletionItem]]] = {
    **dict.fromkeys(
        ("responsavel_type", "responsible_type", "executor_type"), _word_supplier(EXECUTORS)
    ),
    **dict.fromkeys(
        ("responsavel", "responsible", "owner", "executor", "quality_gate"), _task_agent_items
    ),
    "atomic_layer": _word_supplier(_LAYERS),
    **dict.fromkeys(("status", "story_status", "estado"), _word_supplier(_STATUSES)),
    "story": lambda view: completion_item.story_items(view.tree),
}


MOST_ITEMS = 120
"""Items of one answer; of more only those that fit what was typed are sent."""

_BY_KIND: Mapping[FileKind, Callable[[View, FileFacts, LineContext], CompletionOffer | None]] = {
    FileKind.MANIFEST: manifest_completion.complete_manifest,
    **dict.fromkeys(RULE_KINDS, rules_completion.complete_rules),
    FileKind.SQUAD: yaml_completion.complete_squad,
    FileKind.WORKFLOW_STATE: yaml_completion.complete_workflow_state,
    FileKind.WORKFLOW: yaml_completion.complete_workflow,
    FileKind.TASK: complete_task,
    FileKind.STORY: complete_story,
    FileKind.CONFIG: toml_completion.complete_config,
    FileKind.TESTS: toml_completion.complete_tree_tests,
    FileKind.MEMORY: complete_memory,
    FileKind.CHATI_SESSION: yaml_completion.complete_chati,
    FileKind.CHATI_CONFIG: yaml_completion.complete_chati,
    FileKind.CHATI_DOMAIN: yaml_completion.complete_chati,
    FileKind.CHATI_WORKFLOW: yaml_completion.complete_chati,
    FileKind.CHATI_TASKS: yaml_completion.complete_chati,
}


def complete_at(view: View, path: str, offset: int) -> CompletionOffer | None:
    """Return the completions that can be written at ``offset`` of the file ``path``; None where
    there is nothing to offer.
    """
    facts = view.tree.snapshot.facts(path)
    about = _BY_KIND.get(facts.kind) if facts and facts.is_read else None
    if facts is None or about is None:
        return None
    place = line_context(facts, offset)
    directive = complete_directive(view, facts, place) or about(view, facts, place)
    if directive is None or not directive.items:
        return None
    return _limit_items(directive, place.typed_since(directive.span.start))


def _limit_items(found: CompletionOffer, typed: str) -> CompletionOffer:
    """Return, of very many items, those that begin with what was typed, or have it in them."""
    if len(found.items) <= MOST_ITEMS:
        return found
    word = typed.casefold()

    def fit(item: CompletionItem) -> int:
        label = item.label.casefold()
        return 0 if label.startswith(word) else 1 if word in label else 2

    ranked = sorted(found.items, key=fit)
    fitting = [item for item in ranked if fit(item) < 2] or ranked
    return CompletionOffer(found.span, tuple(fitting[:MOST_ITEMS]), is_complete=False)


def replaced_spans(offer: CompletionOffer, offset: int) -> tuple[Span, Span]:
    """Return what inserting a completion takes away, and what replacing takes away."""
    return Span(offer.span.start, max(offset, offer.span.start)), offer.span
