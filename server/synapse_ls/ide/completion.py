"""Answer completion requests for every kind of file, and document an item when it is selected.

Also the completion of suppression comments (``synapse: ignore[…]``), memories, tasks and stories.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain

from synapse_ls.engine import compiled_plan, profiles
from synapse_ls.engine.reason_phrases import LAYER_NAMES
from synapse_ls.formats import config_settings, manifest_settings, task_file, tree_tests
from synapse_ls.formats.agent_definition import AgentDefinition
from synapse_ls.formats.memory_file import CHOICES, FIELD_NAMES, MemoryDocument
from synapse_ls.formats.name_normalization import to_slug
from synapse_ls.formats.squad_manifest import SCHEMA
from synapse_ls.formats.suppression_comments import (
    FILE,
    LINE,
    NEXT_LINE,
    CommentStyle,
    find_directives,
)
from synapse_ls.formats.workflow_definition import WorkflowDefinition
from synapse_ls.ide import (
    completion_item,
    hover,
    manifest_completion,
    rules_completion,
    toml_completion,
    yaml_completion,
)
from synapse_ls.ide.completion_item import (
    CompletionItem,
    CompletionOffer,
    LineContext,
    Topic,
    unique_offer,
    word_items,
    workflow_patterns,
)
from synapse_ls.ide.hover_markdown import code_span, escape_markdown
from synapse_ls.ide.tree_view import View
from synapse_ls.lint import rule_pages, rule_selection
from synapse_ls.lint.lint_runner import lint_file
from synapse_ls.lint.rule_registry import all_rules
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.phrases import format_count, join_paragraphs
from synapse_ls.text.span import Span, trim_span
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import RULE_KINDS, FileKind
from synapse_ls.workspace.naming_conventions import is_same_id, kebab_case
from synapse_ls.workspace.rule_tree import Tree

_COMMENT = r"(?:(?<!\S)#+|<!--)[ \t]*"
_BEGINNING = lazy_pattern(rf"{_COMMENT}(s[a-z]*)$")
_DIRECTIVE_WORD = lazy_pattern(rf"{_COMMENT}synapse:[ \t]*(?P<word>[a-z-]*)$")
_LIST = lazy_pattern(rf"{_COMMENT}synapse:[ \t]*(?P<word>ignore[\w-]*)[ \t]*\[(?P<list>[^\]]*)$")
_WORD = lazy_pattern(r"[\w-]")
_SCOPE_PHRASES = {LINE: "this line", NEXT_LINE: "the line below", FILE: "the whole file"}


def complete_directive(view: View, facts: FileFacts, place: LineContext) -> CompletionOffer | None:
    """Return the completions of a directive: what can be written in a suppression comment; None
    where the caret is in none.
    """
    before = place.text[place.span.start : place.caret]
    if match := _LIST.search(before):
        codes = {code.strip() for code in match["list"].split(",")[:-1]}
        items = _rule_items(view, facts, place, match["word"], codes)
        return unique_offer(place.word_span(_WORD), items)
    if _DIRECTIVE_WORD.search(before):
        return unique_offer(place.word_span(_WORD), _scope_items("", place))
    if (beginning := _BEGINNING.search(before)) and "synapse:".startswith(beginning[1]):
        span = Span(place.caret - len(beginning[1]), place.caret)
        return unique_offer(span, _scope_items("synapse: ", place))
    return None


def _scope_items(before: str, place: LineContext) -> Iterator[CompletionItem]:
    """Yield the three scopes; what suits a comment on its own line comes first there."""
    alone = not place.text[place.span.start : place.caret].lstrip().partition("#")[0].strip("<!- ")
    for word in (NEXT_LINE, FILE, LINE) if alone else (LINE, NEXT_LINE, FILE):
        text, detail = f"{before}{word}", _SCOPE_PHRASES[word]
        topic = ("directive", word)
        yield CompletionItem(text, "value", f"{text}[]", f"{text}[$1]$0", detail, topic)


def _rule_items(
    view: View, facts: FileFacts, place: LineContext, scope: str, besides: set[str]
) -> Iterator[CompletionItem]:
    """Yield the rules that find something in the comment's scope, then the others."""
    line = place.line + (scope == NEXT_LINE)
    # Without the half-written directive, which may keep silent all that is looked for.
    directives = find_directives(facts.text, CommentStyle.BOTH)
    caret = Span(place.caret, place.caret)
    start, end = next((d.span for d in directives if d.span.touches(place.caret)), caret)
    text = facts.text[:start] + " " * (end - start) + facts.text[end:]
    snapshot = view.tree.snapshot.with_text(facts.path, text)
    findings = lint_file(Tree(snapshot), facts.path, rule_selection.Policy(snapshot.config.lint))
    codes = {
        finding.code
        for finding in findings
        if scope == FILE or facts.lines.line_of(finding.span.start) == line
    }
    for rule in sorted(all_rules(), key=lambda rule: rule.code not in codes):
        if rule.code not in besides:
            where = f" · {_SCOPE_PHRASES.get(scope, '')}" if rule.code in codes else ""
            topic = ("rule", rule.code)
            yield CompletionItem(rule.code, "rule", "", "", f"{rule.name}{where}", topic, ",")


_TAG = lazy_pattern(r"[^\[\],\n]")
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
        names = sorted(FIELD_NAMES, key=lambda name: name not in _USUAL_FIELDS)
        fields = (
            CompletionItem(name, "key", f"{name}: ", "", hover.FIELD_MEANINGS[name])
            for name in names
            if name not in memory.fields
        )
        return unique_offer(place.word_span(_WORD), fields)
    if key == "tags":
        # The list item around the caret.
        word_span = place.word_span(_TAG)
        start = max(word_span.start, place.text.find(":", place.span.start, place.caret) + 1)
        start = place.caret - len(place.text[start : place.caret].lstrip(" \t"))
        # The tags of other memories, so that one thing goes by one word.
        memories = view.tree.snapshot.documents(FileKind.MEMORY, MemoryDocument)
        lists = [other.field_value("tags").split(",") for _, other in memories]
        tags = set(filter(None, map(str.strip, chain.from_iterable(lists))))
        return unique_offer(Span(start, word_span.end), word_items(sorted(tags)))
    items: Iterable[CompletionItem] = ()
    if key in CHOICES:
        items = word_items(CHOICES[key])
    elif key == "explicit":
        items = word_items(("true", "false"))
    elif key == "agent":
        # The agents with a definition, then those that only rules know.
        ids = sorted(set(view.plan.agents.values()))
        others = (CompletionItem(id, "agent", topic=("agent", id)) for id in ids)
        items = chain(completion_item.agent_items(view.tree), others)
    return unique_offer(place.word_span(_WORD), items)


_LABEL = lazy_pattern(
    r"(?P<start>[ \t>|*-]*)(?P<key>[^\W\d][\w -]{0,40}?)\*{0,2}[ \t]*(?::\*{0,2}|\|)[ \t]*"
)
_KEY = lazy_pattern(r"[\w-]*$")
_MENTION = lazy_pattern(r"(?<![\w*@])([*@])[\w-]+$|(?<![\w*@])(@)$")

_LAYERS = ("Atom", "Molecule", "Organism", "Template", "Page", "Config")
_STATUSES = ("Draft", "Approved", "Ready", "In Progress", "Ready for Review", "Done", "Blocked")
_FIELDS_BY_KIND: Mapping[FileKind, tuple[str, ...]] = {
    FileKind.TASK: ("task", "responsavel", "responsavel_type", "atomic_layer", "story"),
    FileKind.STORY: ("status", "executor", "quality_gate", "epic"),
}


def complete_work(view: View, facts: FileFacts, place: LineContext) -> CompletionOffer | None:
    """Return the completions at a place of a task or a story."""
    before = place.text[place.span.start : place.caret]
    label = _LABEL.match(before)
    supplier = _SUPPLIERS.get(to_slug(label["key"]).replace(" ", "_")) if label else None
    if label and supplier:
        start = place.caret - len(before[label.end() :].lstrip("\"'`"))
        end = place.text.find("|", place.caret, place.span.end)
        end = place.body.end if end < 0 else end
        rest = place.text[place.caret : max(end, place.caret)].rstrip(" \"'`*")
        return unique_offer(Span(start, place.caret + len(rest)), supplier(view.tree))
    if mention := _MENTION.search(before):
        span = Span(place.span.start + mention.start(), place.word_span(_WORD).end)
        return unique_offer(span, completion_item.mentioned_items(view.tree, mention[1] or "@"))
    if not _KEY.fullmatch(before) or place.line == 0:
        return None
    # A field stands in front matter or directly below another field or a fence.
    above = facts.lines.line_span(place.line - 1).cut(facts.text).strip()
    if not above.startswith(("```", "---")) and not _LABEL.match(above):
        return None
    word = place.word_span(_WORD)
    after = "" if place.is_followed_by(":", word.end) else ": "
    fields = _FIELDS_BY_KIND[facts.kind]
    return unique_offer(word, (CompletionItem(name, "key", f"{name}{after}") for name in fields))


_SUPPLIERS: Mapping[str, Callable[[Tree], Iterable[CompletionItem]]] = {
    **dict.fromkeys(
        ("responsavel_type", "responsible_type", "executor_type"),
        lambda _: word_items(task_file.EXECUTORS),
    ),
    **dict.fromkeys(
        ("responsavel", "responsible", "owner", "executor", "quality_gate"),
        lambda tree: completion_item.agent_items(tree, "@"),
    ),
    "atomic_layer": lambda _: word_items(_LAYERS),
    **dict.fromkeys(("status", "story_status", "estado"), lambda _: word_items(_STATUSES)),
    "story": completion_item.story_items,
}


# Items of one answer; of more only those that fit what was typed are sent.
MOST_ITEMS = 120

_BY_KIND: Mapping[FileKind, Callable[[View, FileFacts, LineContext], CompletionOffer | None]] = {
    FileKind.MANIFEST: manifest_completion.complete_manifest,
    **dict.fromkeys(RULE_KINDS, rules_completion.complete_rules),
    FileKind.TASK: complete_work,
    FileKind.STORY: complete_work,
    FileKind.CONFIG: toml_completion.complete_toml,
    FileKind.TESTS: toml_completion.complete_toml,
    FileKind.MEMORY: complete_memory,
    **dict.fromkeys(yaml_completion.ITEMS_BY_KIND, yaml_completion.complete_yaml),
}


def complete_at(view: View, path: str, offset: int) -> CompletionOffer | None:
    """Return the completions that can be written at ``offset`` of the file ``path``; None where
    there is nothing to offer.
    """
    if (facts := view.readable_facts(path)) is None or facts.kind not in _BY_KIND:
        return None
    line = facts.lines.line_of(offset)
    span = facts.lines.line_span(line)
    body = trim_span(facts.text, *span)
    place = LineContext(facts.text, line, span, body, min(offset, span.end))
    offer = complete_directive(view, facts, place) or _BY_KIND[facts.kind](view, facts, place)
    if offer is None or not offer.items:
        return None
    if len(offer.items) <= MOST_ITEMS:
        return offer
    # Of very many items, those that begin with what was typed, or have it in them.
    word = place.typed_since(offer.span.start).casefold()
    labels = [(item.label.casefold(), item) for item in offer.items]
    fitting = [item for label, item in labels if label.startswith(word)]
    fitting += [item for label, item in labels if word in label and not label.startswith(word)]
    items = tuple((fitting or offer.items)[:MOST_ITEMS])
    return CompletionOffer(offer.span, items, is_complete=False)


_MOST_NAMES = 6  # names in a sentence


def item_documentation(view: View, topic: Topic) -> str:
    """Return the documentation of a completion item about a topic, as Markdown; "" where there is
    nothing to say, or no longer.
    """
    match topic:
        case ("setting", name, label):
            return _describe_setting(view, name, label)
        case ("agent", name):
            return _describe_agent(view, name)
        case ("workflow", name):
            return _describe_workflow(view, name)
        case ("phase", workflow, phase):
            return (
                f"Rules that begin with {code_span(f'Phase {phase}:')} are injected while "
                f"{escape_markdown(workflow) or 'the workflow'} is in this phase; the others hold "
                "in all of them."
            )
        case ("command", name):
            rules = next((c.rules for c in view.tree.commands if c.name == name), ())
            return "\n".join(f"- {escape_markdown(rule.text)}" for rule in rules)
        case ("agent-command", agent, name):
            definition = view.tree.snapshot.document(
                view.tree.agents.get(agent, ""), AgentDefinition
            )
            commands = definition.commands if definition else ()
            description = next((c.description for c in commands if c.name == name), "")
            head = f"A command of @{escape_markdown(agent)}."
            return join_paragraphs(head, escape_markdown(description))
        case ("keyword", word):
            labels = [
                escape_markdown(domain.label)
                for domain in view.tree.domains
                if domain.declaration and word in domain.declaration.recall
            ]
            first = ", ".join(labels[:_MOST_NAMES]) + " …" * (len(labels) > _MOST_NAMES)
            return f"Recalls {first}." if labels else ""
        case ("bracket", name) | ("list", "bracket", name, *_):
            return _describe_bracket(view, name)
        case ("list", kind, *rest):
            return _describe_rule_list(kind, *rest)
    return _describe_word(*topic) if topic else ""


def _describe_word(family: str, name: str) -> str:
    """Return the documentation of what is the same in every tree."""
    match family:
        case "severity":
            return _SEVERITIES.get(name, "")
        case "rule":
            if (rule := next((rule for rule in all_rules() if rule.code == name), None)) is None:
                return ""
            page = rule_pages.rule_page(rule)
            sections = (
                page.sections.get(title, "") for title in ("What it does", "Why it matters")
            )
            head = f"**{rule.code} {rule.name}** · {rule.severity.value}"
            return join_paragraphs(head, page.summary, *map(rule_pages.render_section, sections))
        case "option":
            option = config_settings.find_option(name)
            choices = (
                ", ".join(code_span(word) for word in option.choices if word) if option else ""
            )
            about = f"**{option.path}**: {option.about}" if option else ""
            return join_paragraphs(about, f"One of {choices}." if choices else "")
        case "case" if name in tree_tests.BY_NAME:
            return f"**{name}**: {tree_tests.BY_NAME[name].about}"
        case "case":
            return _CASE
        case "profile":
            table = profiles.load_profile_table(name)
            brackets = compiled_plan.Profile(table).brackets if table else ()
            return "\n".join(
                f"- {row.name}: {row.budget:,} tokens, {', '.join(sorted(row.layers))}"
                for row in brackets
            )
        case "squad":
            field = next((field for field in SCHEMA if ".".join(field.path) == name), None)
            if field is None:
                return ""
            options = ", ".join(map(code_span, field.options))
            return join_paragraphs(
                f"**{name}**" + (" (required)" if field.required else ""),
                f"One of {options}." if options else "",
                f"It has to be {field.hint}." if field.hint else "",
                f"At most {field.max_length} characters." if field.max_length else "",
            )
        case "file":
            return code_span(name)
        case "directive":
            return join_paragraphs(_SCOPE_MEANINGS.get(name, ""), _DIRECTIVE)
    return ""


_SEVERITIES = {
    "NON-NEGOTIABLE": "Blocking, without exception.",
    "MUST": "Blocking.",
    "SHOULD": "Advisory.",
}
_CASE = "A case: a prompt and its situation, and what must and must not be in the block then."
_DIRECTIVE = (
    "In brackets are the rules that are meant, all of them without; behind it is the reason."
)


def _describe_setting(view: View, name: str, label: str) -> str:
    setting = manifest_settings.SETTINGS.get(name) or manifest_settings.GLOBAL_KEYS.get(name)
    if setting is None:
        return ""
    domain = view.tree.domains_by_label.get(label)
    content = ""
    if domain:
        label, count = escape_markdown(label), format_count(len(view.tree.rules_of(domain)), "rule")
        content = f"The domain {label} has {count}."
        if domain.file:
            content = f"The domain {label} has {count} in {code_span(domain.file)}."
    return join_paragraphs(f"{code_span(name)}: {setting.summary}", content)


def _describe_agent(view: View, name: str) -> str:
    path = view.tree.agents.get(name, "")
    agent = view.tree.snapshot.document(path, AgentDefinition)
    labels = [
        domain.label
        for domain in view.tree.domains
        if domain.declaration and is_same_id(domain.declaration.agent_trigger, name)
    ]
    title = escape_markdown(agent.title or agent.name) if agent else ""
    commands = [code_span(f"*{command.name}") for command in agent.commands] if agent else []
    more = " …" if len(commands) > _MOST_NAMES else ""
    return join_paragraphs(
        f"**@{escape_markdown(name)}**" + (f" · {title}" if title else ""),
        escape_markdown(agent.description) if agent else "",
        f"Commands: {', '.join(commands[:_MOST_NAMES])}{more}" if commands else "",
        f"Activates {', '.join(map(escape_markdown, labels))}." if labels else "",
        code_span(path),
    )


def _describe_workflow(view: View, name: str) -> str:
    path = view.tree.workflows.get(name, "")
    definition = view.tree.snapshot.document(path, WorkflowDefinition)
    steps = [step for step in definition.steps if step.agent] if definition else []
    agents = ", ".join(dict.fromkeys(f"@{step.agent}" for step in steps))
    title = escape_markdown(definition.name) if definition else ""
    patterns = (p for p in workflow_patterns(view.tree) if is_same_id(p.id.value, name))
    return join_paragraphs(
        f"**{escape_markdown(name)}**" + (f" · {title}" if title else ""),
        escape_markdown(next((pattern.description for pattern in patterns), "")),
        f"{format_count(len(steps), 'step')}: {escape_markdown(agents)}" if agents else "",
        code_span(path),
    )


def _describe_rule_list(kind: str, qualifier: str = "", label: str = "") -> str:
    texts = {
        "rule": f"The next rule of {escape_markdown(label)}.",
        "auth": "An authority boundary: the budget cuts it later than other rules.",
        "deny": "What the guard refuses: a command, `write docs/**`, `tool mcp__*`.",
        "allow": "What the guard lets through, where that says more than a refusal.",
        "check": "What `synapse audit` looks for in past sessions: is the rule of this number "
        "followed?",
        "article": "Number 0 of an article is its title and severity, `Title (MUST)`.",
        "command": f"Injected with a prompt that says {code_span(f'*{kebab_case(qualifier)}')}, "
        "and then only.",
    }
    return texts.get(kind, "")


def _describe_bracket(view: View, name: str) -> str:
    if (bracket := view.plan.profile.find_bracket(name)) is None:
        return ""
    awake = ", ".join(f"{layer} {LAYER_NAMES.get(layer, '')}" for layer in sorted(bracket.layers))
    return (
        f"**{bracket.name}**: {bracket.label} of the context window left. "
        f"Budget {format_count(bracket.budget, 'token')}; active are {awake}."
    )


_SCOPE_MEANINGS = {
    LINE: "Keeps the linter silent about this line.",
    NEXT_LINE: "Keeps the linter silent about the line below.",
    FILE: "Keeps the linter silent about the whole file.",
}
