"""One squad: what it says about itself, its domains and its agents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from synapse_ls.formats.manifest import EXTENDS_MODES, Manifest
from synapse_ls.workspace.domains import SHARED_FILES, Domain, squad_domains
from synapse_ls.workspace.folders import TREE
from synapse_ls.workspace.kinds import RULE_KINDS, FileKind
from synapse_ls.workspace.naming import IdMap, same_id, squad_prefix, stem

if TYPE_CHECKING:
    from synapse_ls.formats.squad import SquadDocument
    from synapse_ls.workspace.facts import FileFacts


@dataclass(frozen=True, slots=True)
class Squad:
    """A squad.

    ``folder`` is the folder's name, ``path`` the folder; ``name`` is that of ``squad.yaml``, else
    the folder's; ``namespace`` the prefix of its labels. ``extends`` is "extend", "override" or
    "none" (ADR-001, "Extends Modes"); ``extends_source`` the path of the file that says so, empty
    where none does; ``conflict`` is set where ``squad.yaml`` and the manifest disagree (the former
    counts). ``manifest_path`` and ``yaml_path`` are empty where there is no such file.
    ``agents`` are ids: first those that ``squad.yaml`` lists, then those with a file;
    ``agent_files`` are the same by the names of their files.
    """

    folder: str
    path: str
    name: str
    namespace: str
    extends: str
    extends_source: str
    conflict: bool
    manifest_path: str
    yaml_path: str
    agents: tuple[str, ...]
    agent_files: tuple[str, ...]


SQUAD_KINDS = RULE_KINDS | {FileKind.MANIFEST, FileKind.SQUAD, FileKind.AGENT}
"""Kinds of the files that a squad is made from."""


def assemble(path: str, files: Sequence[FileFacts]) -> tuple[Squad, tuple[Domain, ...]] | None:
    """The squad in the folder ``path`` and its domains, from the facts of all its `SQUAD_KINDS`.

    None where the folder has neither a ``squad.yaml`` nor a tree of its own: not a squad then.
    """
    folder = path.rpartition("/")[2]
    rules = {f.path[len(path) + len(TREE) + 2 :]: f for f in files if f.kind in RULE_KINDS}
    manifest = _only(files, FileKind.MANIFEST)
    yaml = _only(files, FileKind.SQUAD)
    if not (rules or manifest or yaml):
        return None
    document = cast("SquadDocument | None", yaml.document) if yaml else None
    name = document.name.value if document and document.name else folder
    stated = [(yaml.path, document.extends.value)] if yaml and document and document.extends else []
    stated += _manifest_extends(manifest, (folder, squad_prefix(folder), name))
    stated = [(source, mode) for source, mode in stated if mode in EXTENDS_MODES]
    source, extends = stated[0] if stated else ("", "extend")
    own = {stem(facts.path): facts.id for facts in files if facts.kind is FileKind.AGENT}
    listed = [stem(component.value) for component in document.agents] if document else []
    named = (*listed, *own)
    agents = IdMap((own.get(name, name), None) for name in named)
    squad = Squad(
        folder,
        path,
        name,
        squad_prefix(folder),
        extends,
        source,
        len({mode for _, mode in stated}) > 1,
        manifest.path if manifest else "",
        yaml.path if yaml else "",
        tuple(agents),
        tuple(IdMap((name, None) for name in named)),
    )
    shared = next((rules[name] for name in SHARED_FILES if name in rules), None)
    names = {name: facts.path for name, facts in rules.items()}
    return squad, squad_domains(folder, manifest, names, shared)


def _only(files: Sequence[FileFacts], kind: FileKind) -> FileFacts | None:
    return next((facts for facts in files if facts.kind is kind), None)


def _manifest_extends(
    manifest: FileFacts | None, names: tuple[str, ...]
) -> Iterator[tuple[str, str]]:
    """What the manifest says under ``{SQUAD}_EXTENDS`` for one of the squad's names."""
    if manifest and isinstance(manifest.document, Manifest):
        for squad, mode in manifest.document.extends.items():
            if any(same_id(squad, name) for name in names):
                yield manifest.path, mode
