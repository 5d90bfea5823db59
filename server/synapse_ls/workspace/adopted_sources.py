"""Domains of the files of instructions that a tree refers to (``[[adopted]]``).

Each file, or section of one, is a domain whose rules stay where they are.
"""

import posixpath
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache

from synapse_ls.formats import instruction_rules, manifest, manifest_settings, rule_syntax
from synapse_ls.formats.config_settings import AdoptedSource
from synapse_ls.formats.instruction_scopes import Scope, front_matter, read_scope
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import FileKind
from synapse_ls.workspace.instruction_readers import WITHOUT, is_instruction_path, native_clients
from synapse_ls.workspace.snapshot import Snapshot
from synapse_ls.workspace.tree_domains import Domain
from synapse_ls.workspace.tree_folders import CONFIG


def adopted_domains(snapshot: Snapshot, others: Collection[Domain]) -> tuple[Domain, ...]:
    """Return the domains of the files that the configuration refers to, behind ``others``."""
    parts = list(_adopted_parts(snapshot))
    labels = {domain.label for domain in others}
    domains: list[Domain] = []
    for source, facts in parts:
        label = _free_label(source, facts.path, labels)
        labels.add(label)
        lines = source.lines and (source.lines[0] - 1, source.lines[1] - 1)
        if source.heading:
            section = section_lines(facts.text, source.heading) or (0, -1)
            lines = (
                max(section[0], lines[0] if lines else 0),
                min(section[1], lines[1] if lines else section[1]),
            )
        # By the configuration, or else by the file itself.
        scope = Scope(source.always, () if source.always else source.paths)
        if not (source.always or source.paths):
            scope = read_scope(facts.path, front_matter(facts.text))
        domains.append(
            Domain(
                label,
                label,
                "",
                _declare_domain(source, scope, label),
                CONFIG,
                facts.path,
                len(others) + len(domains),
                builtin=False,
                adopted=source,
                lines=lines,
                on_request=scope.why,
                native=native_clients(
                    facts.readers, is_own_scope=not (source.always or source.paths)
                ),
            )
        )
    inject = snapshot.config.adoption.inject
    if inject == "none":
        why = '`[adoption] inject` is "none"'
        return tuple(domain._replace(on_request=domain.on_request or why) for domain in domains)
    return tuple(_with_own_instructions(domains) if inject == "missing" else domains)


def _with_own_instructions(domains: Sequence[Domain]) -> Iterator[Domain]:
    """Yield the domains with the clients that do not get them, because they read one of the files
    that always hold by themselves: their first turn stays as it was. What is written for no
    client in particular is for all of them, and a file with the name of a client's own, in another
    folder, is for that client.
    """
    own: dict[str, str] = {}
    for domain in domains:
        if domain.declaration and domain.declaration.always_on:
            for name in domain.native:
                own.setdefault(name, domain.file or "")
    clients = {name: file for name, file in own.items() if not name.startswith(WITHOUT)}
    for domain in domains:
        is_of_clients = bool(domain.native) or is_instruction_path(domain.file or "")
        name = posixpath.basename(domain.file or "")
        others = tuple(
            (client, file)
            for client, file in clients.items()
            if is_of_clients and client not in domain.native and posixpath.basename(file) != name
        )
        yield domain._replace(elsewhere=others)


def _adopted_parts(snapshot: Snapshot) -> Iterator[tuple[AdoptedSource, FileFacts]]:
    """Yield each entry of the configuration with each file that it takes; what names a file alone
    comes before a folder that it lies in.
    """
    sources = snapshot.config.adopted
    named = {source.path for source in sources}
    for source in sources:
        for path in (source.path, *snapshot.paths_under(source.path, FileKind.INSTRUCTIONS)):
            facts = snapshot.facts(path)
            is_own = path == source.path or path not in named
            if is_own and facts is not None and facts.kind is FileKind.INSTRUCTIONS:
                yield source, facts


def _free_label(source: AdoptedSource, path: str, taken: Collection[str]) -> str:
    """Return a name for the domain of a file that no other domain has: that of the file, with as
    many of its folders before it as it takes.
    """
    *folders, name = path.split("/")
    part = f"_{rule_syntax.to_upper_snake(source.heading)}" if source.heading else ""
    label = rule_syntax.to_upper_snake(source.domain or name) + (part if not source.domain else "")
    while label in taken and folders:
        label = f"{rule_syntax.to_upper_snake(folders.pop())}_{label}"
    first, number = label, 2
    while label in taken:
        label, number = f"{first}_{number}", number + 1
    return label


@lru_cache(maxsize=64)
def section_lines(text: str, heading: str) -> tuple[int, int] | None:
    """Return the first and the last line, from 0, of the section below a heading of a file of
    instructions, nested sections included; None where it has no such heading.
    """
    title = instruction_rules.label_text(heading.strip("# ")).casefold()
    for part in instruction_rules.read_source("", text).headings:
        if part.level and part.title.casefold() == title:
            return part.lines[0] - 1, part.lines[1] - 1
    return None


def _declare_domain(source: AdoptedSource, scope: Scope, label: str) -> manifest.DomainDeclaration:
    """Return what a manifest would say of the domain."""
    settings = {"ALWAYS_ON": "true"} if scope.always else {"PATHS": ", ".join(scope.paths)}
    entries = {}
    for setting, value in settings.items() if scope.always or scope.paths else ():
        line = manifest_settings.parse_line(f"{label}_{setting}={value}")
        assert line is not None
        entries[setting] = manifest.ManifestEntry(source.span, line)
    return manifest.DomainDeclaration(label, source.span, entries)
