"""``workflow-chains.yaml``: which agent follows which with which command (SynkraAI/aios-core).

``workflows: [{id, name, max_iterations, chain: [{step, agent, command, task, output, condition,
alternatives: [{agent, command, condition}]}]}]``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from synapse_ls.formats.names import agent_id
from synapse_ls.formats.problem import Parsed, Problem, Text
from synapse_ls.formats.story import story_state
from synapse_ls.formats.yaml_tree import Node, parse_yaml
from synapse_ls.text.span import Span

MOST = 100
"""Chains of a file, and steps of a chain, that are read: aliases can repeat without end."""

_ALTERNATIVES = 10
_STATUS = re.compile(r"\bstatus(?:\s+is\b|\s*[:=]+)(?!\s*not\b)(.*)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class ChainStep:
    """One step, or another command for it.

    ``index`` is its place in the chain, ``number`` what the file calls it. ``agent`` is an agent id or
    "", ``raw_agent`` the file's words; ``command`` has no star, ``arguments`` is a template:
    ``{story-id}``. ``output`` is what there is afterwards, ``condition`` when it is time for the step.
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
    node: Node | None = None

    @property
    def state(self) -> str:
        """The state of a story that the condition asks for, as `story_state` calls it; "" for none."""
        found = _STATUS.search(self.condition)
        return story_state(found[1]) if found else ""

    @property
    def commands(self) -> tuple[str, ...]:
        """Every command that does the step."""
        return tuple(one.command for one in (self, *self.alternatives) if one.command)


@dataclass(frozen=True, slots=True)
class Chain:
    """A workflow as a chain of commands. ``most``: rounds of it, 0 where it is gone through once."""

    id: Text
    name: str
    description: str
    most: int
    steps: tuple[ChainStep, ...]


def parse(text: str) -> Parsed[tuple[Chain, ...]]:
    """Read the chains, as far as they can be.

    Problem kinds: those of `parse_yaml`; ``invalid-workflow-chain`` where a chain or a step lacks what
    it is for, or has the id or the number of another one.
    """
    root, problems = parse_yaml(text)
    if root is None:
        return Parsed((), problems)
    found: list[Problem] = []
    workflows = root.given("workflows")
    if workflows is None:
        first = Span(root.span.start, min(root.span.start + 1, root.span.end))
        found.append(_problem(first, "The file lists no workflows"))
    elif workflows.kind != "sequence":
        found.append(_problem(workflows.span, "`workflows` is not a list"))
    chains: list[Chain] = []
    for node in workflows.items[:MOST] if workflows else ():
        chain = _chain(node.followed, found)
        if chain is None:
            continue
        if any(other.id.value == chain.id.value for other in chains):
            found.append(_problem(chain.id.span, f"`{chain.id.value}` is the id of two chains"))
        chains.append(chain)
    return Parsed(
        tuple(chains), tuple(sorted((*problems, *dict.fromkeys(found)), key=lambda p: p.span))
    )


def _chain(node: Node, found: list[Problem]) -> Chain | None:
    id = node.text("id")
    if id is None or not id.value:
        found.append(_problem(_head(node), "The chain has no `id`"))
        return None
    listed = node.given("chain")
    if listed is None:
        found.append(_problem(id.span, "The workflow has no `chain`"))
    elif listed.kind != "sequence":
        found.append(_problem(listed.span, "`chain` is not a list"))
    most = node.scalar("max_iterations")
    return Chain(
        id,
        node.scalar("name"),
        node.scalar("description"),
        int(most) if most.isascii() and most.isdigit() and len(most) < 6 else 0,
        tuple(_steps(listed, found)),
    )


def _steps(listed: Node | None, found: list[Problem]) -> Iterator[ChainStep]:
    seen: set[str] = set()
    for index, item in enumerate(listed.items[:MOST] if listed else ()):
        node = item.followed
        others = node.given("alternatives")
        alternatives = tuple(
            _step(other.followed, index, "alternative", found)
            for other in (others.items[:_ALTERNATIVES] if others else ())
        )
        step = _step(node, index, "step", found, alternatives)
        number = node.text("step")
        if number and number.value in seen:
            found.append(_problem(number.span, f"Two steps have the number {number.value[:40]}"))
        seen.add(number.value if number else "")
        yield step


def _step(
    node: Node,
    index: int,
    what: str,
    found: list[Problem],
    alternatives: tuple[ChainStep, ...] = (),
) -> ChainStep:
    raw_agent = node.scalar("agent").strip()
    command, _, arguments = node.scalar("command").strip().removeprefix("*").partition(" ")
    if node.kind != "mapping":
        found.append(_problem(node.span, f"The {what} is not a mapping"))
    else:
        for name, value in (("agent", raw_agent), ("command", command)):
            if not value:
                found.append(_problem(_head(node), f"The {what} has no `{name}`"))
    return ChainStep(
        index,
        number=node.scalar("step"),
        agent=agent_id(raw_agent),
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


def _head(node: Node) -> Span:
    """Where a mapping begins: its first key."""
    return node.pairs[0][0].span if node.pairs else node.span


def _problem(span: Span, what: str) -> Problem:
    message = f"{what}, so nobody can tell from it what comes next."
    return Problem("invalid-workflow-chain", span, message)
