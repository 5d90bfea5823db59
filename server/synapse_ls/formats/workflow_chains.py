"""Parse ``workflow-chains.yaml``: which agent follows which with which command
(SynkraAI/aios-core).

``workflows: [{id, name, max_iterations, chain: [{step, agent, command, task, output, condition,
alternatives: [{agent, command, condition}]}]}]``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from synapse_ls.formats.name_normalization import normalize_agent_id
from synapse_ls.formats.story_file import story_state
from synapse_ls.formats.yaml_tree import YamlNode, parse_yaml
from synapse_ls.text.finding import Finding
from synapse_ls.text.parse_result import ParseResult, Text
from synapse_ls.text.span import Span

MAX_CHAINS = 100
"""Chains of a file, and steps of a chain, that are read: aliases can repeat without end."""

_MAX_ALTERNATIVES = 10
_STATUS = re.compile(r"\bstatus(?:\s+is\b|\s*[:=]+)(?!\s*not\b)(.*)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class ChainStep:
    """One step of a workflow chain, or another command for it.

    ``index`` is its place in the chain, ``number`` what the file calls it. ``agent`` is an agent id
    or "", ``raw_agent`` the file's words; ``command`` has no star, ``arguments`` is a template:
    ``{story-id}``. ``output`` is what there is afterwards, ``condition`` when it is time for the
    step.
    """

    index: int
    number: str
    agent: str
    raw_agent: str
    command: str
    arguments: str
    task: str
    output: str
    condition: str
    span: Span
    alternatives: tuple[ChainStep, ...] = ()
    node: YamlNode | None = None

    @property
    def state(self) -> str:
        """The state of a story that the condition asks for, as `story_state` calls it; ""
        for none.
        """
        match = _STATUS.search(self.condition)
        return story_state(match[1]) if match else ""

    @property
    def commands(self) -> tuple[str, ...]:
        """Every command that does the step."""
        return tuple(one.command for one in (self, *self.alternatives) if one.command)


@dataclass(frozen=True, slots=True)
class WorkflowChain:
    """One of the workflow chains, a workflow as a chain of commands. ``max_rounds``: rounds of it,
    0 where it is gone through once.
    """

    id: Text
    name: str
    description: str
    max_rounds: int
    steps: tuple[ChainStep, ...]


def parse(text: str) -> ParseResult[tuple[WorkflowChain, ...]]:
    """Parse ``workflow-chains.yaml`` into chains, as far as they can be.

    Problem kinds: those of `parse_yaml`; ``invalid-workflow-chain`` where a chain or a step lacks
    what it is for, or has the id or the number of another one.
    """
    root, problems = parse_yaml(text)
    if root is None:
        return ParseResult((), problems)
    findings: list[Finding] = []
    workflows = root.non_null("workflows")
    if workflows is None:
        first = Span(root.span.start, min(root.span.start + 1, root.span.end))
        findings.append(_chain_problem(first, "The file lists no workflows"))
    elif workflows.kind != "sequence":
        findings.append(_chain_problem(workflows.span, "`workflows` is not a list"))
    chains: list[WorkflowChain] = []
    for node in workflows.items[:MAX_CHAINS] if workflows else ():
        chain_node = node.target_node
        chain: WorkflowChain | None
        id = chain_node.text("id")
        if id is None or not id.value:
            findings.append(_chain_problem(_first_key_span(chain_node), "The chain has no `id`"))
            chain = None
        else:
            listed = chain_node.non_null("chain")
            if listed is None:
                findings.append(_chain_problem(id.span, "The workflow has no `chain`"))
            elif listed.kind != "sequence":
                findings.append(_chain_problem(listed.span, "`chain` is not a list"))
            most = chain_node.scalar("max_iterations")
            chain = WorkflowChain(
                id,
                chain_node.scalar("name"),
                chain_node.scalar("description"),
                int(most) if most.isascii() and most.isdigit() and len(most) < 6 else 0,
                tuple(_read_steps(listed, findings)),
            )
        if chain is None:
            continue
        if any(other.id.value == chain.id.value for other in chains):
            findings.append(
                _chain_problem(chain.id.span, f"`{chain.id.value}` is the id of two chains")
            )
        chains.append(chain)
    return ParseResult(
        tuple(chains), tuple(sorted((*problems, *dict.fromkeys(findings)), key=lambda p: p.span))
    )


def _read_steps(chain_node: YamlNode | None, problems: list[Finding]) -> Iterator[ChainStep]:
    seen: set[str] = set()
    for index, item in enumerate(chain_node.items[:MAX_CHAINS] if chain_node else ()):
        node = item.target_node
        others = node.non_null("alternatives")
        alternatives = tuple(
            _read_step(other.target_node, index, "alternative", problems)
            for other in (others.items[:_MAX_ALTERNATIVES] if others else ())
        )
        step = _read_step(node, index, "step", problems, alternatives)
        number = node.text("step")
        if number and number.value in seen:
            problems.append(
                _chain_problem(number.span, f"Two steps have the number {number.value[:40]}")
            )
        seen.add(number.value if number else "")
        yield step


def _read_step(
    node: YamlNode,
    index: int,
    what: str,
    problems: list[Finding],
    alternatives: tuple[ChainStep, ...] = (),
) -> ChainStep:
    raw_agent = node.scalar("agent").strip()
    command, _, arguments = node.scalar("command").strip().removeprefix("*").partition(" ")
    if node.kind != "mapping":
        problems.append(_chain_problem(node.span, f"The {what} is not a mapping"))
    else:
        for name, value in (("agent", raw_agent), ("command", command)):
            if not value:
                problems.append(
                    _chain_problem(_first_key_span(node), f"The {what} has no `{name}`")
                )
    return ChainStep(
        index,
        number=node.scalar("step"),
        agent=normalize_agent_id(raw_agent),
        raw_agent=raw_agent,
        command=command.casefold(),
        arguments=arguments.strip(),
        task=node.scalar("task"),
        output=node.scalar("output"),
        condition=node.scalar("condition"),
        span=node.span,
        alternatives=alternatives,
        node=node,
    )


def _first_key_span(node: YamlNode) -> Span:
    """Return where a mapping begins: the span of its first key."""
    return node.pairs[0][0].span if node.pairs else node.span


def _chain_problem(span: Span, reason: str) -> Finding:
    message = f"{reason}, so nobody can tell from it what comes next."
    return Finding(span, message, kind="invalid-workflow-chain")
