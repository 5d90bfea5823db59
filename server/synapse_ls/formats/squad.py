"""Squad manifests, ``squad.yaml`` (AIOX squad-schema).

``config.extends`` decides how the squad's domains meet the root's: extend, override or none. Further
fields are allowed everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from synapse_ls.formats.problem import Parsed, Problem, Text
from synapse_ls.formats.yaml_tree import Node, parse_yaml
from synapse_ls.text.near import nearest
from synapse_ls.text.span import Span

EXTENDS = ("extend", "override", "none")
COMPONENTS = ("tasks", "agents", "workflows", "checklists", "templates", "tools", "scripts")
LICENSES = ("MIT", "Apache-2.0", "ISC", "GPL-3.0", "UNLICENSED")

_KEBAB = r"[a-z0-9-]+"
_SEMVER = r"[0-9]+\.[0-9]+\.[0-9]+"


class Field(NamedTuple):
    """What the schema says about one field; ``shape`` is "text", "texts" or "mapping"."""

    path: tuple[str, ...]
    shape: str = "text"
    pattern: str = ""
    options: tuple[str, ...] = ()
    longest: int = 0
    required: bool = False
    hint: str = ""


SCHEMA: tuple[Field, ...] = (
    Field(
        ("name",),
        pattern=rf"(?={_KEBAB}$).{{2,50}}",
        required=True,
        hint=("2 to 50 lower-case letters, digits and hyphens"),
    ),
    Field(("version",), pattern=_SEMVER, required=True, hint="three numbers such as 1.0.0"),
    Field(("short-title",), longest=100),
    Field(("description",), longest=500),
    Field(("author",)),
    Field(("license",), options=LICENSES),
    Field(("slashPrefix",), pattern=_KEBAB, hint="lower-case letters, digits and hyphens"),
    Field(("tags",), "texts"),
    Field(("aiox",), "mapping"),
    Field(("aiox", "minVersion"), pattern=_SEMVER, hint="three numbers such as 2.1.0"),
    Field(("aiox", "type"), options=("squad",)),
    Field(("requires",), "mapping"),
    Field(("components",), "mapping"),
    *(Field(("components", name), "texts") for name in COMPONENTS),
    Field(("config",), "mapping"),
    Field(("config", "extends"), options=EXTENDS),
    Field(("dependencies",), "mapping"),
    *(Field(("dependencies", name), "texts") for name in ("node", "python", "squads")),
)


@dataclass(frozen=True, slots=True)
class SquadDocument:
    """A squad manifest; ``extends`` is ``None`` where the file does not say (then it is "extend").

    ``components`` has one entry for every kind of component that the file lists: file names.
    """

    name: Text | None
    version: Text | None
    description: str
    slash_prefix: str
    extends: Text | None
    components: Mapping[str, tuple[Text, ...]]
    dependencies: tuple[Text, ...]
    root: Node | None

    @property
    def agents(self) -> tuple[Text, ...]:
        """The agent files of the squad."""
        return self.components.get("agents", ())


def parse(text: str) -> Parsed[SquadDocument]:
    """Read a manifest.

    Problem kinds: those of `parse_yaml`, and ``invalid-squad``, whose data names the ``field``.
    """
    root, problems = parse_yaml(text)
    own: list[Problem] = []
    squad = root.get("squad") if root else None
    if root is not None and squad is not None and squad.pairs and root.get("name") is None:
        key = root.key_node("squad") or squad
        own.append(_problem("squad", key.span, "nests all fields, as only the old config.yaml did"))
        root = squad
    if root is not None or not problems:
        own += _check(root)
    squads = _at(root, ("dependencies", "squads"))
    components = _at(root, ("components",))
    document = SquadDocument(
        name=root.text("name") if root else None,
        version=root.text("version") if root else None,
        description=root.scalar("description") if root else "",
        slash_prefix=root.scalar("slashPrefix") if root else "",
        extends=_extends(root),
        components={
            key.value: _texts(value.followed)
            for key, value in (components.pairs if components else ())
        },
        dependencies=_texts(squads) if squads else (),
        root=root,
    )
    return Parsed(document, tuple(sorted((*problems, *own), key=lambda p: p.span)))


def _extends(root: Node | None) -> Text | None:
    config = _at(root, ("config",))
    return config.text("extends") if config else None


def _at(root: Node | None, path: tuple[str, ...]) -> Node | None:
    node = root
    for name in path:
        node = node.given(name) if node else None
    return node


def _texts(node: Node) -> tuple[Text, ...]:
    return tuple(Text(item.value, item.span) for item in node.items if item.kind == "scalar")


def _check(root: Node | None) -> Iterator[Problem]:
    if root is None or not root.pairs:
        span = (
            Span(root.span.start, min(root.span.start + 1, root.span.end)) if root else Span(0, 0)
        )
        yield _problem("name", span, "is missing, as is every other field")
        return
    for rule in SCHEMA:
        name = ".".join(rule.path)
        node = _at(root, rule.path)
        if node is None:
            if rule.required:
                key = root.key_node(rule.path[-1])
                yield _problem(name, (key or root.pairs[0][0]).span, "is missing")
            continue
        yield from _CHECKS[rule.shape](rule, name, node)
    yield from _misspelt(root)


def _misspelt(root: Node) -> Iterator[Problem]:
    """Fields of no meaning that are probably one of the schema's, which is missing."""
    for group in sorted({rule.path[:-1] for rule in SCHEMA}):
        node = _at(root, group)
        if node is None or node.kind != "mapping":
            continue
        names = [rule.path[-1] for rule in SCHEMA if rule.path[:-1] == group]
        written = [key.value for key, _ in node.pairs]
        missing = [name for name in names if name not in written]
        for key, _ in node.pairs:
            meant = "" if key.value in names else nearest(key.value, missing)
            if meant and len(key.value) > 3:
                name = ".".join((*group, key.value))
                yield Problem(
                    "invalid-squad",
                    key.span,
                    f"`{name}` is no field that anything reads, so what it says has no effect.",
                    f"Write `{meant}`.",
                    (("field", name), ("near", meant)),
                )


def _check_text(rule: Field, name: str, node: Node) -> Iterator[Problem]:
    if node.kind != "scalar":
        yield _problem(name, node.span, "is not a text")
    elif rule.pattern and not re.fullmatch(rule.pattern, node.value):
        yield _problem(name, node.span, f"is not {rule.hint}")
    elif rule.options and node.value not in rule.options:
        near = nearest(node.value, rule.options)
        remedy = f"Write `{near}`." if near else ""
        data = (("near", near),) if near else ()
        what = f"is none of {', '.join(rule.options)}"
        yield _problem(name, node.span, what, remedy, data)
    elif rule.longest and len(node.value) > rule.longest:
        yield _problem(name, node.span, f"is longer than {rule.longest} characters")


def _check_texts(_: Field, name: str, node: Node) -> Iterator[Problem]:
    if node.kind != "sequence":
        yield _problem(name, node.span, "is not a list")
    for item in node.items:
        if item.followed.kind != "scalar" or item.followed.resolve() is None:
            yield _problem(name, item.span, "holds something that is not a text")


def _check_mapping(_: Field, name: str, node: Node) -> Iterator[Problem]:
    if node.kind != "mapping":
        yield _problem(name, node.span, "is not a mapping")


_CHECKS = {"text": _check_text, "texts": _check_texts, "mapping": _check_mapping}


def _problem(
    field: str, span: Span, what: str, remedy: str = "", data: tuple[tuple[str, str], ...] = ()
) -> Problem:
    message = f"`{field}` {what}, so the squad fails its schema."
    return Problem("invalid-squad", span, message, remedy, (("field", field), *data))
