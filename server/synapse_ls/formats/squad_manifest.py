"""Parse squad manifests, ``squad.yaml``, and check them against the schema (AIOX squad-schema).

``config.extends`` combines the squad's domains with the root's: extend, override or none. Unknown
fields are allowed.
"""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from synapse_ls.formats.yaml_tree import YamlNode, parse_yaml
from synapse_ls.text.edit_distance import choice_remedy, nearest_choice, nearest_word
from synapse_ls.text.finding import (
    Finding,
    ParseResult,
    Severity,
    Text,
    problem_data,
    sort_problems,
)
from synapse_ls.text.span import Span

EXTENDS_MODES = ("extend", "override", "none")
COMPONENTS = ("tasks", "agents", "workflows", "checklists", "templates", "tools", "scripts")
LICENSES = ("MIT", "Apache-2.0", "ISC", "GPL-3.0", "UNLICENSED")

_KEBAB = r"[a-z0-9-]+"
_SEMVER = r"[0-9]+\.[0-9]+\.[0-9]+"


class SquadField(NamedTuple):
    """What the schema says about one field of a squad manifest; ``shape`` is "text", "texts" or
    "mapping".
    """

    path: tuple[str, ...]
    shape: str = "text"
    pattern: str = ""
    options: tuple[str, ...] = ()
    max_length: int = 0
    required: bool = False
    hint: str = ""


SCHEMA: tuple[SquadField, ...] = (
    SquadField(
        ("name",),
        pattern=rf"(?={_KEBAB}$).{{2,50}}",
        required=True,
        hint="2 to 50 lower-case letters, digits and hyphens",
    ),
    SquadField(("version",), pattern=_SEMVER, required=True, hint="three numbers such as 1.0.0"),
    SquadField(("short-title",), max_length=100),
    SquadField(("description",), max_length=500),
    SquadField(("author",)),
    SquadField(("license",), options=LICENSES),
    SquadField(("slashPrefix",), pattern=_KEBAB, hint="lower-case letters, digits and hyphens"),
    SquadField(("tags",), "texts"),
    SquadField(("aiox",), "mapping"),
    SquadField(("aiox", "minVersion"), pattern=_SEMVER, hint="three numbers such as 2.1.0"),
    SquadField(("aiox", "type"), options=("squad",)),
    SquadField(("requires",), "mapping"),
    SquadField(("components",), "mapping"),
    *(SquadField(("components", name), "texts") for name in COMPONENTS),
    SquadField(("config",), "mapping"),
    SquadField(("config", "extends"), options=EXTENDS_MODES),
    SquadField(("dependencies",), "mapping"),
    *(SquadField(("dependencies", name), "texts") for name in ("node", "python", "squads")),
)


class SquadDocument(NamedTuple):
    """A squad manifest; ``extends`` is ``None`` where the file does not say (then it is "extend").

    ``components`` has one entry for every kind of component that the file lists: file names.
    """

    name: Text | None
    version: Text | None
    description: str
    extends: Text | None
    components: Mapping[str, tuple[Text, ...]]
    dependencies: tuple[Text, ...]
    root: YamlNode | None

    @property
    def agents(self) -> tuple[Text, ...]:
        """The agent files of the squad."""
        return self.components.get("agents", ())

    @property
    def is_stub(self) -> bool:
        """Whether the file only says that it is deprecated."""
        return self.root is not None and (self.root.scalar("deprecated") or "").lower() == "true"

    @property
    def agents_elsewhere(self) -> tuple[str, ...]:
        """The agents that the file names beside its components, where nobody looks for them: the
        list ``agents`` of paths or names at the top, and the ``orchestrator``.
        """
        listed = self.root.get("agents") if self.root else None
        values = [item.value for item in listed.target_node.scalar_texts] if listed else []
        leader = self.root.scalar("orchestrator") if self.root else ""
        return tuple(name.strip() for name in (*values, leader) if name.strip())


def parse(text: str) -> ParseResult[SquadDocument]:
    """Parse a squad manifest.

    Problem kinds: those of `parse_yaml`, and ``invalid-squad``, whose data names the ``field``.
    """
    root, problems = parse_yaml(text)
    own: list[Finding] = []
    nested = Span(0, 0)
    squad = root.get("squad") if root else None
    if root and squad and squad.get("name") and root.get("name") is None:
        if squad.get("code"):  # a manifest of ExpxAgents, whose `name` is a title
            return ParseResult(_read_document(squad)._replace(name=squad.text("code")), problems)
        key = root.key_node("squad") or squad
        what = "nests fields that belong at the top, as in the old config.yaml"
        remedy = "Move the fields of `squad` out to the top level."
        own.append(_squad_problem("squad", key.span, what, remedy))
        nested = squad.span
        root = _with_pairs_of(root, squad)
    document = _read_document(root)
    if not document.is_stub and (root is not None or not problems):
        span = nested
        own += (p for p in _check_fields(root) if not span.start <= p.span.start < span.end)
    return ParseResult(document, sort_problems((*problems, *own)))


def parse_old(text: str) -> ParseResult[SquadDocument]:
    """Parse the former manifest of a squad, ``config.yaml``. It had no schema, and its fields may
    stand below ``squad`` or ``pack``, so nothing is a problem; what cannot be read says nothing.
    """
    root, _ = parse_yaml(text)
    for name in ("squad", "pack"):
        nested = root.get(name) if root and root.get("name") is None else None
        if root and nested and nested.target_node.pairs:
            root = _with_pairs_of(root, nested)
    return ParseResult(_read_document(root), ())


def _with_pairs_of(root: YamlNode, nested: YamlNode) -> YamlNode:
    """Return a mapping with the pairs of one of its values before its own."""
    return YamlNode(
        "mapping",
        root.span,
        style=root.style,
        tag=root.tag,
        pairs=(*nested.target_node.pairs, *root.pairs),
    )


def _read_document(root: YamlNode | None) -> SquadDocument:
    squads = _node_at(root, ("dependencies", "squads"))
    components, config = _node_at(root, ("components",)), _node_at(root, ("config",))
    return SquadDocument(
        name=root.text("name") if root else None,
        version=root.text("version") if root else None,
        description=root.scalar("description") if root else "",
        extends=config.text("extends") if config else None,
        components={
            key.value: value.target_node.scalar_texts
            for key, value in (components.pairs if components else ())
        },
        dependencies=squads.scalar_texts if squads else (),
        root=root,
    )


def _node_at(root: YamlNode | None, path: tuple[str, ...]) -> YamlNode | None:
    node = root
    for name in path:
        node = node.non_null(name) if node else None
    return node


def _check_fields(root: YamlNode | None) -> Iterator[Finding]:
    if root is None or not root.pairs:
        span = root.first_character if root else Span(0, 0)
        yield _squad_problem("name", span, "is missing, as is every other field")
        return
    names = [rule.path[0] for rule in SCHEMA if rule.required]
    # The one problem of required fields that stand below another key, where there are any.
    holder, nested = next(filter(_holds_squad, root.pairs), (None, None))
    below = [n for n in names if not _node_at(root, (n,)) and _node_at(nested, (n,))]
    if below and holder:
        problem_names = " and ".join(f"`{name}`" for name in below)
        remedy = f"Move {problem_names} out to the top level."
        what = f"has {problem_names}, whose place is the top level"
        yield _squad_problem(holder.value, holder.span, what, remedy)
    if (misplaced := root.key_node("extends")) and not _node_at(root, ("config", "extends")):
        yield Finding(
            misplaced.span,
            "`extends` is ignored outside `config`, so the squad's domains are only added to the "
            "project's and override none.",
            "Move it into `config`."
            if root.key_node("config")
            else "Put it below a line `config:`, indented by two spaces.",
            kind="invalid-squad",
            data=() if root.key_node("config") else (("suggestion", "config:\n  extends"),),
        )
    for rule in SCHEMA:
        name = ".".join(rule.path)
        node = _node_at(nested if name in below else root, rule.path)
        if node is None:
            if rule.required:
                # An empty field; the first line where there is none.
                key = root.key_node(rule.path[-1])
                first = root.pairs[0]
                place = (
                    key.span
                    if key
                    else Span(first[0].span.start, max(first[0].span.end, first[1].span.end))
                )
                remedy = f"Add `{name}`."
                data = problem_data(missing="" if key else name)
                yield _squad_problem(name, place, "is missing", remedy, data)
            continue
        yield from _CHECKS[rule.shape](rule, name, node)
    # The problems of fields of no meaning that are probably one of the schema's, which is missing.
    for group in sorted({rule.path[:-1] for rule in SCHEMA}):
        holder = _node_at(root, group)
        if holder is None or holder.kind != "mapping":
            continue
        fields = [rule.path[-1] for rule in SCHEMA if rule.path[:-1] == group]
        written = [key.value for key, _ in holder.pairs]
        missing = [name for name in fields if name not in written]
        for key, _ in holder.pairs:
            is_known = key.value in (*fields, *_FORMER_FIELDS)
            near = "" if is_known else nearest_word(key.value, missing)
            if near and len(key.value) > 3:
                name = ".".join((*group, key.value))
                yield Finding(
                    key.span,
                    f"`{name}` is no field of AIOX's squad schema, so readers that follow the "
                    "schema ignore it.",
                    f"Write `{near}`.",
                    kind="invalid-squad",
                    data=(("field", name), ("near", near)),
                )


def _holds_squad(pair: tuple[YamlNode, YamlNode]) -> bool:
    """Return whether a field has the name of the squad and more of what says which squad it is."""
    names = {name.value for name, _ in pair[1].target_node.pairs}
    is_squad = "name" in names and len(names & {"version", "description", "author"}) > 1
    return is_squad or pair[0].value == "metadata"


# What the framework's fields were called before it was renamed.
_FORMER_FIELDS = ("aios",)


def _check_text(rule: SquadField, name: str, node: YamlNode) -> Iterator[Finding]:
    if node.kind != "scalar":
        yield _squad_problem(name, node.span, "is not a text", "Write one text.")
    elif rule.pattern and not re.fullmatch(rule.pattern, node.value):
        words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", node.value)
        slug = re.sub(r"[\W_]+", "-", words.lower()).strip("-")
        meant = (node.value.lstrip("vV"), f"{node.value}.0", f"{node.value}.0.0", slug)
        near = next((word for word in meant if re.fullmatch(rule.pattern, word)), "")
        remedy = f"Write `{near}`." if near else f"Write {rule.hint}."
        data = problem_data(near=near)
        problem = _squad_problem(name, node.span, f"is not {rule.hint}", remedy, data)
        # `squadCreator`, by design
        is_meant = bool(near) and near.replace("-", "") == node.value.lower()
        yield problem._replace(own_severity=Severity.INFO if is_meant else None)
    elif rule.options and node.value not in rule.options:
        near = nearest_choice(node.value, rule.options)
        remedy = choice_remedy(node.value, rule.options)
        problem = _squad_problem(name, node.span, "", remedy, problem_data(near=near))
        word = node.value[:40]
        yield problem._replace(
            message=f"`{word}` is not a value of `{name}`, "
            "so the framework's validator rejects the squad."
        )
    elif rule.max_length and len(node.value) > rule.max_length:
        what = f"is longer than {rule.max_length} characters"
        remedy = f"Shorten it to {rule.max_length} characters."
        yield _squad_problem(name, node.span, what, remedy)


def _check_texts(_: SquadField, name: str, node: YamlNode) -> Iterator[Finding]:
    if node.kind != "sequence":
        remedy = "Write a list, with `- ` before each text."
        yield _squad_problem(name, node.span, "is not a list", remedy)
    for item in node.items:
        if item.target_node.kind != "scalar" or item.target_node.resolve() is None:
            text = item.target_node.scalar("name")
            remedy = f"Write `{text}` alone." if text else "Write one text."
            yield _squad_problem(name, item.span, "holds something that is not a text", remedy)


def _check_mapping(rule: SquadField, name: str, node: YamlNode) -> Iterator[Finding]:
    if node.kind != "mapping":
        fields = ", ".join(f"`{one.path[-1]}:`" for one in SCHEMA if one.path[:-1] == rule.path)
        remedy = f"Put it below one of {fields}." if fields else "Write `key: value` pairs."
        yield _squad_problem(name, node.span, "is not a mapping", remedy)


_CHECKS = {"text": _check_text, "texts": _check_texts, "mapping": _check_mapping}


def _squad_problem(
    field: str, span: Span, what: str, remedy: str = "", data: tuple[tuple[str, str], ...] = ()
) -> Finding:
    message = f"`{field}` {what}, so the framework's validator rejects the squad."
    return Finding(span, message, remedy, kind="invalid-squad", data=(("field", field), *data))
