"""Compile a Chati.dev tree into the fields of a plan.

Everything that a block can contain is a rule with its file and line. What replaces another element
(a summary its rules, an agent's file its domain) keeps the replaced rules as ``replaced``.
``group`` is a rule's element, ``qualifier`` the element's attributes, ``index`` its importance,
``phase`` the state of the project that it needs. Texts are escaped here, once.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import isfinite
from typing import Any

from synapse_ls.engine import plan_compiler, text_escaping, word_matching
from synapse_ls.engine.compiled_plan import pack_domain
from synapse_ls.engine.systems.chati import pipeline_state
from synapse_ls.formats.chati import agent_definition, config_file, handoff_file, work_files
from synapse_ls.formats.chati.constitution_file import ConstitutionDocument
from synapse_ls.formats.chati.domain_file import PRIORITIES, DomainDocument, DomainRule
from synapse_ls.formats.chati.session_file import EMPTY_SESSION, SessionView
from synapse_ls.formats.rule import Rule
from synapse_ls.text import digest, prohibition_words
from synapse_ls.text.finding import Text
from synapse_ls.workspace import chati_places
from synapse_ls.workspace.chati_tree import ChatiTree
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import FileKind
from synapse_ls.workspace.naming_conventions import file_stem, kebab_case, snake_case, upper_snake
from synapse_ls.workspace.rule_tree import Tree


def make_rule(
    key: str,
    content: str,
    line: int,
    group: str,
    qualifier: str = "",
    *,
    kind: str = "rule",
    phase: str = "",
    index: int | None = None,
    raw: bool = False,
) -> Rule:
    """Return a rule of Chati.dev's files; ``content`` is escaped unless it is ``raw``, which is
    then markup of our own.
    """
    text = content if raw else text_escaping.escape_text(content)
    identity = digest.hash_text(f"{group}{text}")
    is_prohibition = prohibition_words.forbids(content)
    return Rule(key, kind, index, text, group, phase, qualifier, line, identity, is_prohibition)


def line_of(facts: FileFacts | None, offset: int) -> int:
    """Return the line of a place in Chati.dev's files, from 0."""
    return facts.lines.line_of(offset) if facts else 0


def render_attributes(values: dict[str, str]) -> str:
    """Return the attributes of an element in the rules of Chati.dev as text; what is empty is left
    out.
    """
    return " ".join(
        f'{name}="{text_escaping.escape_attribute(value)}"'
        for name, value in values.items()
        if value
    )


def summary_rules(facts: FileFacts | None, domain: DomainDocument) -> Iterator[Rule]:
    """Yield the rules of a Chati.dev summary's lines; of a folded text the one that it becomes."""
    summary = domain.summary
    assert summary is not None
    node = domain.root.get("summary") if domain.root else None
    literal = node is not None and node.style == "|"
    first = line_of(facts, summary.span.start) + (node is not None and node.style in ("|", ">"))
    for number, line in enumerate(summary.value.split("\n")):
        if line.strip():
            at = first + (number if literal else 0)
            yield make_rule(f"CONSTITUTION_SUMMARY_{number}", line, at, "summary")


def priority_rules(
    facts: FileFacts | None, label: str, domain: DomainDocument | None
) -> list[Rule]:
    """Return the rules of Chati.dev's rules, each as an element; the least important of them goes
    first.
    """
    plan_rules = []
    for number, rule in enumerate(domain.rules if domain else ()):
        key = f"{label}_{upper_snake(rule.id) or number}"
        attributes = {
            "id": rule.id,
            "priority": rule.priority if rule.priority == "critical" else "",
        }
        index = -PRIORITIES.index(rule.priority)
        line = line_of(facts, rule.span.start)
        plan_rules.append(
            make_rule(key, rule.text, line, "rule", render_attributes(attributes), index=index)
        )
    return plan_rules


def replaced_rules(
    facts: FileFacts | None, replaced: Iterable[DomainRule], by: str
) -> Iterator[Rule]:
    """Yield the rules of Chati.dev's rules in whose place something else stands."""
    for number, rule in enumerate(replaced):
        key = f"CONSTITUTION_{upper_snake(rule.id) or number}"
        line = line_of(facts, rule.span.start)
        yield make_rule(key, rule.text, line, "rule", by, kind="replaced")


def joined_rule(
    facts: FileFacts | None,
    key: str,
    tag: str,
    texts: Sequence[Text],
    joint: str = "; ",
    **more: Any,
) -> Iterator[Rule]:
    """Yield the one rule that a list of Chati.dev's files is; none where it is empty."""
    if texts:
        content = joint.join(text.value for text in texts)
        yield make_rule(key, content, line_of(facts, texts[0].span.start), tag, **more)


def mode_rules(facts: FileFacts | None, document: DomainDocument, current: str) -> Iterator[Rule]:
    """Yield the rules of what each mode of Chati.dev allows; only that of the current one takes
    part.
    """
    for mode in document.modes:
        fate: dict[str, Any] = {"phase": mode.name}
        if mode.name != current:
            fate |= {"qualifier": current, "kind": "other-mode"}
        lists = (
            ("write-scope", (mode.write_scope,) if mode.write_scope else ()),
            ("allowed", mode.allowed),
            ("blocked", mode.blocked),
        )
        for tag, texts in lists:
            key = f"MODE_{upper_snake(mode.name)}_{upper_snake(tag)}"
            yield from joined_rule(facts, key, tag, texts, ", ", **fate)


def domain_scope_rules(
    facts: FileFacts | None, label: str, domain: DomainDocument, own: dict[str, Text], path: str
) -> Iterator[Rule]:
    """Yield the rules of what a Chati.dev domain says of an agent's scope; replaced by what the
    agent's own file says.
    """
    fields = (
        ("mission", (domain.mission,) if domain.mission else ()),
        ("inputs", domain.inputs),
        ("outputs", domain.outputs),
        ("criteria", domain.criteria),
    )
    for tag, texts in fields:
        fate = {"qualifier": path, "kind": "replaced"} if tag in own else {}
        joint = ", " if tag != "criteria" else "; "
        yield from joined_rule(facts, f"{label}_{tag.upper()}", tag, texts, joint, **fate)


def authority_rules(facts: FileFacts | None, label: str, domain: DomainDocument) -> Iterator[Rule]:
    """Yield the rules of what an agent of Chati.dev alone may do, may do, and may not."""
    redirect = render_attributes({"redirect": domain.redirect.value if domain.redirect else ""})
    for tag, texts, attributes in (
        ("exclusive", domain.exclusive, ""),
        ("allowed", domain.allowed, ""),
        ("blocked", domain.blocked, redirect),
    ):
        yield from joined_rule(facts, f"{label}_{tag.upper()}", tag, texts, qualifier=attributes)


# The language that Chati.dev's own documents suppose; only another one is worth a line.
DEFAULT_LANGUAGE = "en"


def plan_fields(tree: Tree, table: dict[str, Any], *, standing: bool = False) -> dict[str, Any]:
    """Return the plan fields of a Chati.dev tree; see `compile_plan` for ``standing``."""
    config = tree.snapshot.config
    chati = ChatiTree(tree)
    view = EMPTY_SESSION if standing else chati.session
    pipeline = pipeline_state.build_pipeline(chati, view)
    compiler = _DomainCompiler(chati, view)
    compiler.add_constitution()
    if not standing:
        compiler.add_mode()
    compiler.add_rules(() if standing else (view.mode,))
    compiler.add_agents()
    compiler.add_workflows()
    if not standing:
        compiler.add_state(pipeline)
        compiler.add_handoff()
    # The session is the one workflow in progress.
    phases = (pipeline.phase,) if pipeline.phase else ()
    names = (view.agent.value, view.task.value, "")
    state = (pipeline.workflow, phases, *names, chati_places.SESSION)
    return {
        "settings": {
            **plan_compiler.engine_settings(config),
            "agent": view.agent.value,
            "free_tasks": True,
            "turns": None
            if view.turns is None
            else (view.turns, table["turns"], chati_places.SESSION),
        },
        "packed": tuple(compiler.packed),
        "labels": compiler.labels,
        "always": tuple(compiler.always),
        "boundaries": () if standing else tuple(_boundary_rows(chati, view)),
        "by_agent": {key: tuple(positions) for key, positions in compiler.by_agent.items()},
        "by_workflow": {key: tuple(positions) for key, positions in compiler.by_workflow.items()},
        "state_rows": (state,) if pipeline.workflow or view.task.value else (),
        "agents": _agent_spellings(chati.agents),
        "phases": plan_compiler.phase_aliases(config, {}),
        "tasks": dict(_task_paths(tree)),
        "devmode": plan_compiler.is_devmode_on(config, None),
        "notices": tuple(_session_notices(chati)),
        "extra": {
            "mode": view.mode,
            "handoff": compiler.handoff_attributes,
            "progress": pipeline.progress,
            "pipeline": pipeline.steps,
            "backlog": tuple(
                f"{item.id or 'Backlog'} ({item.priority or 'no priority'}, {item.status}): "
                f"{item.title}"
                for item in view.backlog
            ),
            "scores": {} if standing else _agent_scores(chati, view),
            "state": chati_places.SESSION if chati.has_session else "",
            "paths": {
                "handoff": f"{chati_places.HANDOFFS[0]}/{{agent}}-handoff.md",
                "session": chati_places.SESSION,
            },
        },
    }


def _boundary_rows(chati: ChatiTree, view: SessionView) -> Iterator[tuple[Any, ...]]:
    """Yield where the mode in force lets agents write, as the row of a prohibition; see
    `Plan.boundaries`.
    """
    document = chati.document(chati_places.GLOBAL, DomainDocument)
    facts = chati.facts(chati_places.GLOBAL)
    if document is None or not (chati.has_session and view.state.value):
        return
    mode = next((mode for mode in document.modes if mode.name == view.mode), None)
    write_scope = mode.write_scope if mode else None
    inside = tuple(_scope_globs(write_scope.value)) if write_scope else ()
    if write_scope is None or not inside or "**" in inside:
        return
    action = " ".join(("write", *(f"!{glob}" for glob in dict.fromkeys((*inside, _STATE_GLOB)))))
    key = f"MODE_{upper_snake(view.mode)}_WRITE_SCOPE"
    line = line_of(facts, write_scope.span.start)
    yield "GLOBAL", "", "deny", action, True, "", key, chati_places.GLOBAL, line


# What agents may write in every mode (Chati.dev's constitution, Article XI).
_STATE_GLOB = f"{chati_places.STATE}/**"


def _scope_globs(scope: str) -> Iterator[str]:
    """Yield the globs of a ``writeScope``: places below the root with commas between them, ``*``
    for all.
    """
    for place in scope.split(","):
        if (path := place.strip().removeprefix("./").rstrip("/")) in ("*", "**", "."):
            yield "**"
        elif path and not path.startswith(("/", "~", "..", "!")) and " " not in path:
            yield f"{path}/**"


def _agent_spellings(names: Iterable[str]) -> dict[str, str]:
    """Return every spelling that addresses an agent → its id."""
    spellings: dict[str, str] = {}
    for name in names:
        for spelling in (name.lower(), kebab_case(name), snake_case(name)):
            spellings.setdefault(spelling, name)
    return spellings


def _agent_scores(chati: ChatiTree, view: SessionView) -> dict[str, float]:
    """Return agent → its score: that of the session, else that of the hand-off which the agent has
    left.

    The writers of sessions put a zero where there is none.
    """
    scores: dict[str, float] = {}
    for name, path in chati.handoffs.items():
        document = chati.document(path, handoff_file.HandoffDocument)
        scores[name] = _parse_number(document.score if document else "")
    for agent in view.agents:
        scores[agent.name] = _parse_number(agent.score) or scores.get(agent.name, 0.0)
    return {name: score for name, score in scores.items() if score}


def _parse_number(text: str) -> float:
    """Return a finite number, 0 for anything else."""
    try:
        value = float(text)
    except ValueError:
        return 0.0
    return value if isfinite(value) else 0.0


def _task_paths(tree: Tree) -> Iterator[tuple[str, str]]:
    """Yield task id or file name → path; definitions go by their ids."""
    for path, document in tree.snapshot.documents(FileKind.CHATI_TASKS, work_files.TasksDocument):
        yield from ((task.id, path) for task in document.tasks if task.id)
    for path in tree.snapshot.paths(FileKind.CHATI_TASK):
        yield file_stem(path), path


_YAML_FAULTS = {
    "duplicate-yaml-key": "a key is there twice, and the last one counts",
    "extra-yaml-document": "a second document begins there, and only the first counts",
    "invalid-utf8": "there are bytes that are no UTF-8",
}


def _session_notices(chati: ChatiTree) -> Iterator[str]:
    """Yield what of the session cannot be told: the first fault, and how many there are."""
    facts = chati.facts(chati_places.SESSION)
    faults = [
        (problem.span.start, _YAML_FAULTS[problem.kind])
        for problem in (facts.problems if facts else ())
        if problem.kind in _YAML_FAULTS
    ]
    faults += [
        (fault.span.start, fault.message.partition(", so ")[0]) for fault in chati.session.faults
    ]
    written = chati.session.handoff
    if "/" in written.value and not chati.last_handoff:
        faults.append((written.span.start, "`last_handoff` leads to no hand-off"))
    agent = chati.session.agent
    if agent.value and chati.agents and not chati.is_agent(agent.value):
        faults.append((agent.span.start, "`current_agent` names nobody whom a file is about"))
    if faults:
        start, sentence = min(faults)
        more = f" ({len(faults) - 1} more: synapse check lists them)" if len(faults) > 1 else ""
        yield f"{chati_places.SESSION}, line {line_of(facts, start) + 1}: {sentence}{more}"
    for conflict in chati.session.conflicts[:1]:
        yield (
            f"{chati_places.SESSION} says two things of the {conflict.subject}: "
            f"{conflict.effective.value} counts, not {conflict.other.value}"
        )


@dataclass
class _DomainCompiler:
    """The rules of all domains, and the tables by which a prompt finds them."""

    chati: ChatiTree
    view: SessionView
    packed: list[bytes] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)
    always: list[int] = field(default_factory=list)
    by_agent: dict[str, list[int]] = field(default_factory=dict)
    by_workflow: dict[str, list[int]] = field(default_factory=dict)
    handoff_attributes: str = ""

    def add_constitution(self) -> None:
        """Add L0: the summary, else a line for each article's title, else the rules themselves."""
        domain = self.chati.document(chati_places.ARTICLES, DomainDocument)
        source = self.chati.document(chati_places.CONSTITUTION, ConstitutionDocument)
        own_rules = domain.rules if domain else ()
        facts = self.chati.facts(chati_places.ARTICLES)
        add = partial(self._add_domain, role="constitution")
        if domain and domain.summary and domain.summary.value.strip():
            replaced = replaced_rules(facts, own_rules, "the summary")
            rules = [*summary_rules(facts, domain), *replaced]
            add("CONSTITUTION", chati_places.ARTICLES, rules)
            if source and source.articles:
                by = f"the summary of {chati_places.ARTICLES}"
                add("ARTICLES", chati_places.CONSTITUTION, [*self._article_rules(source, by)])
        elif source and source.articles:
            add("CONSTITUTION", chati_places.CONSTITUTION, [*self._article_rules(source)])
            if own_rules:
                rules = [*replaced_rules(facts, own_rules, chati_places.CONSTITUTION)]
                add("CONSTITUTION_RULES", chati_places.ARTICLES, rules)
        elif own_rules:
            rules = priority_rules(facts, "CONSTITUTION", domain)
            add("CONSTITUTION", chati_places.ARTICLES, rules)

    def _article_rules(self, source: ConstitutionDocument, replaced_by: str = "") -> Iterator[Rule]:
        """Yield a rule for each article; ``replaced_by``: what stands in their place."""
        facts = self.chati.facts(chati_places.CONSTITUTION)
        for article in source.articles:
            yield make_rule(
                f"ARTICLE_{article.numeral}",
                f"Article {article.numeral}: {article.title}",
                line_of(facts, article.span.start),
                "article",
                replaced_by,
                kind="replaced" if replaced_by else "rule",
            )

    def add_mode(self) -> None:
        """Add L1: the mode that governs, and the language."""
        view, chati = self.view, self.chati
        if chati.has_session and view.state.value:
            facts = chati.facts(chati_places.SESSION)
            line = line_of(facts, view.state.span.start)
            rules = [make_rule("MODE", view.mode, line, "mode", phase=view.mode)]
            if view.language and view.language != DEFAULT_LANGUAGE and view.root:
                key = view.root.key_node("language")
                line = line_of(facts, key.span.start if key else 0)
                rules.append(
                    make_rule("LANGUAGE", view.language, line, "language", phase=view.mode)
                )
            self._add_domain("MODE", chati_places.SESSION, rules, role="global")
        config = chati.document(chati_places.CONFIG, config_file.ConfigDocument)
        language = config.language if config else None
        if language and (view.language or language.value != DEFAULT_LANGUAGE):
            line = line_of(chati.facts(chati_places.CONFIG), language.span.start)
            by, kind = (chati_places.SESSION, "replaced") if view.language else ("", "rule")
            rule = make_rule(
                "LANGUAGE", language.value, line, "language", by, kind=kind, phase=view.mode
            )
            self._add_domain("CONFIG", chati_places.CONFIG, [rule], role="global")

    def add_rules(self, modes: Iterable[str]) -> None:
        """Add L1: what the mode allows, where there is one, and the rules for everybody."""
        if document := self.chati.document(chati_places.GLOBAL, DomainDocument):
            facts = self.chati.facts(chati_places.GLOBAL)
            rules = [rule for mode in modes for rule in mode_rules(facts, document, mode)]
            rules += priority_rules(facts, "GLOBAL", document)
            self._add_domain("GLOBAL", chati_places.GLOBAL, rules, role="global")

    def add_agents(self) -> None:
        """Add L2: what each agent's file says, and its domain with its authority and its rules."""
        for name, (path, domain_path) in self.chati.agents.items():
            label = f"AGENT_{upper_snake(name)}"
            agent = self.chati.document(path, agent_definition.AgentDocument)
            domain = self.chati.document(domain_path, DomainDocument)
            # What the agent's file says of its scope, by element.
            elements = ("mission", "inputs", "outputs", "criteria")
            scope = {tag: getattr(agent, tag) for tag in elements} if agent else {}
            own: dict[str, Text] = {tag: text for tag, text in scope.items() if text is not None}
            if path:
                facts = self.chati.facts(path)
                rules = [
                    make_rule(
                        f"{label}_{tag.upper()}", text.value, line_of(facts, text.span.start), tag
                    )
                    for tag, text in own.items()
                ]
                self._add_domain(label, path, rules, agent=name)
            if domain_path:
                facts = self.chati.facts(domain_path)
                label = f"{label}_RULES" if path else label
                rules = [
                    *domain_scope_rules(facts, label, domain or DomainDocument(), own, path),
                    *authority_rules(facts, label, domain or DomainDocument()),
                    *priority_rules(facts, label, domain),
                ]
                self._add_domain(label, domain_path, rules, agent=name)

    def add_workflows(self) -> None:
        """Add L3: the rules of each workflow."""
        for name, (_, path) in self.chati.workflows.items():
            document = self.chati.document(path, DomainDocument)
            if path:
                label = f"WORKFLOW_{upper_snake(name)}"
                rules = priority_rules(self.chati.facts(path), label, document)
                self._add_domain(label, path, rules, workflow=name)

    def add_state(self, pipeline: pipeline_state.Pipeline) -> None:
        """Add L3: where the project stands, and what is put off."""
        if (facts := self.chati.facts(chati_places.SESSION)) is None:
            return
        rules = []
        if pipeline.text:
            line = line_of(facts, pipeline.span.start)
            rules.append(make_rule("PIPELINE", pipeline.text, line, "pipeline", raw=True))
        self._add_domain("PIPELINE", chati_places.SESSION, rules, role="session")
        ranks = {"high": 0, "medium": 1, "low": 2}
        rules = []
        for item in sorted(self.view.backlog, key=lambda item: ranks.get(item.priority, 3)):
            attributes = {"id": item.id, "priority": item.priority, "status": item.status}
            rules.append(
                make_rule(
                    f"BACKLOG_{upper_snake(item.id) or len(rules) + 1}",
                    item.title,
                    line_of(facts, item.span.start),
                    "item",
                    render_attributes(attributes),
                    index=-ranks.get(item.priority, 3),
                )
            )
        if rules:
            self._add_domain("BACKLOG", chati_places.SESSION, rules, role="session")

    def add_handoff(self) -> None:
        """Add L4: what the agent before has left."""
        path = self.chati.last_handoff
        if (facts := self.chati.facts(path)) is None:
            return
        document = self.chati.document(path, handoff_file.HandoffDocument)
        agent = document.agent if document else None
        name = agent.value if agent else file_stem(path).removesuffix("-handoff")
        score = document.score if document else ""
        state = next((agent for agent in self.view.agents if agent.name == name), None)
        if score in ("", "0") and state:  # writers put a zero where there is none
            score = state.score
        self.handoff_attributes = render_attributes({"from": name, "score": score})
        rules = [
            make_rule(f"HANDOFF_{number}", line.value, line_of(facts, line.span.start), "handoff")
            for number, line in enumerate(document.lines if document else ())
        ]
        self._add_domain("HANDOFF", path, rules, role="handoff")

    def _add_domain(
        self,
        label: str,
        file: str,
        rules: Sequence[Rule],
        *,
        role: str = "",
        agent: str = "",
        workflow: str = "",
    ) -> None:
        position = len(self.packed)
        self.labels.setdefault(label, position)
        if role and role != "handoff":
            self.always.append(position)
        if agent:
            self.by_agent.setdefault(agent, []).append(position)
        if workflow:
            self.by_workflow.setdefault(word_matching.slug_of(workflow), []).append(position)
        fields = {"role": role, "agent": agent, "workflow": workflow, "file": file}
        self.packed.append(
            pack_domain(plan_compiler.make_domain_fields(position, label, **fields), rules)
        )
