"""This module finds what was probably meant where the rule file of a domain is missing: a file of
another name, or a domain whose name it misspells.
"""

from __future__ import annotations

from collections.abc import Mapping

from synapse_ls.lint.answer_caches import weak_cache
from synapse_ls.lint.tree_lookups import parent_folder
from synapse_ls.workspace.name_suggestions import near_misses
from synapse_ls.workspace.naming_conventions import domain_file_names
from synapse_ls.workspace.tree_home import Home

MAX_COMPARISONS = 250_000
"""Names that are compared with each other in search of a misspelt one; beyond it none is looked for."""


@weak_cache
def misnamed_rule_files(home: Home) -> Mapping[str, str]:
    """Returns domain whose rule file is missing -> the rule file without a domain that was probably
    meant for it.

    A file is meant by one domain only: the first whose likeliest file it is.
    """
    files = {path.rpartition("/")[2]: path for path in home.orphan_files}
    homeless = [d for d in home.domains if d.declaration and d.is_active and d.file is None]
    found: dict[str, str] = {}
    if len(files) * len(homeless) > MAX_COMPARISONS:
        return found
    for domain in homeless:
        expected = domain_file_names(domain.name, parent_folder(domain.manifest_path))[0]
        meant = near_misses(expected, files)
        if meant:
            found[domain.name] = files.pop(meant[0])
    return found


@weak_cache
def meant_rule_files(home: Home) -> frozenset[str]:
    """Returns the rule files that are probably meant for a domain whose own is missing."""
    return frozenset(misnamed_rule_files(home).values())


@weak_cache
def misspelt_domains(home: Home) -> Mapping[str, str]:
    """Returns domain whose rule file is missing -> the domain with a file whose name it misspells.

    One is meant where the two together read like one domain: they share no setting, and the
    misspelt name has no state.
    """
    mentioned = {
        d.name: d.declaration for d in home.domains if d.declaration and d.declaration.entries
    }
    homeless = [
        d.name
        for d in home.domains
        if d.name in mentioned and d.file is None and "STATE" not in mentioned[d.name].entries
    ]
    served = [d.name for d in home.domains if d.name in mentioned and d.file is not None]
    found: dict[str, str] = {}
    if len(served) * len(homeless) > MAX_COMPARISONS:
        return found
    for name in homeless:
        apart = [
            other
            for other in served
            if mentioned[other].entries.keys().isdisjoint(mentioned[name].entries)
        ]
        meant = near_misses(name, apart) if name not in misnamed_rule_files(home) else ()
        if meant and _is_slip(name, meant[0]):
            found[name] = meant[0]
    return found


def _is_slip(name: str, meant: str) -> bool:
    """Returns whether one name is a misspelling of the other, rather than its beginning or its end."""
    return not (meant.startswith(f"{name}_") or name.startswith(f"{meant}_")) and not (
        meant.endswith(f"_{name}") or name.endswith(f"_{meant}")
    )
