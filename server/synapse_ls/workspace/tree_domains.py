"""The domains of a root or a squad, the file of each, and the homes of all squads.

A home depends only on its own files.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, cast

from synapse_ls.formats import config_settings, constitution_file, context_file, domain_file
from synapse_ls.formats.commands_file import StarCommands
from synapse_ls.formats.manifest import EXTENDS_MODES, DomainDeclaration, Manifest
from synapse_ls.formats.rule import Rule
from synapse_ls.workspace import naming_conventions
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import BUILT_IN, RULE_KINDS, FileKind
from synapse_ls.workspace.tree_folders import TREE

if TYPE_CHECKING:
    from synapse_ls.formats.carl.carl_json import CarlDocument
    from synapse_ls.formats.squad_manifest import SquadDocument

# In a squad, the file of the domains that have none of their own.
SHARED_FILES = tuple(
    f"{naming_conventions.SQUAD_RULES}{extension}" for extension in naming_conventions.EXTENSIONS
)


class Domain(NamedTuple):
    """A named rule set and the file that serves it.

    ``name`` is as declared, ``label`` the name in the whole tree (in a squad with its
    namespace). ``squad`` is the squad's folder name, empty for the root. ``declaration`` and
    ``manifest_path`` are None and empty for a built-in file that no manifest mentions. ``file``
    is a path, None where the domain has no file. ``position`` counts within the manifest;
    undeclared built-ins follow. ``builtin``: a root domain with a meaning of its own
    (constitution, global, context, commands). ``shared``: the file serves other domains too, so
    only rules under this one's prefix are its own. ``exact``: no other name of the domain may
    stand before ``_RULE_`` in its keys, as in CARL. ``adopted``: the configuration's reference to
    the file of instructions that serves the domain; ``lines``: the part of it that counts (first
    and last line, from 0), None for all; ``native``: the clients that apply it by themselves;
    ``on_request``: why nobody is given it, "" where that is not so; ``elsewhere``: the clients that
    are not given it, because they have instructions of their own, each with the file of these.
    """

    name: str
    label: str
    squad: str
    declaration: DomainDeclaration | None
    manifest_path: str
    file: str | None
    position: int
    builtin: bool
    shared: bool = False
    exact: bool = False
    adopted: config_settings.AdoptedSource | None = None
    lines: tuple[int, int] | None = None
    native: tuple[str, ...] = ()
    on_request: str = ""
    elsewhere: tuple[tuple[str, str], ...] = ()

    @property
    def is_active(self) -> bool:
        """Whether the domain is switched on; an undeclared built-in is."""
        return self.declaration is None or self.declaration.is_active

    @property
    def prefixes(self) -> frozenset[str]:
        """What the keys of the domain's rules may begin with."""
        if self.exact:
            return frozenset({self.name})
        prefixes = {self.label, *domain_file.rule_prefixes(self.name, "")}
        if self.declaration:
            prefixes |= domain_file.rule_prefixes(self.name, self.declaration.agent_trigger)
            prefixes |= domain_file.rule_prefixes(self.name, self.declaration.workflow_trigger)
        return frozenset(prefixes)

    def owns(self, rule: Rule) -> bool:
        """Check whether a rule of the file that serves the domain is its own."""
        if self.lines:
            return self.lines[0] <= rule.line <= self.lines[1]
        if not self.shared:
            return True
        if self.exact and rule.kind in _CARL_KEY_OWNERS:
            return self.builtin and self.name == _CARL_KEY_OWNERS[rule.kind]
        return rule.domain in self.prefixes


# Rules whose keys have in CARL something else where a domain would be, and whose they are.
_CARL_KEY_OWNERS = {"bracket": "CONTEXT", "command": "COMMANDS"}


def root_domains(manifest: FileFacts | None, files: Mapping[str, str]) -> tuple[Domain, ...]:
    """Return the domains of a root: those of the manifest, then built-in files that it does not
    mention.

    ``files`` are the rule files in the tree's folder: name -> path.
    """
    domains = [
        Domain(
            name,
            name,
            "",
            declaration,
            manifest.path if manifest else "",
            _find_own_file(name, files),
            position,
            name.lower() in BUILT_IN,
        )
        for position, (name, declaration) in enumerate(_declarations_in(manifest))
    ]
    present = {domain.name.upper() for domain in domains}
    for stem in BUILT_IN:
        name = stem.upper()
        file = _find_own_file(name, files)
        if name not in present and file:
            domains.append(Domain(name, name, "", None, "", file, len(domains), builtin=True))
    return tuple(domains)


def manifest_in(document: object) -> Manifest | None:
    """Return the manifest in a document: all of it, or a part of CARL's one file; None for none."""
    if document is None or isinstance(document, Manifest):
        return document
    return carl.manifest if (carl := carl_document(document)) else None


def commands_in(document: object) -> StarCommands | None:
    """Return the star-commands in a document that serves a tree's domains: all of it, or a part of
    CARL's one file; None for none.
    """
    if document is None or isinstance(document, StarCommands):
        return document
    return carl.commands if (carl := carl_document(document)) else None


def carl_document(document: object) -> CarlDocument | None:
    """Return a document if it is CARL's one file, None for any other."""
    # Few trees have one, and its parser is not light.
    from synapse_ls.formats.carl.carl_json import CarlDocument

    return document if isinstance(document, CarlDocument) else None


def rules_in(document: object) -> tuple[Rule, ...]:
    """Return every rule of a rule file's document, of whatever kind it is, in the order of the
    file.
    """
    if isinstance(document, domain_file.RulesDocument):
        return document.rules
    if isinstance(document, (context_file.ContextDocument, constitution_file.ConstitutionDocument)):
        return document.rules.rules
    if isinstance(document, StarCommands):
        rules = (rule for command in document.commands for rule in command.rules)
        return tuple(sorted(rules, key=lambda rule: rule.span))
    if document is not None and (carl := carl_document(document)):
        parts = (carl.rules, carl.context, carl.commands)
        return tuple(sorted((r for part in parts for r in rules_in(part)), key=lambda r: r.span))
    return ()


def rules_mode(document: object) -> str:
    """Return the mode of a rule file's document, that of its `RulesDocument`; "" for no such."""
    if isinstance(document, (context_file.ContextDocument, constitution_file.ConstitutionDocument)):
        document = document.rules
    return document.mode if isinstance(document, domain_file.RulesDocument) else ""


def rules_of(domain: Domain, facts: FileFacts | None) -> tuple[Rule, ...]:
    """Return the rules of a domain in the order of its file; ``facts`` are those of that file."""
    rules = rules_in(facts.document) if facts else ()
    return tuple(filter(domain.owns, rules)) if domain.shared or domain.lines else rules


def _declarations_in(manifest: FileFacts | None) -> Collection[tuple[str, DomainDeclaration]]:
    document = manifest_in(manifest.document) if manifest else None
    return document.domains.items() if document else ()


def _find_own_file(domain: str, files: Mapping[str, str]) -> str | None:
    return next(
        (files[name] for name in naming_conventions.rule_file_names(domain) if name in files), None
    )


class Squad(NamedTuple):
    """A folder of agents, tasks, workflows and rules that extends a tree.

    ``folder`` is the folder's name, ``path`` the folder; ``name`` is that of ``squad.yaml``
    (or of the former ``config.yaml``, where that counts), else the folder's; ``namespace`` the
    prefix of its labels. ``extends`` is "extend", "override" or "none" (ADR-001, "Extends Modes");
    ``extends_source`` the path of the file that says so, empty where none does; ``conflict`` is set
    where ``squad.yaml`` and the manifest disagree (the former counts). ``manifest_path`` and
    ``yaml_path`` are empty where there is no such file. ``agents`` are ids: first those that
    ``squad.yaml`` lists, then those with a file; ``agent_files`` are the same by the names of their
    files.
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


# Kinds of the files that a squad is made from.
SQUAD_KINDS = RULE_KINDS | {FileKind.MANIFEST, FileKind.SQUAD, FileKind.OLD_SQUAD, FileKind.AGENT}


def assemble_squad(
    path: str, files: Sequence[FileFacts]
) -> tuple[Squad, tuple[Domain, ...]] | None:
    """Return the squad in the folder ``path`` and its domains, from the facts of all its
    `SQUAD_KINDS`.

    None where the folder has neither a ``squad.yaml``, nor the former ``config.yaml``, nor a tree
    of its own: not a squad then.
    """
    manifest = _first_of_kind(files, FileKind.MANIFEST)
    # What describes a squad: `squad.yaml`, else the former `config.yaml`, which also counts
    # where `squad.yaml` is only a deprecated stub beside it.
    current, former = (_first_of_kind(files, kind) for kind in (FileKind.SQUAD, FileKind.OLD_SQUAD))
    is_stub = (
        cast("SquadDocument", current.document).is_stub if current and current.document else False
    )
    yaml = former if former and (current is None or is_stub) else current
    if not (manifest or yaml or any(facts.kind in RULE_KINDS for facts in files)):
        return None
    folder = path.rpartition("/")[2]
    document = cast("SquadDocument | None", yaml.document) if yaml else None
    name = document.name.value if document and document.name else folder
    prefix = naming_conventions.squad_prefix(folder)
    stated = [(yaml.path, document.extends.value)] if yaml and document and document.extends else []
    if manifest and isinstance(manifest.document, Manifest):
        # What the manifest says under ``{SQUAD}_EXTENDS`` for one of the squad's names.
        stated += [
            (manifest.path, mode)
            for squad, mode in manifest.document.extends.items()
            if any(naming_conventions.is_same_id(squad, other) for other in (folder, prefix, name))
        ]
    stated = [(source, mode) for source, mode in stated if mode in EXTENDS_MODES]
    source, extends = stated[0] if stated else ("", "extend")
    own = {
        naming_conventions.file_stem(facts.path): facts.id
        for facts in files
        if facts.kind is FileKind.AGENT
    }
    listed = (
        [naming_conventions.file_stem(component.value) for component in document.agents]
        if document
        else []
    )
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
        tuple(naming_conventions.IdMap((own.get(name, name), None) for name in named)),
        tuple(naming_conventions.IdMap((name, None) for name in named)),
    ), assemble_domains(path, files)


def assemble_domains(path: str, files: Sequence[FileFacts]) -> tuple[Domain, ...]:
    """Return the domains of the squad in the folder ``path``, from the same facts."""
    rules = {f.path[len(path) + len(TREE) + 2 :]: f for f in files if f.kind in RULE_KINDS}
    shared = next((rules[name] for name in SHARED_FILES if name in rules), None)
    names = {name: facts.path for name, facts in rules.items()}
    manifest = _first_of_kind(files, FileKind.MANIFEST)
    # The domains that a squad's manifest declares.
    folder = path.rpartition("/")[2]
    own = [
        Domain(
            name,
            naming_conventions.namespaced_domain(folder, name),
            folder,
            declaration,
            manifest.path if manifest else "",
            _find_own_file(name, names),
            position,
            builtin=False,
        )
        for position, (name, declaration) in enumerate(_declarations_in(manifest))
    ]
    homeless = [domain for domain in own if domain.file is None]
    if shared is None or any(domain.file == shared.path for domain in own):
        return tuple(own)
    several = len(homeless) > 1
    carried = {rule.domain for rule in rules_in(shared.document)}
    return tuple(
        domain._replace(file=shared.path, shared=several)
        if domain.file is None and (not several or domain.prefixes & carried)
        else domain
        for domain in own
    )


def _first_of_kind(files: Sequence[FileFacts], kind: FileKind) -> FileFacts | None:
    return next((facts for facts in files if facts.kind is kind), None)


@dataclass(frozen=True, eq=False)
class Home:
    """The domains of the root or a squad, in the order of its manifest, and its rule files, sorted.

    ``squad`` is None for the root, and for a folder among the squads that is none.
    """

    squad: Squad | None
    domains: tuple[Domain, ...]
    rule_files: tuple[str, ...]

    @cached_property
    def domains_by_file(self) -> Mapping[str, tuple[Domain, ...]]:
        """The domains that each rule file serves, by path; files without a domain are not in it."""
        domains: dict[str, tuple[Domain, ...]] = {}
        for domain in self.domains:
            if domain.file:
                domains[domain.file] = (*domains.get(domain.file, ()), domain)
        return domains

    @cached_property
    def orphan_files(self) -> tuple[str, ...]:
        """The rule files that no domain claims, so that no prompt can ever bring them in."""
        return tuple(path for path in self.rule_files if path not in self.domains_by_file)


_SquadPart = tuple[tuple[FileFacts, ...], Home]


class SquadHomes:
    """The homes of the folders among the squads of a tree, in the order of the folders' names. They
    never change: `with_facts` returns others, which share what stayed.
    """

    def __init__(self, parts: Mapping[str, _SquadPart]) -> None:
        self._parts = parts

    def find(self, folder: str) -> Home | None:
        """Return the home of a folder, None where it holds no file of a squad."""
        part = self._parts.get(folder)
        return part[1] if part else None

    def homes(self) -> list[Home]:
        """Return the homes."""
        return [home for _, home in self._parts.values()]

    @property
    def folders(self) -> Iterable[str]:
        """The folders that hold files of a squad."""
        return self._parts

    def with_facts(self, groups: Mapping[str, Iterable[FileFacts]]) -> SquadHomes:
        """Return the homes with other facts of the files of some folders; a folder without files is
        gone.
        """
        parts = dict(self._parts)
        for folder, facts in groups.items():
            if not (files := sort_facts(facts)):
                parts.pop(folder, None)
            elif folder not in parts or parts[folder][0] != files:
                squad, domains = assemble_squad(folder, files) or (None, ())
                rule_files = tuple(facts.path for facts in files if facts.kind in RULE_KINDS)
                parts[folder] = files, Home(squad, domains, rule_files)
        if parts.keys() != self._parts.keys():
            # Squads are in the order of their folders' names, wherever these are.
            folders = sorted(parts, key=lambda folder: (folder.rpartition("/")[2], folder))
            parts = {folder: parts[folder] for folder in folders}
        return SquadHomes(parts)


def sort_facts(files: Iterable[FileFacts]) -> tuple[FileFacts, ...]:
    """Sort facts by the paths of their files."""
    return tuple(sorted(files, key=lambda facts: facts.path))
