"""What a file for an agent can hold of a tree: rules that always apply, and rules for some files.

What always applies is what an empty prompt in a fresh window is told, without what depends on the
bracket or on a session. A file is read once, so nothing is left to a later prompt: no budget counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from synapse_ls.engine.layers.entries import INJECTED
from synapse_ls.engine.plan import Domain, Plan, Row
from synapse_ls.engine.xml import plain
from synapse_ls.workspace.folders import is_above
from synapse_ls.workspace.naming import kebab


class Group(NamedTuple):
    """Rules under one sub-heading, which may be ""; ``prose`` is Markdown already, and no list."""

    heading: str
    rules: tuple[str, ...]
    prose: bool = False


class Topic(NamedTuple):
    """Groups under one heading.

    ``slug`` is for names of files; ``paths`` are the globs, as in the manifest, of the files that
    the rules are about, none where they always apply.
    """

    heading: str
    slug: str
    groups: tuple[Group, ...]
    paths: tuple[str, ...] = ()


def standing(plan: Plan) -> tuple[Topic, ...]:
    """The rules that always apply; each text once."""
    domains = [domain for domain in map(plan.domain, plan.always) if _always(plan, domain)]
    told: set[str] = set()
    topics = []
    for heading, slug, wanted in (
        ("Constitution (NON-NEGOTIABLE)", "constitution", ("constitution",)),
        ("Rules for everything", "global", ("global", "context", "")),
    ):
        groups = [
            group
            for role in wanted
            for domain in domains
            if domain.role == role
            for group in _groups(plan, domain, told, "" if role else domain.label)
        ]
        if groups:
            topics.append(Topic(heading, slug, tuple(groups)))
    return (*topics, *_written(plan))


def _written(plan: Plan) -> Iterator[Topic]:
    """What somebody has written as a text: sections without a trigger, and an agent's identity."""
    headings: dict[str, str] = plan.profile_table.get("headings", {})
    for domain in map(plan.domain, plan.always):
        waits = domain.every_n_turns or domain.on_tokens
        if domain.role not in ("section", "identity") or waits or not domain.rows:
            continue
        title = headings.get(domain.role.upper(), domain.name).removeprefix("## ")
        text = "\n".join(row.text for row in domain.rows).strip("\n")
        # A text of its own often begins with what stands above it here.
        text = text.removeprefix(f"# {title}\n").strip("\n")
        yield Topic(title, kebab(domain.label), (Group("", (text,), prose=True),))


def by_path(plan: Plan) -> tuple[Topic, ...]:
    """The rules for some files, a topic for each domain; without those that always apply."""
    always = {rule for topic in standing(plan) for group in topic.groups for rule in group.rules}
    topics = []
    for domain in map(plan.domain, plan.periodic):
        if not (domain.paths and _speaks(plan, domain)) or domain.always_on:
            continue
        groups = tuple(_groups(plan, domain, set(always), ""))
        if groups:
            topics.append(Topic(domain.label, kebab(domain.label), groups, domain.paths))
    return tuple(topics)


def _always(plan: Plan, domain: Domain) -> bool:
    if domain.role == "constitution":
        return True
    fresh = plan.profile.brackets[0].layers
    layer = "L1" if domain.squad < 0 else "L5"
    return domain.role != "commands" and layer in fresh and _speaks(plan, domain)


def _speaks(plan: Plan, domain: Domain) -> bool:
    """Whether a domain takes part at all: switched on, with rules, and not for its squad alone.

    What is above the tree stays there: it may be the user's own, and files for agents are the project's.
    """
    alone = domain.squad >= 0 and plan.squads[domain.squad].mode == "none"
    return domain.active and bool(domain.file) and not (alone or is_above(domain.file))


def _groups(plan: Plan, domain: Domain, told: set[str], heading: str) -> Iterator[Group]:
    """The rules of a domain that are not ``told`` yet, by the headings that its file has."""
    if plan.profile.markup:  # where groups are elements and texts are escaped
        rows = [row for row in domain.rows if row.kind in INJECTED and not row.phase]
        texts = [plain(row.text) for row in rows]
        yield from [Group(heading, tuple(texts))] if texts else []
        return
    found: dict[str, list[str]] = {}
    titles = {row.qualifier: row.text for row in domain.rows if row.kind == "title"}
    for row in domain.rows:
        if row.kind == "title":
            found.setdefault(row.text, [])
        elif row.kind in INJECTED and row.kind != "bracket" and row.text not in told:
            told.add(row.text)
            article = titles.get(row.qualifier, "") if row.kind == "article" else ""
            found.setdefault(article or _heading(heading, row), []).append(row.text)
    yield from (Group(name, tuple(rules)) for name, rules in found.items())


def _heading(domain: str, row: Row) -> str:
    return ": ".join(part for part in (domain, row.group) if part)


def count(topics: Iterable[Topic]) -> int:
    """How many rules there are in topics."""
    return sum(len(group.rules) for topic in topics for group in topic.groups)
