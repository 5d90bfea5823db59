"""Which rule files are read first, and whatever the time."""

from __future__ import annotations

from synapse_ls.formats.manifest import Manifest
from synapse_ls.workspace.kinds import BUILT_IN, FileKind
from synapse_ls.workspace.naming import candidates
from synapse_ls.workspace.scan import Found


def declares(found: Found) -> bool:
    """Whether a file says which domains there are."""
    return found.kind in (FileKind.MANIFEST, FileKind.CARL)


def standing(folder: str, manifest: object) -> frozenset[str]:
    """The paths at which rules may be that stand in every prompt or come with an agent."""
    names = {name for domain in BUILT_IN for name in candidates(domain, folder)}
    if isinstance(manifest, Manifest):
        for domain, said in manifest.domains.items():
            if said.always_on or said.agent_trigger:
                names.update(candidates(domain, folder))
    return frozenset(f"{folder}/{name}" for name in names)
