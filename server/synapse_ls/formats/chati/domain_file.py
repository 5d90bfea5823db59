"""Parse domain files of Chati.dev, ``chati.dev/domains/**.yaml``.

One parser for all four kinds (constitution, global, agents, workflows), which differ only in the
keys that they use.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from synapse_ls.formats.chati.field_schema import SchemaField
from synapse_ls.formats.yaml_tree import YamlNode, parse_yaml
from synapse_ls.text.edit_distance import nearest_word
from synapse_ls.text.finding import Finding, ParseResult, Text, problem_data, sort_problems
from synapse_ls.text.span import Span

# From the most to the least important; a rule that names none is ``normal``.
PRIORITIES = ("critical", "high", "normal")

MODES = ("planning", "build", "deploy")

_MODE = (
    SchemaField("writeScope"),
    SchemaField("allowedActions", "list"),
    SchemaField("blockedActions", "list"),
)
# The fields of all four kinds of files, for whoever offers them.
FIELDS = (
    SchemaField("summary"),
    SchemaField("articleCount", "count"),
    SchemaField("mission"),
    SchemaField(
        "authority",
        "mapping",
        fields=(
            SchemaField("exclusive", "list"),
            SchemaField("allowed", "list"),
            SchemaField("blocked", "list"),
            SchemaField("redirectMessage"),
        ),
    ),
    SchemaField("inputs", "list"),
    SchemaField("outputs", "list"),
    SchemaField("criteria", "list"),
    SchemaField(
        "modes", "mapping", fields=tuple(SchemaField(m, "mapping", fields=_MODE) for m in MODES)
    ),
    SchemaField("steps", "list"),
    SchemaField(
        "rules",
        "list",
        fields=(
            SchemaField("id", required=True),
            SchemaField("text", required=True),
            SchemaField("priority", words=PRIORITIES),
        ),
    ),
)


class DomainRule(NamedTuple):
    """A rule of a Chati.dev domain file; ``id`` is "" where it has none. ``span`` covers the whole
    item.
    """

    id: str
    text: str
    priority: str
    span: Span


class Mode(NamedTuple):
    """What an agent of Chati.dev may do in a mode, by a domain file; the lists are action names."""

    name: str
    span: Span
    write_scope: Text | None
    allowed: tuple[Text, ...]
    blocked: tuple[Text, ...]


@dataclass(frozen=True, slots=True)
class DomainDocument:
    """A parsed domain file of Chati.dev.

    ``summary`` is the text of that key, with its place. ``count`` is ``articleCount``.
    ``unread_articles`` are the keys of articles that have rules where no reader looks for them.
    ``exclusive``, ``allowed`` and ``blocked`` are the authority of an agent, ``redirect`` what it
    says instead.
    """

    rules: tuple[DomainRule, ...] = ()
    summary: Text | None = None
    count: Text | None = None
    unread_articles: tuple[Text, ...] = ()
    modes: tuple[Mode, ...] = ()
    mission: Text | None = None
    inputs: tuple[Text, ...] = ()
    outputs: tuple[Text, ...] = ()
    criteria: tuple[Text, ...] = ()
    exclusive: tuple[Text, ...] = ()
    allowed: tuple[Text, ...] = ()
    blocked: tuple[Text, ...] = ()
    redirect: Text | None = None
    steps: tuple[Text, ...] = ()
    root: YamlNode | None = None

    def mode(self, name: str) -> Mode | None:
        """Return what the file says of a mode, or None."""
        return next((mode for mode in self.modes if mode.name == name), None)


def parse(text: str) -> ParseResult[DomainDocument]:
    """Parse a domain file of Chati.dev.

    Problem kinds: those of `parse_yaml`; ``invalid-chati-rule`` for rules without ``id`` or
    ``text``, with an unknown priority or the id of another rule; ``unread-chati-key`` for rules
    that stand where no reader looks.
    """
    root, problems = parse_yaml(text)
    if root is None or root.kind != "mapping":
        remedy = "Make what is below it items of `rules`, with an `id` and a `text` each."
        lost = "` is among the items of `rules`"  # beside `rules` no reader looks into it
        problems = tuple(
            one._replace(remedy=remedy, data=()) if lost in one.message else one for one in problems
        )
        return ParseResult(DomainDocument(root=root), problems)
    authority = root.get("authority")
    articles = root.members("articles")
    own = list(_rules_problems(root))
    if key := root.key_node(
        "articles"
    ):  # articles that stand beside `rules`: Chati.dev's loader reads `rules` alone
        holders = [article for _, article in articles] or root.nodes("articles")
        count = sum(len(article.nodes("rules")) for article in holders)
        rules, are = ("1 rule", "is") if count == 1 else (f"{count} rules", "are")
        message = (
            f"No reader of this file looks into `{key.value}`, so {rules} in it {are} never "
            "injected."
        )
        remedy = "Move them to `rules`, with an `id` and a `text` each."
        own.append(Finding(key.span, message, remedy, kind="unread-chati-key"))
    document = DomainDocument(
        rules=tuple(_read_rules(root.get("rules"))),
        summary=root.text("summary"),
        count=root.text("articleCount"),
        unread_articles=tuple(Text(k.value, k.span) for k, a in articles if a.nodes("rules")),
        modes=tuple(
            Mode(
                name.value,
                name.span,
                mode.text("writeScope"),
                _scalar_texts(mode, "allowedActions"),
                _scalar_texts(mode, "blockedActions"),
            )
            for name, mode in root.members("modes")
        ),
        mission=root.text("mission"),
        inputs=_scalar_texts(root, "inputs"),
        outputs=_scalar_texts(root, "outputs"),
        criteria=_scalar_texts(root, "criteria"),
        exclusive=_scalar_texts(authority, "exclusive"),
        allowed=_scalar_texts(authority, "allowed"),
        blocked=_scalar_texts(authority, "blocked"),
        redirect=authority.text("redirectMessage") if authority else None,
        steps=_scalar_texts(root, "steps"),
        root=root,
    )
    return ParseResult(document, sort_problems((*problems, *own)))


def _scalar_texts(node: YamlNode | None, key: str) -> tuple[Text, ...]:
    """Return the scalars of a list, or the one scalar that stands in its place."""
    yaml_node = node.non_null(key) if node is not None else None
    if yaml_node is None:
        return ()
    items = yaml_node.items if yaml_node.kind == "sequence" else (yaml_node,)
    return tuple(
        Text(item.target_node.value, item.span)
        for item in items
        if item.target_node.kind == "scalar" and item.target_node.value.strip()
    )


def _read_rules(rules: YamlNode | None) -> Iterator[DomainRule]:
    """Yield the rules that have a text; Chati.dev's loader takes ``rule`` for it too."""
    for item in rules.items if rules else ():
        node = item.target_node
        text = node.text("text") or node.text("rule")
        if text is None or not text.value.strip():
            continue
        priority = node.scalar("priority")
        yield DomainRule(
            node.scalar("id"),
            text.value,
            priority if priority in PRIORITIES else "normal",
            item.span,
        )


def _rules_problems(root: YamlNode) -> Iterator[Finding]:
    if (rules := root.non_null("rules")) is None:
        return
    if rules.kind != "sequence":
        yield _invalid_rule_problem(
            rules.span, "`rules` is not a list, so none of its rules is injected."
        )
        return
    first: dict[str, int] = {}
    for number, item in enumerate(rules.items):
        node = item.target_node
        name = f"rules[{number}]"
        if node.kind != "mapping":
            yield _invalid_rule_problem(
                item.span,
                f"`{name}` has no `id` and no `text`, so no block injects it; Chati.dev injects an "
                "empty rule.",
                "Write it as `- id: …` with a `text: …` below.",
            )
            continue
        text, named = node.text("text") or node.text("rule"), node.text("id")
        if text is None or not text.value.strip():
            # The key of an item that was written as `- name: "text"`.
            others = [(key, value) for key, value in node.pairs if key.value != "priority"]
            key_node, value = others[0] if len(others) == 1 else (node, node)
            is_text = value.target_node.kind == "scalar" and value.target_node.value.strip()
            is_named = key_node.value not in ("id", "text", "rule") and node.style == "block"
            key = key_node.value if is_text and is_named else ""
            remedy = "Give it an `id` and a `text`." if named is None else "Give it a `text`."
            missing = "no `id` and no `text`" if named is None else "no `text`"
            yield _invalid_rule_problem(
                item.first_key_span,
                f"`{name}` has {missing}, so no block injects it; Chati.dev injects an empty rule.",
                remedy,
                key,
            )
        elif named is None or not named.value.strip():
            yield _invalid_rule_problem(
                item.first_key_span,
                f"`{name}` has no `id`, so nothing can name it; Chati.dev injects it as `unknown`.",
                "Give it an `id`.",
            )
        if (priority := node.text("priority")) and priority.value not in PRIORITIES:
            word = nearest_word(priority.value, PRIORITIES)
            yield _invalid_rule_problem(
                priority.span,
                f"`{name}.priority` is not critical, high or normal, so the rule counts as normal.",
                f"Write `{word}`." if word else "",
            )
        if named is not None and named.value:
            earlier = first.setdefault(named.value, number)
            if earlier != number:
                yield _invalid_rule_problem(
                    named.span,
                    f"`{name}` has the id of `rules[{earlier}]`, so nothing can distinguish them.",
                    "Give one of them another id.",
                )


def _invalid_rule_problem(span: Span, message: str, remedy: str = "", key: str = "") -> Finding:
    return Finding(span, message, remedy, kind="invalid-chati-rule", data=problem_data(key=key))
