"""Resolve the names of a Chati.dev tree: the file of each agent, workflow and hand-off."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TypeVar

from synapse_ls.formats.chati import domain_file, handoff_file, work_files
from synapse_ls.formats.chati.session_file import EMPTY_SESSION, SessionView
from synapse_ls.text.finding import Text
from synapse_ls.workspace import chati_places, naming_conventions
from synapse_ls.workspace.file_kinds import FileKind
from synapse_ls.workspace.rule_tree import Tree

T = TypeVar("T")

# An agent of every installation, though its file stands elsewhere.
ORCHESTRATOR = "orchestrator"


class ChatiTree:
    """A view of a tree's snapshot that finds the files of Chati.dev by the names they use."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.facts, self.document = tree.snapshot.facts, tree.snapshot.document

    @property
    def has_session(self) -> bool:
        """Whether the tree has a session file."""
        return self.facts(chati_places.SESSION) is not None

    @cached_property
    def session(self) -> SessionView:
        """The session, an empty view where there is none."""
        return self.document(chati_places.SESSION, SessionView) or EMPTY_SESSION

    @cached_property
    def agents(self) -> Mapping[str, tuple[str, str]]:
        """Agent → (path of its file, path of its domain), either "" where there is none; sorted by
        name.
        """
        files = self._files_by_stem(FileKind.CHATI_AGENT, chati_places.AGENTS)
        return self._with_domains(files, chati_places.AGENT_DOMAINS)

    @cached_property
    def workflows(self) -> Mapping[str, tuple[str, str]]:
        """Workflow → (path of its definition, path of its domain), "" where there is none; sorted
        by name.
        """
        files = self._files_by_stem(FileKind.CHATI_WORKFLOW, chati_places.WORKFLOWS)
        return self._with_domains(files, chati_places.WORKFLOW_DOMAINS)

    def is_agent(self, name: str) -> bool:
        """Check whether any file of the tree is about an agent of that name."""
        return name == ORCHESTRATOR or name in self.agents

    @cached_property
    def tasks(self) -> frozenset[str]:
        """The ids of the tasks: what their front matter says, and the names of their files."""
        snapshot = self.tree.snapshot
        documents = snapshot.documents(FileKind.CHATI_TASK, work_files.TasksDocument)
        written = (task.id for _, document in documents for task in document.tasks)
        stems = map(naming_conventions.file_stem, snapshot.paths(FileKind.CHATI_TASK))
        return frozenset((*stems, *written))

    @cached_property
    def handoffs(self) -> Mapping[str, str]:
        """Agent → path of the hand-off it has written; of several the one with the last file
        name.
        """
        handoffs: dict[str, str] = {}
        for path in self.tree.snapshot.paths(FileKind.CHATI_HANDOFF):
            document = self.document(path, handoff_file.HandoffDocument)
            named = document.agent.value if document and document.agent else ""
            handoffs[named or naming_conventions.file_stem(path).removesuffix("-handoff")] = path
        return handoffs

    @cached_property
    def last_handoff(self) -> str:
        """The path of the hand-off that the session names, by path or by agent; "" where there is
        none.

        Where the session names none it is that of the last agent that has completed, in the
        order of the session.
        """
        if written := self.session.handoff.value.strip():
            return self.find_handoff(written)
        done = [agent.name for agent in self.session.agents if agent.status == "completed"]
        current = self.session.agent.value
        left = (self.handoffs.get(name, "") for name in reversed(done) if name != current)
        return next((path for path in left if path), "")

    def find_handoff(self, written: str) -> str:
        """Find the hand-off that ``written`` means: a path from the root, else the name of a file
        in one of the folders or of an agent; "" for none.
        """
        path = written.strip().replace("\\", "/").removeprefix("./")
        if (facts := self.facts(path)) and facts.kind is FileKind.CHATI_HANDOFF:
            return path
        return "" if "/" in path else self.find_handoff_by_name(path)

    def find_handoff_by_name(self, name: str) -> str:
        """Find the hand-off in a file of that name, or of that agent; "" for none."""
        candidates = (
            f"{folder}/{name}{ending}"
            for folder in chati_places.HANDOFFS
            for ending in ("", ".md", "-handoff.md")
        )
        return next(filter(self.facts, candidates), self.handoffs.get(name, ""))

    def _with_domains(self, files: Mapping[str, str], folder: str) -> Mapping[str, tuple[str, str]]:
        """Return name → (path of its file, path of its domain in ``folder``), sorted by name."""
        domains = self._files_by_stem(FileKind.CHATI_DOMAIN, folder)
        names = sorted({*files, *domains})
        return {name: (files.get(name, ""), domains.get(name, "")) for name in names}

    def _files_by_stem(self, kind: FileKind, folder: str) -> Mapping[str, str]:
        """Return file stem → path of the files of a kind in a folder."""
        paths = self.tree.snapshot.paths_under(folder, kind)
        return {naming_conventions.file_stem(path): path for path in reversed(paths)}


def agent_mentions(document: object) -> Iterator[Text]:
    """Yield every place of a Chati.dev document that names an agent."""
    if isinstance(document, SessionView):
        yield document.agent
        yield from (Text(agent.name, agent.span) for agent in document.agents)
    elif isinstance(document, work_files.WorkflowDocument):
        yield from (step.agent for step in document.steps)
    elif isinstance(document, domain_file.DomainDocument):
        yield from document.steps
    elif isinstance(document, handoff_file.HandoffDocument) and document.agent is not None:
        yield document.agent
    elif isinstance(document, work_files.TasksDocument):
        for task in document.tasks:
            yield from (name for name in (task.agent, task.handoff_to) if name is not None)
