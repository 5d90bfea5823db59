"""A Chati.dev tree with its names resolved: which agent, workflow and hand-off is where.

Plan compiler, linter and editor features ask this one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TypeVar

from synapse_ls.formats.chati.domain import DomainFile
from synapse_ls.formats.chati.handoff import HandoffFile
from synapse_ls.formats.chati.session import EMPTY, SessionView
from synapse_ls.formats.chati.task import TaskFile
from synapse_ls.formats.chati.workflow import WorkflowFile
from synapse_ls.formats.problem import Text
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.kinds import FileKind
from synapse_ls.workspace.naming import stem, under
from synapse_ls.workspace.systems import chati as files
from synapse_ls.workspace.tree import Tree

T = TypeVar("T")

ORCHESTRATOR = "orchestrator"
"""An agent of every installation, though its file stands elsewhere."""


class ChatiTree:
    """The view of a tree's snapshot."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree

    def facts(self, path: str) -> FileFacts | None:
        """What is known of a file."""
        return self.tree.snapshot.facts(path) if path else None

    def document(self, path: str, kind: type[T]) -> T | None:
        """The document of a file, None where there is none of that kind."""
        facts = self.facts(path)
        found = facts.document if facts else None
        return found if isinstance(found, kind) else None

    @property
    def has_session(self) -> bool:
        """Whether there is a session at all."""
        return self.facts(files.SESSION) is not None

    @cached_property
    def session(self) -> SessionView:
        """The session, an empty view where there is none."""
        return self.document(files.SESSION, SessionView) or EMPTY

    @cached_property
    def agents(self) -> Mapping[str, tuple[str, str]]:
        """Agent → (path of its file, path of its domain), either "" where there is none; by name."""
        own = self._stems(FileKind.CHATI_AGENT, files.AGENTS)
        domains = self._stems(FileKind.CHATI_DOMAIN, files.AGENT_DOMAINS)
        return {
            name: (own.get(name, ""), domains.get(name, "")) for name in sorted({*own, *domains})
        }

    @cached_property
    def workflows(self) -> Mapping[str, tuple[str, str]]:
        """Workflow → (path of its definition, path of its domain), as with agents."""
        own = self._stems(FileKind.CHATI_WORKFLOW, files.WORKFLOWS)
        domains = self._stems(FileKind.CHATI_DOMAIN, files.WORKFLOW_DOMAINS)
        return {
            name: (own.get(name, ""), domains.get(name, "")) for name in sorted({*own, *domains})
        }

    def is_agent(self, name: str) -> bool:
        """Whether anything in the tree is about an agent of that name."""
        return name == ORCHESTRATOR or name in self.agents

    @cached_property
    def handoffs(self) -> Mapping[str, str]:
        """Agent → path of the hand-off it has left; of several the one with the last name."""
        found: dict[str, str] = {}
        for path in self.tree.snapshot.paths(FileKind.CHATI_HANDOFF):
            document = self.document(path, HandoffFile)
            named = document.agent.value if document and document.agent else ""
            found[named or stem(path).removesuffix("-handoff")] = path
        return found

    @cached_property
    def last_handoff(self) -> str:
        """The path of the hand-off that the session names, by path or by agent; "" where none is.

        Where the session names none it is that of the last agent that has completed, in the order
        of the session.
        """
        written = self.session.handoff.value.strip().removeprefix("./")
        if written:
            return self.named_handoff(written)
        done = [agent.name for agent in self.session.agents if agent.status == "completed"]
        current = self.session.agent.value
        left = (self.handoffs.get(name, "") for name in reversed(done) if name != current)
        return next((path for path in left if path), "")

    def named_handoff(self, written: str) -> str:
        """The hand-off that ``written`` means: a path, a path under the other folder, or an agent."""
        facts = self.facts(written)
        if facts and facts.kind is FileKind.CHATI_HANDOFF:
            return written
        name = written.rpartition("/")[2]
        for folder in files.HANDOFFS:
            for candidate in (
                f"{folder}/{name}",
                f"{folder}/{name}.md",
                f"{folder}/{name}-handoff.md",
            ):
                if self.facts(candidate):
                    return candidate
        return self.handoffs.get(written, "")

    def _stems(self, kind: FileKind, folder: str) -> Mapping[str, str]:
        paths = (path for path in self.tree.snapshot.paths(kind) if under(path, folder))
        found: dict[str, str] = {}
        for path in paths:
            found.setdefault(stem(path), path)
        return found


def named_agents(document: object) -> Iterator[Text]:
    """The places of a file that name an agent."""
    if isinstance(document, SessionView):
        yield document.agent
        yield from (Text(agent.name, agent.span) for agent in document.agents)
    elif isinstance(document, WorkflowFile):
        yield from (step.agent for step in document.steps)
    elif isinstance(document, DomainFile):
        yield from document.steps
    elif isinstance(document, HandoffFile) and document.agent is not None:
        yield document.agent
    elif isinstance(document, TaskFile):
        for task in document.tasks:
            yield from (name for name in (task.agent, task.handoff_to) if name is not None)
