"""This module selects the rules of a tree that an instruction file can hold, and renders them as
Markdown.

There are rules that always apply, and rules for some files. What always applies is what an
empty prompt in a fresh window gets, without what depends on the bracket or on a session. A
file is read once, so nothing is left to a later prompt: no budget counts. The Markdown has a
shape that the usual formatters leave alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from synapse_ls.engine.compiled_plan import Plan, PlanDomain, RuleRow
from synapse_ls.engine.profile_model import Profile
from synapse_ls.engine.rule_entries import INJECTED_KINDS
from synapse_ls.engine.xml_text import unescape_text
from synapse_ls.workspace.naming_conventions import kebab_case
from synapse_ls.workspace.tree_folders import is_above_root


class RuleGroup(NamedTuple):
    """Rules under one sub-heading, which may be ""; with ``is_prose`` they are Markdown already,
    and no list.
    """

    heading: str
    rules: tuple[str, ...]
    is_prose: bool = False


class RuleTopic(NamedTuple):
    """Groups of rules under one heading.

    ``slug`` is for names of files; ``paths`` are the globs, as in the manifest, of the files
    that the rules are about, none where they always apply.
    """

    heading: str
    slug: str
    groups: tuple[RuleGroup, ...]
    paths: tuple[str, ...] = ()


def always_topics(plan: Plan) -> tuple[RuleTopic, ...]:
    """Returns the rules that always apply; each text once."""
    domains = [domain for domain in map(plan.domain, plan.always) if _is_always_on(plan, domain)]
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
            for group in _rule_groups(plan, domain, told, "" if role else domain.label)
        ]
        if groups:
            topics.append(RuleTopic(heading, slug, tuple(groups)))
    return (*topics, *_prose_topics(plan))


def _prose_topics(plan: Plan) -> Iterator[RuleTopic]:
    """Yields what somebody has written as a text: sections without a trigger, and an agent's
    identity.
    """
    headings: dict[str, str] = plan.profile_table.get("headings", {})
    for domain in map(plan.domain, plan.always):
        waits = domain.every_n_turns or domain.on_tokens
        if domain.role not in ("section", "identity") or waits or not domain.rows:
            continue
        title = headings.get(domain.role.upper(), domain.name).removeprefix("## ")
        text = "\n".join(row.text for row in domain.rows).strip("\n")
        # A text of its own often begins with what stands above it here.
        text = text.removeprefix(f"# {title}\n").strip("\n")
        yield RuleTopic(title, kebab_case(domain.label), (RuleGroup("", (text,), is_prose=True),))


def path_topics(plan: Plan) -> tuple[RuleTopic, ...]:
    """Returns the rules for some files, a topic for each domain; without those that always
    apply.
    """
    always = {
        rule for topic in always_topics(plan) for group in topic.groups for rule in group.rules
    }
    topics = []
    for domain in map(plan.domain, plan.periodic):
        if not (domain.paths and _takes_part(plan, domain)) or domain.always_on:
            continue
        groups = tuple(_rule_groups(plan, domain, set(always), ""))
        if groups:
            topics.append(RuleTopic(domain.label, kebab_case(domain.label), groups, domain.paths))
    return tuple(topics)


def _is_always_on(plan: Plan, domain: PlanDomain) -> bool:
    if domain.role == "constitution":
        return True
    fresh = plan.profile.brackets[0].layers
    layer = "L1" if domain.squad < 0 else "L5"
    return domain.role != "commands" and layer in fresh and _takes_part(plan, domain)


def _takes_part(plan: Plan, domain: PlanDomain) -> bool:
    """Tells whether a domain takes part at all: switched on, with rules, and not for its squad
    alone.

    What is above the tree stays there: it may be the user's own, and files for agents are the
    project's.
    """
    alone = domain.squad >= 0 and plan.squads[domain.squad].mode == "none"
    return domain.active and bool(domain.file) and not (alone or is_above_root(domain.file))


def _rule_groups(
    plan: Plan, domain: PlanDomain, used_texts: set[str], heading: str
) -> Iterator[RuleGroup]:
    """Yields the rules of a domain that are not in ``used_texts`` yet, by the headings that its
    file has.
    """
    if plan.profile.markup:  # where groups are elements and texts are escaped
        rows = [row for row in domain.rows if row.kind in INJECTED_KINDS and not row.phase]
        texts = [unescape_text(row.text) for row in rows]
        yield from [RuleGroup(heading, tuple(texts))] if texts else []
        return
    found: dict[str, list[str]] = {}
    titles = {row.qualifier: row.text for row in domain.rows if row.kind == "title"}
    for row in domain.rows:
        if row.kind == "title":
            found.setdefault(row.text, [])
        elif row.kind in INJECTED_KINDS and row.kind != "bracket" and row.text not in used_texts:
            used_texts.add(row.text)
            article = titles.get(row.qualifier, "") if row.kind == "article" else ""
            found.setdefault(article or _group_heading(heading, row), []).append(row.text)
    yield from (RuleGroup(name, tuple(rules)) for name, rules in found.items())


def _group_heading(domain: str, row: RuleRow) -> str:
    return ": ".join(part for part in (domain, row.group) if part)


def count_rules(topics: Iterable[RuleTopic]) -> int:
    """Returns how many rules there are in topics."""
    return sum(len(group.rules) for topic in topics for group in topic.groups)


_CODE_SPAN = re.compile(r"(`+)(?:(?!`).*?[^`])\1(?!`)")
_MENTION = re.compile(r"(?<![\w`@/.])@[\w~./-]*[\w/-]")


def render_hook_note(profile: Profile) -> str:
    """Returns the text of a file where the hook brings the rules: it says only where they come
    from, and where an agent without the hook finds them.
    """
    opening = profile.layout_in(profile.brackets[0].name).open.strip()
    name = opening[1:].partition(">")[0].partition(" ")[0] if opening.startswith("<") else ""
    where = f", between `<{name}>` and `</{name}>`" if name else ""
    missing = "no such block is there" if where else "none came"
    return (
        f"The rules of this project come with the prompts{where}. If {missing}, read them in "
        f"`{profile.home}` before you begin."
    )


def render_topics(
    topics: Iterable[RuleTopic], home: str, *, imports: bool = False, scoped: bool = False
) -> str:
    """Returns the topics, after a line that says where they come from: ``home`` is their folder.

    ``imports``: the file's reader puts other files in the place of ``@path``, so mentions are
    set as code, which it leaves alone. ``scoped``: it knows from elsewhere which files the
    rules are about.
    """
    lines = [f"These rules are kept in `{home}`; change them there, then run `synapse sync`."]
    for topic in topics:
        lines += [
            "",
            f"## {_escape_rule(topic.heading, imports)}{'' if scoped else _path_note(topic)}",
        ]
        for group in topic.groups:
            if group.heading:
                lines += ["", f"### {_escape_rule(group.heading, imports)}"]
            if group.rules:
                mark = "" if group.is_prose else "- "
                lines += ["", *(f"{mark}{_escape_rule(rule, imports)}" for rule in group.rules)]
    return "\n".join(lines)


def _path_note(topic: RuleTopic) -> str:
    globs = ", ".join(f"`{path}`" for path in topic.paths)
    return f" (only for files that match {globs})" if globs else ""


def _escape_rule(text: str, imports: bool) -> str:
    """Returns a rule's text so that it neither ends the block nor pulls in another file."""
    text = text.replace("<!--", "&lt;!--")
    if not imports or "@" not in text:
        return text
    parts, last = [], 0
    for code in _CODE_SPAN.finditer(text):
        parts += [_MENTION.sub(r"`\g<0>`", text[last : code.start()]), code[0]]
        last = code.end()
    return "".join((*parts, _MENTION.sub(r"`\g<0>`", text[last:])))
