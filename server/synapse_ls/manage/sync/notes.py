"""What is to be said about files for agents beside what happens to them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from synapse_ls.formats.managed import HOOK, RULES
from synapse_ls.manage.clients.registry import CLIENTS
from synapse_ls.manage.sync.change import Change
from synapse_ls.manage.sync.disk import Document
from synapse_ls.sync.registry import TARGETS
from synapse_ls.sync.target import Wanted


def notes(
    documents: Mapping[str, Document],
    files: Iterable[Wanted],
    changes: Iterable[Change],
    kinds: Mapping[str, str],
    hooked: frozenset[str],
) -> Iterator[str]:
    """A sentence for each: too large, differing globs, rules that a client gets twice or not at all."""
    after = {change.path: change.after for change in changes}
    anywhere: dict[str, list[str]] = {}
    served: set[str] = set()
    for file in files:
        served.update(name for name in kinds if TARGETS[name].place_of(file.path))
        text = (after.get(file.path) or b"").decode("utf-8", "surrogateescape")
        if file.limit is not None and (said := file.limit.exceeded(text)):
            yield f"{file.path}: {said}"
        for pattern, written in file.globs.wider:
            yield f"{file.path}: `{pattern}` is written `{written}`, which matches more"
        for pattern in file.globs.anywhere:
            anywhere.setdefault(file.path, []).append(pattern)
    if anywhere:
        globs = ", ".join(dict.fromkeys(f"`{g}`" for found in anywhere.values() for g in found))
        yield f"VS Code applies {globs} below every folder, and not below the root only"
    yield from _doubles(documents, kinds, hooked)
    for name, kind in kinds.items():
        if kind == RULES and name not in served:
            path = TARGETS[name].standing.path
            yield (
                f"{path} is not written, because no rule of the tree always applies: the others need "
                "the hook (`synapse install`)"
            )
        if kind == HOOK:
            target = TARGETS[name]
            clients = " and ".join(CLIENTS[c].title for c in target.clients if c in hooked)
            yield (
                f"{target.standing.path} only says where the rules come from: the hook brings them "
                f'to {clients} (`[sync] repeat = ["{name}"]` writes them anyway)'
            )


def _doubles(
    documents: Mapping[str, Document], kinds: Mapping[str, str], hooked: frozenset[str]
) -> Iterator[str]:
    """Clients that read the rules in several files, or in a file and from the hook."""
    several: dict[tuple[str, ...], list[str]] = {}
    for client in CLIENTS.values():
        found = dict.fromkeys(
            TARGETS[name].standing.path
            for name, kind in kinds.items()
            if kind == RULES and client.name in _readers(name, documents)
        )
        if found and client.name in hooked:
            several.setdefault((*found, "the hook's blocks"), []).append(client.title)
        elif len(found) > 1:
            several.setdefault(tuple(found), []).append(client.title)
    for read, clients in several.items():
        verb = "read" if len(clients) > 1 else "reads"
        yield f"{_and(clients)} {verb} {_and(read)}, and so the rules more than once"


def _and(names: Sequence[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def _readers(name: str, documents: Mapping[str, Document]) -> tuple[str, ...]:
    """The clients that read the main file of a target."""
    target = TARGETS[name]
    claude = documents.get(TARGETS["claude"].standing.path)
    imported = claude is not None and f"@{target.standing.path}" in claude.text
    return (*target.clients, *target.also, *(("claude",) if imported else ()))
