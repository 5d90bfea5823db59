"""The resolved view of a tree: which domain has which file, which squad, agent and workflow is where.

The linter, the plan compiler and the editor features all ask this one. Everything is computed when
it is first asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, cast

from synapse_ls.formats.commands import Command, Commands
from synapse_ls.formats.rules import Rule
from synapse_ls.workspace import domains as resolution
from synapse_ls.workspace.domains import Domain, root_domains
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.folders import MANIFEST, TREE
from synapse_ls.workspace.kinds import RULE_KINDS, FileKind, places, squad_of
from synapse_ls.workspace.naming import IdMap
from synapse_ls.workspace.squads import SQUAD_KINDS, Squad, assemble

if TYPE_CHECKING:
    from synapse_ls.formats.workflow_state import WorkflowState
    from synapse_ls.workspace.snapshot import Snapshot

_Part = tuple[tuple[FileFacts, ...], tuple[Squad, tuple[Domain, ...]] | None]


class Tree:
    """A snapshot with its names resolved.

    ``before`` is the tree of an earlier snapshot: squads whose files did not change are taken over
    from it as they are.
    """

    def __init__(self, snapshot: Snapshot, before: Tree | None = None) -> None:
        self.snapshot = snapshot
        # Only what it has already worked out: it must not be made to work for its successor.
        self._former: Mapping[str, _Part] = vars(before).get("_squads", {}) if before else {}

    @cached_property
    def manifest(self) -> FileFacts | None:
        """The facts of the root's manifest."""
        return self.snapshot.facts(MANIFEST)

    @cached_property
    def domains(self) -> tuple[Domain, ...]:
        """Every domain: the root's in manifest order, then each squad's, by folder name."""
        found = list(root_domains(self.manifest, self._root_files))
        for _, part in self._squads.values():
            found += part[1] if part else ()
        return tuple(found)

    @cached_property
    def squads(self) -> tuple[Squad, ...]:
        """Every squad, by folder name."""
        return tuple(part[0] for _, part in self._squads.values() if part)

    @cached_property
    def orphans(self) -> tuple[str, ...]:
        """Rule files that no domain claims, so that no prompt can ever bring them in."""
        rule_files = (path for kind in RULE_KINDS for path in self.snapshot.paths(kind))
        return tuple(sorted(path for path in rule_files if path not in self.served))

    @cached_property
    def served(self) -> Mapping[str, tuple[Domain, ...]]:
        """The domains that each rule file serves, by path; files without a domain are not in it."""
        found: dict[str, tuple[Domain, ...]] = {}
        for domain in self.domains:
            if domain.file:
                found[domain.file] = (*found.get(domain.file, ()), domain)
        return found

    @cached_property
    def labels(self) -> Mapping[str, Domain]:
        """The domains by label; of two with the same label the first."""
        found: dict[str, Domain] = {}
        for domain in self.domains:
            found.setdefault(domain.label, domain)
        return found

    def rules_of(self, domain: Domain) -> tuple[Rule, ...]:
        """The rules of a domain in the order of its file; none where it has no readable file."""
        return resolution.rules_of(domain, self.snapshot.facts(domain.file or ""))

    @cached_property
    def agents(self) -> Mapping[str, str]:
        """Agent id -> path, in any spelling of the id; the root's agents before those of squads."""
        return self._by_id(FileKind.AGENT)

    @cached_property
    def workflows(self) -> Mapping[str, str]:
        """Workflow id -> path of its definition, in any spelling of the id."""
        return self._by_id(FileKind.WORKFLOW)

    @cached_property
    def tasks(self) -> Mapping[str, str]:
        """Task name (the file's stem) -> path, in any spelling of the name."""
        return self._by_id(FileKind.TASK)

    @cached_property
    def stories(self) -> tuple[str, ...]:
        """The story files, sorted."""
        return self.snapshot.paths(FileKind.STORY)

    @cached_property
    def states(self) -> tuple[tuple[str, WorkflowState], ...]:
        """The workflow instances: active ones first, the newest of them first.

        Newest by ``updated_at``, then by the time of the file's last change, then by name.
        """
        found = []
        for path in self.snapshot.paths(FileKind.WORKFLOW_STATE):
            facts = self.snapshot.facts(path)
            state = cast("WorkflowState | None", facts.document if facts else None)
            if facts and state and state.shape == "instance":
                age = (-_seconds(state.updated_at), -facts.mtime_ns, path)
                found.append(((state.status != "active", *age), path, state))
        return tuple((path, state) for _, path, state in sorted(found, key=lambda entry: entry[0]))

    @cached_property
    def commands(self) -> tuple[Command, ...]:
        """The star-commands of the root's commands file, in the order of the file."""
        builtin = (d for d in self.domains if d.builtin and d.name.upper() == "COMMANDS")
        file = next((domain.file for domain in builtin), None)
        facts = self.snapshot.facts(file or "")
        return facts.document.commands if facts and isinstance(facts.document, Commands) else ()

    @cached_property
    def _root_files(self) -> Mapping[str, str]:
        """The rule files in the root's own folder: name -> path."""
        paths = (path for kind in RULE_KINDS for path in self.snapshot.paths(kind))
        return {path[len(TREE) + 1 :]: path for path in paths if path.startswith(f"{TREE}/")}

    @cached_property
    def _squads(self) -> Mapping[str, _Part]:
        """Squad folder -> the facts it is made from, and what was made of them."""
        groups: dict[str, list[FileFacts]] = {}
        for kind in SQUAD_KINDS:
            for path in self.snapshot.paths(kind):
                squad = self._squad_of(path)
                facts = self.snapshot.facts(path)
                if squad and facts:
                    groups.setdefault(squad, []).append(facts)
        parts: dict[str, _Part] = {}
        for squad in sorted(groups, key=lambda path: (path.rpartition("/")[2], path)):
            files = tuple(sorted(groups[squad], key=lambda facts: facts.path))
            former = self._former.get(squad)
            parts[squad] = (
                former if former and former[0] == files else (files, assemble(squad, files))
            )
        return parts

    def _squad_of(self, path: str) -> str:
        return squad_of(path, self.snapshot.config.paths)

    def _by_id(self, kind: FileKind) -> Mapping[str, str]:
        """The files of a kind by id: the root's in the order of its places, then the squads'."""
        squads = {squad.path: rank for rank, squad in enumerate(self.squads)}
        home = {
            place.path: rank
            for rank, place in enumerate(places(self.snapshot.config.paths))
            if place.kind is kind
        }
        ranked: list[tuple[int, int, str]] = []
        for path in self.snapshot.paths(kind):
            squad = self._squad_of(path)
            if not squad:
                ranked.append((0, home.get(path.rpartition("/")[0], len(home)), path))
            elif squad in squads:
                ranked.append((1, squads[squad], path))
        return IdMap(_identified(self.snapshot, (path for *_, path in sorted(ranked))))


def _identified(snapshot: Snapshot, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    for path in paths:
        facts = snapshot.facts(path)
        if facts:
            yield facts.id, path


def _seconds(stamp: str) -> float:
    """An ISO 8601 time in seconds since 1970, UTC where it names no zone; 0 if it is none."""
    try:
        time = datetime.fromisoformat(stamp)
    except ValueError:
        return 0.0
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
