"""This module assembles one squad from its files: what it says about itself, its domains and
its agents.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from synapse_ls.formats.manifest import EXTENDS_MODES, Manifest
from synapse_ls.workspace.file_kinds import RULE_KINDS, FileKind
from synapse_ls.workspace.naming_conventions import IdMap, file_stem, is_same_id, squad_prefix
from synapse_ls.workspace.tree_domains import SHARED_FILES, Domain, squad_domains
from synapse_ls.workspace.tree_folders import TREE

if TYPE_CHECKING:
    from synapse_ls.formats.squad_manifest import SquadDocument
    from synapse_ls.workspace.file_facts import FileFacts


@dataclass(frozen=True, slots=True)
class Squad:
    """A Squad is a folder of agents, tasks, workflows and rules that extends a tree.

    ``folder`` is the folder's name, ``path`` the folder; ``name`` is that of ``squad.yaml``
    (or of the former ``config.yaml``, where that counts), else the folder's; ``namespace`` the prefix of its labels. ``extends`` is "extend",
    "override" or "none" (ADR-001, "Extends Modes"); ``extends_source`` the path of the file
    that says so, empty where none does; ``conflict`` is set where ``squad.yaml`` and the
    manifest disagree (the former counts). ``manifest_path`` and ``yaml_path`` are empty where
    there is no such file. ``agents`` are ids: first those that ``squad.yaml`` lists, then those
    with a file; ``agent_files`` are the same by the names of their files.
    """

    folder: str
    path: str
    name: str
    namespace: str
    extends: str
    extends_source: str
    has_conflict: bool
    manifest_path: str
    yaml_path: str
    agents: tuple[str, ...]
    agent_files: tuple[str, ...]


SQUAD_KINDS = RULE_KINDS | {
    FileKind.MANIFEST,
    FileKind.SQUAD,
    FileKind.OLD_SQUAD,
    FileKind.AGENT,
}
"""Kinds of the files that a squad is made from."""


def assemble_squad(
    path: str, files: Sequence[FileFacts]
) -> tuple[Squad, tuple[Domain, ...]] | None:
    """Returns the squad in the folder ``path`` and its domains, from the facts of all its
    `SQUAD_KINDS`.

    None where the folder has neither a ``squad.yaml``, nor the former ``config.yaml``, nor a tree of
    its own: not a squad then.
    """
    manifest = _first_of_kind(files, FileKind.MANIFEST)
    yaml = _squad_yaml(files)
    if not (manifest or yaml or any(facts.kind in RULE_KINDS for facts in files)):
        return None
    return _describe_squad(path, files, manifest, yaml), assemble_domains(path, files)


def assemble_domains(path: str, files: Sequence[FileFacts]) -> tuple[Domain, ...]:
    """Returns the domains of the squad in the folder ``path``, from the same facts."""
    rules = {f.path[len(path) + len(TREE) + 2 :]: f for f in files if f.kind in RULE_KINDS}
    shared = next((rules[name] for name in SHARED_FILES if name in rules), None)
    names = {name: facts.path for name, facts in rules.items()}
    manifest = _first_of_kind(files, FileKind.MANIFEST)
    return squad_domains(path.rpartition("/")[2], manifest, names, shared)


def _describe_squad(
    path: str, files: Sequence[FileFacts], manifest: FileFacts | None, yaml: FileFacts | None
) -> Squad:
    folder = path.rpartition("/")[2]
    document = cast("SquadDocument | None", yaml.document) if yaml else None
    name = document.name.value if document and document.name else folder
    prefix = squad_prefix(folder)
    stated = [(yaml.path, document.extends.value)] if yaml and document and document.extends else []
    stated += _manifest_extends_modes(manifest, (folder, prefix, name))
    stated = [(source, mode) for source, mode in stated if mode in EXTENDS_MODES]
    source, extends = stated[0] if stated else ("", "extend")
    own = {file_stem(facts.path): facts.id for facts in files if facts.kind is FileKind.AGENT}
    listed = [file_stem(component.value) for component in document.agents] if document else []
    named = (*listed, *own)
    return Squad(
        folder,
        path,
        name,
        prefix,
        extends,
        source,
        len({mode for _, mode in stated}) > 1,
        manifest.path if manifest else "",
        yaml.path if yaml else "",
        tuple(IdMap((own.get(name, name), None) for name in named)),
        tuple(IdMap((name, None) for name in named)),
    )


def _first_of_kind(files: Sequence[FileFacts], kind: FileKind) -> FileFacts | None:
    return next((facts for facts in files if facts.kind is kind), None)


def _squad_yaml(files: Sequence[FileFacts]) -> FileFacts | None:
    """Returns what describes a squad: ``squad.yaml``, else the former ``config.yaml``, which also counts
    where ``squad.yaml`` is only a deprecated stub beside it.
    """
    current, former = (_first_of_kind(files, kind) for kind in (FileKind.SQUAD, FileKind.OLD_SQUAD))
    is_stub = (
        cast("SquadDocument", current.document).is_stub if current and current.document else False
    )
    return former if former and (current is None or is_stub) else current


def _manifest_extends_modes(
    manifest: FileFacts | None, names: tuple[str, ...]
) -> Iterator[tuple[str, str]]:
    """Yields what the manifest says under ``{SQUAD}_EXTENDS`` for one of the squad's names."""
    if manifest and isinstance(manifest.document, Manifest):
        for squad, mode in manifest.document.extends.items():
            if any(is_same_id(squad, name) for name in names):
                yield manifest.path, mode
