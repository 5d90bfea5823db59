"""Which domains a ``.carl/`` tree has, and which file serves each of them.

As CARL v1 looks for it, a domain's file has its name in lower case, without an extension or with
``.env``: CUSTOM_DOMAIN is served by ``custom_domain`` and never by ``custom-domain``. Rules count
under the domain's own name only. In v2 everything is in ``carl.json``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from synapse_ls.formats.carl.document import CarlDocument
from synapse_ls.workspace.carl_scopes import Scopes
from synapse_ls.workspace.domains import Domain, manifest_in
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.folders import CARL
from synapse_ls.workspace.kinds import BUILT_IN_CARL
from synapse_ls.workspace.naming import carl_candidates


def domains(manifest: FileFacts | None, paths: Sequence[str]) -> tuple[Domain, ...]:
    """The domains of the manifest in its order, then built-in files that it does not mention.

    ``paths`` are those of the rule files in the tree's folder.
    """
    if manifest is not None and isinstance(manifest.document, CarlDocument):
        return Scopes({manifest.path: manifest.document}).domains
    return tuple(_of_files(manifest, frozenset(paths)))


def _of_files(manifest: FileFacts | None, paths: frozenset[str]) -> Iterator[Domain]:
    document = manifest_in(manifest.document) if manifest else None
    declared = document.domains if document else {}
    names = dict.fromkeys((*declared, *(stem.upper() for stem in BUILT_IN_CARL)))
    position = 0
    for name in names:
        file = next((path for path in map(_path, carl_candidates(name)) if path in paths), None)
        said = declared.get(name)
        if said is None and file is None:
            continue
        is_built_in = name.lower() in BUILT_IN_CARL and name.isupper()
        yield Domain(
            name,
            name,
            "",
            said,
            manifest.path if manifest and said else "",
            file,
            position,
            is_built_in,
            # CONTEXT's and COMMANDS' keys begin with brackets and commands.
            shared=not is_built_in or name == "GLOBAL",
            exact=True,
        )
        position += 1


def _path(name: str) -> str:
    return f"{CARL}/{name}"
