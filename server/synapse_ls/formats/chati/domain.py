"""Domain files of Chati.dev, ``chati.dev/domains/**.yaml``: what its context layers are made from.

One reader for all four shapes (constitution, global, agents, workflows): a file has the keys that
its place asks for, and nothing else depends on where it stands.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from synapse_ls.formats.chati.schema import Field
from synapse_ls.formats.problem import Parsed, Problem, Text
from synapse_ls.formats.yaml_tree import Node, parse_yaml
from synapse_ls.text.near import nearest
from synapse_ls.text.span import Span

PRIORITIES = ("critical", "high", "normal")
"""From the most to the least important; a rule that names none is ``normal``."""

MODES = ("planning", "build", "deploy")

_MODE = (
    Field("writeScope"),
    Field("allowedActions", "list"),
    Field("blockedActions", "list"),
)
FIELDS = (
    Field("summary"),
    Field("articleCount", "count"),
    Field("mission"),
    Field(
        "authority",
        "mapping",
        fields=(
            Field("exclusive", "list"),
            Field("allowed", "list"),
            Field("blocked", "list"),
            Field("redirectMessage"),
        ),
    ),
    Field("inputs", "list"),
    Field("outputs", "list"),
    Field("criteria", "list"),
    Field("modes", "mapping", fields=tuple(Field(m, "mapping", fields=_MODE) for m in MODES)),
    Field("steps", "list"),
    Field(
        "rules",
        "list",
        fields=(
            Field("id", required=True),
            Field("text", required=True),
            Field("priority", words=PRIORITIES),
        ),
    ),
)
"""The fields of all four kinds of files, for whoever offers them."""


@dataclass(frozen=True, slots=True)
class DomainRule:
    """A rule; ``id`` is "" where it has none. ``span`` covers the whole item."""

    id: str
    text: str
    priority: str
    span: Span
    id_span: Span


@dataclass(frozen=True, slots=True)
class Mode:
    """What an agent may do in a mode; the lists are action names."""

    name: str
    span: Span
    write_scope: Text | None
    allowed: tuple[Text, ...]
    blocked: tuple[Text, ...]


@dataclass(frozen=True, slots=True)
class DomainFile:
    """A domain file.

    ``summary`` is the text of that key, with its place. ``count`` is ``articleCount``. ``unread``
    are keys that hold rules where no reader looks for them: (key, number of rules). ``exclusive``,
    ``allowed`` and ``blocked`` are the authority of an agent, ``redirect`` what it says instead.
    """

    rules: tuple[DomainRule, ...] = ()
    summary: Text | None = None
    count: Text | None = None
    unread: tuple[tuple[Text, int], ...] = ()
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
    root: Node | None = None

    def mode(self, name: str) -> Mode | None:
        """What the file says of a mode."""
        return next((mode for mode in self.modes if mode.name == name), None)


def parse(text: str) -> Parsed[DomainFile]:
    """Read a domain file.

    Problem kinds: those of `parse_yaml`; ``invalid-chati-rule`` for rules without ``id`` or ``text``,
    with an unknown priority or the id of another rule; ``unread-chati-key`` for rules that stand
    where no reader looks.
    """
    root, problems = parse_yaml(text)
    if root is None or root.kind != "mapping":
        return Parsed(DomainFile(root=root), problems)
    found = [*problems, *_rule_problems(root), *_unread_problems(root)]
    authority = root.get("authority")
    document = DomainFile(
        rules=tuple(_rules(root.get("rules"))),
        summary=root.text("summary"),
        count=root.text("articleCount"),
        unread=tuple(_unread(root)),
        modes=tuple(_modes(root.get("modes"))),
        mission=root.text("mission"),
        inputs=_texts(root, "inputs"),
        outputs=_texts(root, "outputs"),
        criteria=_texts(root, "criteria"),
        exclusive=_texts(authority, "exclusive"),
        allowed=_texts(authority, "allowed"),
        blocked=_texts(authority, "blocked"),
        redirect=authority.text("redirectMessage") if authority else None,
        steps=_texts(root, "steps"),
        root=root,
    )
    return Parsed(document, tuple(sorted(found, key=lambda problem: problem.span)))


def _texts(node: Node | None, key: str) -> tuple[Text, ...]:
    """The scalars of a list, or the one scalar that stands in its place."""
    found = node.given(key) if node is not None else None
    if found is None:
        return ()
    items = found.items if found.kind == "sequence" else (found,)
    return tuple(
        Text(item.followed.value, item.span)
        for item in items
        if item.followed.kind == "scalar" and item.followed.value.strip()
    )


def _rules(rules: Node | None) -> Iterator[DomainRule]:
    """The rules that have a text; Chati.dev's loader takes ``rule`` for it too."""
    for item in rules.items if rules else ():
        node = item.followed
        told = node.text("text") or node.text("rule")
        if told is None or not told.value.strip():
            continue
        named = node.text("id")
        priority = node.scalar("priority")
        yield DomainRule(
            named.value if named else "",
            told.value,
            priority if priority in PRIORITIES else "normal",
            item.span,
            named.span if named else told.span,
        )


def _modes(modes: Node | None) -> Iterator[Mode]:
    for key, value in modes.pairs if modes else ():
        node = value.followed
        yield Mode(
            key.value,
            key.span,
            node.text("writeScope"),
            _texts(node, "allowedActions"),
            _texts(node, "blockedActions"),
        )


def _unread(root: Node) -> Iterator[tuple[Text, int]]:
    """Articles that stand beside ``rules``: Chati.dev's loader reads ``rules`` alone."""
    articles = root.get("articles")
    key = root.key_node("articles")
    if articles is None or key is None:
        return
    held = [value.followed for _, value in articles.pairs] or list(articles.items)
    count = 0
    for article in held:
        rules = article.get("rules")
        count += len(rules.items) if rules else 0
    yield Text(key.value, key.span), count


def _unread_problems(root: Node) -> Iterator[Problem]:
    for key, count in _unread(root):
        rules = "1 rule" if count == 1 else f"{count} rules"
        yield Problem(
            "unread-chati-key",
            key.span,
            f"No reader of this file looks into `{key.value}`, so {rules} in it "
            f"{'is' if count == 1 else 'are'} never told to an agent.",
            "Move them to `rules`, with an `id` and a `text` each.",
        )


def _rule_problems(root: Node) -> Iterator[Problem]:
    rules = root.given("rules")
    if rules is None:
        return
    if rules.kind != "sequence":
        yield _problem(rules.span, "`rules` is not a list, so none of its rules is told.")
        return
    first: dict[str, int] = {}
    for number, item in enumerate(rules.items):
        yield from _of_rule(number, item, first)


def _of_rule(number: int, item: Node, first: dict[str, int]) -> Iterator[Problem]:
    node = item.followed
    name = f"rules[{number}]"
    if node.kind != "mapping":
        yield _problem(
            item.span,
            f"`{name}` has no `id` and no `text`, so no block tells it; Chati.dev tells an empty rule.",
            "Write it as `- id: …` with a `text: …` below.",
        )
        return
    told, named = node.text("text") or node.text("rule"), node.text("id")
    if told is None or not told.value.strip():
        remedy = "Give it an `id` and a `text`." if named is None else "Give it a `text`."
        missing = "no `id` and no `text`" if named is None else "no `text`"
        yield _problem(
            _first_line(item),
            f"`{name}` has {missing}, so no block tells it; Chati.dev tells an empty rule.",
            remedy,
            _named_by_key(node),
        )
    elif named is None or not named.value.strip():
        yield _problem(
            _first_line(item),
            f"`{name}` has no `id`, so nothing can name it; Chati.dev tells it as `unknown`.",
            "Give it an `id`.",
        )
    priority = node.text("priority")
    if priority and priority.value not in PRIORITIES:
        meant = nearest(priority.value, PRIORITIES)
        yield _problem(
            priority.span,
            f"`{name}.priority` is not critical, high or normal, so the rule counts as normal.",
            f"Write `{meant}`." if meant else "",
        )
    if named is not None and named.value:
        earlier = first.setdefault(named.value, number)
        if earlier != number:
            yield _problem(
                named.span,
                f"`{name}` has the id of `rules[{earlier}]`, so nobody can tell them apart.",
                "Give one of them another id.",
            )


def _named_by_key(node: Node) -> str:
    """The key of an item that was written as ``- name: "text"``; "" for any other."""
    pairs = [(key, value) for key, value in node.pairs if key.value != "priority"]
    if len(pairs) != 1 or node.style != "block":
        return ""
    key, value = pairs[0]
    plain = key.value and value.followed.kind == "scalar" and value.followed.value.strip()
    return key.value if plain and key.value not in ("id", "text", "rule") else ""


def _first_line(item: Node) -> Span:
    """Where an item begins: its first key, else its own place."""
    if item.followed.pairs:
        return item.followed.pairs[0][0].span
    return item.span


def _problem(span: Span, message: str, remedy: str = "", key: str = "") -> Problem:
    data = (("key", key),) if key else ()
    return Problem("invalid-chati-rule", span, message, remedy, data)
