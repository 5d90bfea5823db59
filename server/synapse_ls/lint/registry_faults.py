"""This module finds faults of the registry of lint rules, what is wrong with their list, for those
who add one to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from synapse_ls.lint.lint_rule import FileRule
from synapse_ls.lint.rule_registry import FAMILIES, rule_module
from synapse_ls.workspace.naming_conventions import kebab_case


def find_faults(files: Iterable[str]) -> list[str]:
    """Returns a sentence for each fault of the registry: in ``FAMILIES``, and in what its modules
    say of their rules.

    ``files`` are the modules that there are below ``lint/rules``, such as ``squads/bad_extends.py``.
    """
    there = {tuple(path.removesuffix(".py").split("/")) for path in files}
    listed = {(name, module) for name, family in FAMILIES.items() for module in family.modules}
    faults = [
        f"{family}/{module}.py is in no line of FAMILIES (lint/rule_registry.py): add `{module}` to {family}."
        for family, module in sorted(there - listed)
    ]
    faults += [
        f"FAMILIES (lint/rule_registry.py) has `{module}` in {family}, and there is no lint/rules/{family}/{module}.py."
        for family, module in sorted(listed - there)
    ]
    # What is not there cannot be looked into.
    return faults or list(_rule_faults())


def _rule_faults() -> Iterator[str]:
    """Yields what is wrong with the names, codes and kinds of the rules."""
    found = [
        (family, module, rule_module(module))
        for family in FAMILIES.values()
        for module in family.modules
    ]
    for family, module, code in found:
        if not hasattr(code, "RULE"):
            yield f"{module}.py defines no RULE."
        elif code.RULE.name != kebab_case(module):
            yield f"The rule of {module}.py has the name `{code.RULE.name}`, and should have `{kebab_case(module)}`."
        elif isinstance(code.RULE, FileRule) and (more := code.RULE.kinds - family.kinds):
            names = ", ".join(sorted(kind.name for kind in more))
            yield f"{module}.py checks files by themselves that its family does not: add {names} to its kinds in FAMILIES (lint/rule_registry.py)."
    coded = sorted((c.RULE.code, module) for _, module, c in found if hasattr(c, "RULE"))
    for code, group in groupby(coded, key=lambda pair: pair[0]):
        modules = [f"{module}.py" for _, module in group]
        if len(modules) > 1:
            yield f"{' and '.join(modules)} have the same code, {code}."
