"""The instruction files (CLAUDE.md, AGENTS.md …) that `synapse sync` writes, and their content.

Rules that always apply are those of an empty prompt in a fresh window, without what depends on
bracket or session; others are for some files. A file is read once, so there is no budget. Common
Markdown formatters leave the layout unchanged.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from synapse_ls.engine.block_sections import INJECTED_KINDS
from synapse_ls.engine.compiled_plan import Plan, PlanDomain, Profile
from synapse_ls.engine.text_escaping import unescape_text
from synapse_ls.formats import instruction_scopes
from synapse_ls.formats.managed_block import HOOK, RULES, ManagedBlock, render_managed_block
from synapse_ls.text.line_index import LineIndex
from synapse_ls.workspace.instruction_readers import CODEX_LIMIT
from synapse_ls.workspace.naming_conventions import kebab_case
from synapse_ls.workspace.tree_folders import is_above_root


class SizeLimit(NamedTuple):
    """How much of an instruction file the client that reads it takes. ``unit``: "bytes",
    "characters" or "lines".
    """

    amount: int
    unit: str
    effect: str

    def describe_excess(self, text: str) -> str:
        """Return what is to be said of a file with ``text``, "" where it is small enough."""
        size = {
            "bytes": len(text.encode("utf-8", "surrogateescape")),
            "characters": len(text),
            "lines": LineIndex(text).line_count - text.endswith(("\n", "\r")),
        }[self.unit]
        if size <= self.amount:
            return ""
        return f"it has {size:,} {self.unit} of {self.amount:,}: {self.effect}"


FrontMatter = Callable[[str, tuple[str, ...]], str]


@dataclass(frozen=True, slots=True)
class InstructionPlace:
    """A file or folder from which a client reads instructions.

    path: relative to the root; ``{}`` is for the slug of a domain. front: (description,
    globs) -> front matter; with it the file is ours as a whole, without it only a block in it
    is.
    """

    path: str
    front: FrontMatter | None = None
    limit: SizeLimit | None = None

    @property
    def is_whole(self) -> bool:
        """Whether the file is ours as a whole."""
        return self.front is not None

    def path_for(self, slug: str) -> str:
        """Return the path for a domain."""
        return self.path.replace("{}", slug)

    def matches(self, path: str) -> bool:
        """Return whether ``path`` is one of this place."""
        pattern = re.escape(self.path).replace(r"\{\}", "[^/]+")
        return re.fullmatch(pattern, path, re.DOTALL) is not None


@dataclass(frozen=True, slots=True)
class SyncTarget:
    """A target of `synapse sync`: a client's own instruction files for rules.

    name: what people call it. title: who reads the files. main_place: the place of the rules
    that always apply. scoped_place: that of rules for some files; without one they follow
    those that always apply, each under a heading that names the files. dialect: how it reads
    globs. clients: those that `synapse install` knows and that read these files; where one of
    them has the hook, nothing is said twice. other_readers: clients that read them beside
    files of their own. imports: whether ``@path`` in the files is replaced by that file.
    """

    name: str
    title: str
    main_place: InstructionPlace
    clients: tuple[str, ...]
    scoped_place: InstructionPlace | None = None
    dialect: instruction_scopes.GlobDialect | None = None
    other_readers: tuple[str, ...] = ()
    imports: bool = False

    @property
    def places(self) -> tuple[InstructionPlace, ...]:
        """All places, the main one first."""
        return (self.main_place, self.scoped_place) if self.scoped_place else (self.main_place,)

    def place_of(self, path: str) -> InstructionPlace | None:
        """Return the place that ``path`` belongs to, None for none."""
        return next((place for place in self.places if place.matches(path)), None)


class InstructionFile(NamedTuple):
    """One of a target's instruction files as it is to be. ``front`` is "" and ``whole`` false where
    only the block is ours.
    """

    path: str
    kind: str
    body: str
    front: str = ""
    whole: bool = False
    globs: instruction_scopes.TranslatedGlobs = instruction_scopes.TranslatedGlobs(())
    limit: SizeLimit | None = None


_CLAUDE_LIMIT = SizeLimit(200, "lines", "Claude Code's documentation advises to stay below that")
_COPILOT_LIMIT = SizeLimit(4000, "characters", "Copilot's code review reads no more")
_CURSOR_HEAD = instruction_scopes.SCOPE_DIALECTS["cursor"].head
_CURSOR_LIMIT = SizeLimit(500, "lines", "Cursor advises to stay below that")

# Sources: Cursor documentation, "Rules"; VS Code documentation, "Use custom instructions"; GitHub
# documentation, "Adding repository custom instructions"; agents.md; Codex documentation,
# ``project_doc_max_bytes``; OpenCode 1.18.33, Kilo 7.7.9, Cline 3.0.65; Claude Code documentation,
# "Manage Claude's memory"; Gemini CLI documentation, "Provide context with GEMINI.md files".
TARGETS: dict[str, SyncTarget] = {
    target.name: target
    for target in (
        SyncTarget(
            name="cursor",
            title="Cursor",
            main_place=InstructionPlace(".cursor/rules/synapse.mdc", _CURSOR_HEAD, _CURSOR_LIMIT),
            scoped_place=InstructionPlace(
                ".cursor/rules/synapse-{}.mdc", _CURSOR_HEAD, _CURSOR_LIMIT
            ),
            dialect=instruction_scopes.CURSOR,
            clients=("cursor",),
        ),
        SyncTarget(
            name="copilot",
            title="GitHub Copilot",
            main_place=InstructionPlace(".github/copilot-instructions.md", limit=_COPILOT_LIMIT),
            scoped_place=InstructionPlace(
                ".github/instructions/synapse-{}.instructions.md",
                instruction_scopes.SCOPE_DIALECTS["copilot"].head,
                _COPILOT_LIMIT,
            ),
            dialect=instruction_scopes.VSCODE,
            clients=("vscode", "copilot"),
        ),
        SyncTarget(
            name="agents",
            title="Codex and others",
            main_place=InstructionPlace(
                "AGENTS.md",
                limit=SizeLimit(CODEX_LIMIT, "bytes", "Codex reads no more unless it is set to"),
            ),
            clients=("codex", "opencode", "kilo", "cline"),
            other_readers=("vscode", "copilot", "cursor"),
        ),
        SyncTarget(
            name="claude",
            title="Claude Code",
            # HTML comments, and so our marks, are not shown to the model.
            main_place=InstructionPlace("CLAUDE.md", limit=_CLAUDE_LIMIT),
            scoped_place=InstructionPlace(
                ".claude/rules/synapse-{}.md",
                instruction_scopes.SCOPE_DIALECTS["claude"].head,
                _CLAUDE_LIMIT,
            ),
            dialect=instruction_scopes.CLAUDE,
            clients=("claude",),
            imports=True,
        ),
        SyncTarget(
            name="gemini",
            title="Gemini CLI",  # it knows no rules for some files only
            main_place=InstructionPlace("GEMINI.md"),
            clients=("gemini",),
            imports=True,
        ),
    )
}


def find_target(path: str) -> SyncTarget | None:
    """Return the target of `synapse sync` of whose instruction files a path relative to the root is
    one, None for none.
    """
    return next((target for target in TARGETS.values() if target.place_of(path)), None)


_CODE_SPAN = re.compile(r"(?<!`)(`++).*?[^`]\1(?!`)")

_MENTION = re.compile(r"(?<![\w`@/.])@[\w~./-]*[\w/-]")


class RuleGroup(NamedTuple):
    """The rules of an instruction file under one sub-heading, which may be ""; with ``is_prose``
    they are Markdown already, and no list.
    """

    heading: str
    rules: tuple[str, ...]
    is_prose: bool = False


class RuleTopic(NamedTuple):
    """Groups of rules under one heading of an instruction file.

    ``slug`` is for names of files; ``paths`` are the globs, as in the manifest, of the files
    that the rules are about, none where they always apply.
    """

    heading: str
    slug: str
    groups: tuple[RuleGroup, ...]
    paths: tuple[str, ...] = ()


def always_topics(plan: Plan, target: SyncTarget) -> tuple[RuleTopic, ...]:
    """Return the rules of a tree that always apply, as topics of an instruction file of a target;
    each text once.
    """
    domains = [
        domain
        for domain in map(plan.domain, plan.always)
        if domain.role == "constitution"
        or (
            domain.role != "commands"
            and ("L1" if domain.squad < 0 else "L5") in plan.profile.brackets[0].layers
            and _takes_part(plan, domain, target)
        )
    ]
    texts: set[str] = set()
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
            for group in _rule_groups(plan, domain, texts, "" if role else domain.label)
        ]
        if groups:
            topics.append(RuleTopic(heading, slug, tuple(groups)))
    return (*topics, *_prose_topics(plan))


def _prose_topics(plan: Plan) -> Iterator[RuleTopic]:
    """Yield what somebody has written as a text: sections without a trigger, and an agent's
    identity.
    """
    headings: dict[str, str] = plan.profile_table.get("headings", {})
    for domain in map(plan.domain, plan.always):
        waits = domain.every_n_turns or domain.on_tokens
        if domain.role not in ("section", "identity") or waits or not domain.rules:
            continue
        title = headings.get(domain.role.upper(), domain.name).removeprefix("## ")
        text = "\n".join(row.text for row in domain.rules).strip("\n")
        # A text of its own often begins with what stands above it here.
        text = text.removeprefix(f"# {title}\n").strip("\n")
        yield RuleTopic(title, kebab_case(domain.label), (RuleGroup("", (text,), is_prose=True),))


def _takes_part(plan: Plan, domain: PlanDomain, target: SyncTarget) -> bool:
    """Return whether a domain takes part at all: switched on, with rules, not for its squad alone,
    and not in a file that all clients of the target read by themselves.

    What is above the tree stays there: it may be the user's own, and files for agents are the
    project's.
    """
    alone = domain.squad >= 0 and plan.squads[domain.squad].mode == "none"
    readers = {*domain.native, *(client for client, _ in domain.elsewhere)}
    known = (
        domain.on_request
        or readers.issuperset(target.clients)
        or target.place_of(domain.file) is not None
    )
    is_elsewhere = alone or known or is_above_root(domain.file)
    return domain.active and bool(domain.file) and not is_elsewhere


def _rule_groups(
    plan: Plan, domain: PlanDomain, used_texts: set[str], heading: str
) -> Iterator[RuleGroup]:
    """Yield the rules of a domain that are not in ``used_texts`` yet, by the headings that its file
    has.
    """
    if plan.profile.markup:  # where groups are elements and texts are escaped
        rows = [row for row in domain.rules if row.kind in INJECTED_KINDS and not row.phase]
        texts = [unescape_text(row.text) for row in rows]
        yield from [RuleGroup(heading, tuple(texts))] if texts else []
        return
    groups: dict[str, list[str]] = {}
    titles = {row.qualifier: row.text for row in domain.rules if row.kind == "title"}
    for row in domain.rules:
        if row.kind == "title":
            groups.setdefault(row.text, [])
        elif row.kind in INJECTED_KINDS and row.kind != "bracket" and row.text not in used_texts:
            used_texts.add(row.text)
            article = titles.get(row.qualifier, "") if row.kind == "article" else ""
            groups.setdefault(
                article or ": ".join(part for part in (heading, row.group) if part), []
            ).append(row.text)
    yield from (RuleGroup(name, tuple(rules)) for name, rules in groups.items())


def render_topics(
    topics: Iterable[RuleTopic], home: str, *, imports: bool = False, scoped: bool = False
) -> str:
    """Render the topics of an instruction file, after a line that says where they come from:
    ``home`` is their folder.

    ``imports``: the file's reader puts other files in the place of ``@path``, so mentions are
    set as code, which it leaves alone. ``scoped``: it knows from elsewhere which files the
    rules are about.
    """
    lines = [f"These rules are kept in `{home}`; change them there, then run `synapse sync`."]
    for topic in topics:
        globs = "" if scoped else ", ".join(f"`{path}`" for path in topic.paths)
        note = f" (only for files that match {globs})" if globs else ""
        lines += ["", f"## {_escape_rule(topic.heading, imports)}{note}"]
        for group in topic.groups:
            if group.heading:
                lines += ["", f"### {_escape_rule(group.heading, imports)}"]
            if group.rules:
                mark = "" if group.is_prose else "- "
                lines += ["", *(f"{mark}{_escape_rule(rule, imports)}" for rule in group.rules)]
    return "\n".join(lines)


def _escape_rule(text: str, imports: bool) -> str:
    """Return a rule's text so that it neither ends the block nor pulls in another file."""
    text = text.replace("<!--", "&lt;!--")
    if not imports or "@" not in text:
        return text
    parts, last = [], 0
    for code in _CODE_SPAN.finditer(text):
        parts += [_MENTION.sub(r"`\g<0>`", text[last : code.start()]), code[0]]
        last = code.end()
    return "".join((*parts, _MENTION.sub(r"`\g<0>`", text[last:])))


def render_hook_note(profile: Profile) -> str:
    """Render what an instruction file says where the hook brings the rules: it says only where they
    come from, and where an agent without the hook finds them.
    """
    opening = profile.layout_in(profile.brackets[0].name).open.strip()
    name = opening[1:].partition(">")[0].partition(" ")[0] if opening.startswith("<") else ""
    where = f", between `<{name}>` and `</{name}>`" if name else ""
    missing = "no such block is there" if where else "none came"
    return (
        f"The rules of this project come with the prompts{where}. If {missing}, read them in "
        f"`{profile.home}` before you begin."
    )


def instruction_files(plan: Plan, target: SyncTarget, kind: str) -> Iterator[InstructionFile]:
    """Yield the instruction files of a target; none for what there is nothing to say about.

    kind: whether they hold the rules or only say that the hook brings them. It brings rules
    for some files, too, when such a file is touched.
    """
    place = target.main_place
    if kind == HOOK:
        yield _instruction_file(target, HOOK, render_hook_note(plan.profile), place.path, ())
        return
    topics, home = always_topics(plan, target), plan.profile.home
    always = {rule for topic in topics for group in topic.groups for rule in group.rules}
    scoped: tuple[RuleTopic, ...] = ()
    for domain in map(plan.domain, plan.periodic):
        if not (domain.paths and _takes_part(plan, domain, target)) or domain.always_on:
            continue
        if groups := tuple(_rule_groups(plan, domain, set(always), "")):
            slug = kebab_case(domain.label)
            scoped = (*scoped, RuleTopic(domain.label, slug, groups, domain.paths))
    if target.scoped_place is None:
        topics, scoped = (*topics, *scoped), ()
    if topics:
        text = render_topics(topics, home, imports=target.imports)
        yield _instruction_file(target, RULES, text, place.path, topics)
    for topic in scoped:
        assert target.scoped_place is not None
        text = render_topics((topic,), home, imports=target.imports, scoped=True)
        yield _instruction_file(
            target, RULES, text, target.scoped_place.path_for(topic.slug), (topic,)
        )


def _instruction_file(
    target: SyncTarget, kind: str, text: str, path: str, topics: tuple[RuleTopic, ...]
) -> InstructionFile:
    place = target.place_of(path)
    assert place is not None
    scoped = place is target.scoped_place
    globs = instruction_scopes.TranslatedGlobs(())
    if scoped and target.dialect is not None:
        globs = instruction_scopes.translate_globs(topics[0].paths, target.dialect)
    about = f" about {topics[0].heading}" if scoped else ", always"
    front = place.front(f"Rules of this project{about}", globs.globs) if place.front else ""
    return InstructionFile(path, kind, text, front, place.is_whole, globs, place.limit)


def render_file(file: InstructionFile) -> str:
    """Render an instruction file: all of it where it is ours as a whole, else its managed block."""
    before = f"{file.front}\n" if file.whole else ""
    text = f"{before}{render_managed_block(file.kind, file.body, before)}"
    return f"{text}\n" if file.whole else text


def is_current(file: InstructionFile, block: ManagedBlock) -> bool:
    """Return whether an instruction file on disk holds what it is to hold, whatever its line
    breaks.
    """
    current = block.text if file.whole else block.span.cut(block.text)
    return _normalise_breaks(current) == _normalise_breaks(render_file(file))


def loses_edits(file: InstructionFile, block: ManagedBlock) -> bool:
    """Return whether writing an instruction file would lose what somebody has changed in it."""
    before, after = block.text[: block.span.start], block.text[block.span.end :]
    same = _normalise_breaks(before) == file.front.rstrip("\n") and not after.strip()
    same = same or not file.whole
    same = same and _normalise_breaks(block.body.cut(block.text)).strip("\n") == file.body
    return not same and block.is_edited(whole=file.whole)


def _normalise_breaks(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n")


def first_difference(file: InstructionFile, block: ManagedBlock) -> int:
    """Return the offset of the line from which on an instruction file on disk, ``found``, is not
    what it is to be.

    The first mark has a stamp of the whole, which differs with all the rest: it is passed
    over.
    """
    start = 0 if file.whole else block.span.start
    old = block.text[start : len(block.text) if file.whole else block.span.end].splitlines(True)
    new = render_file(file).splitlines()
    at = start
    for number, line in enumerate(old):
        text = line.rstrip("\r\n")
        if text != (new[number] if number < len(new) else None) and at != block.begin.start:
            return at
        at += len(line)
    return block.begin.start
