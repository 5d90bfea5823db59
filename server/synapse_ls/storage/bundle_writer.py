"""Write the bundle file of `bytecode_bundle`: add the modules that a process imported from sources.

They are compiled again, since a ``.pyc`` has no digest that would show damage. Docstrings and
annotations are omitted.
"""

from __future__ import annotations
import __future__

import ast
import os
import sys
from collections.abc import Iterator, Mapping
from marshal import dumps
from types import CodeType
from typing import Final

from synapse_ls.storage import bytecode_bundle
from synapse_ls.storage.atomic_files import ANYWHERE, StorageError, atomic_write, remove_file

_FLAG: Final = ast.dump(ast.Name("TYPE_CHECKING", ast.Load()))
# Of these a class has its fields by its annotations.
_TYPED_BASES: Final = frozenset(("NamedTuple", "Record", "TypedDict"))


def save_imported(bundle: bytecode_bundle.Bundle) -> None:
    """Add the modules that were imported from their sources to the bundle file.

    Without them all works, if slower: where the file cannot be written, nothing is raised.
    """
    ours = [name for name in tuple(sys.modules) if bytecode_bundle.is_ours(name)]
    compiled = {name: module for name in ours if (module := _compile_module(name))}
    if not compiled:
        return
    content = _encode_bundle({**bundle.held_parts(), **compiled})
    bundle.close()  # Windows replaces no file that is open
    try:
        atomic_write(bytecode_bundle.BUNDLE_FILE, content, within=ANYWHERE, mode=0o644)
    except (OSError, StorageError):
        return


def remove_bundle() -> bool:
    """Remove the bundle file, so that the next process makes it anew; return whether it is gone."""
    try:
        remove_file(bytecode_bundle.BUNDLE_FILE, within=ANYWHERE)
    except (OSError, StorageError):
        return False
    return True


def _encode_bundle(modules: Mapping[str, tuple[bytecode_bundle.BundleSource, bytes]]) -> bytes:
    """Return the content of the bundle file for ``modules``: name -> its source and its part."""
    entries: dict[str, bytecode_bundle.BundleEntry] = {}
    start = 0
    for name, (source, data) in modules.items():
        entries[name] = (*source, start, len(data), bytecode_bundle.digest_of(data))
        start += len(data)
    head = dumps((bytecode_bundle.BUNDLE_VERSION, entries))
    length = (len(head) + bytecode_bundle.DIGEST_BYTES).to_bytes(
        bytecode_bundle.LENGTH_BYTES, "little"
    )
    parts = (data for _, data in modules.values())
    return b"".join((length, bytecode_bundle.digest_of(head), head, *parts))


def _compile_module(name: str) -> tuple[bytecode_bundle.BundleSource, bytes] | None:
    """Return the source and the part of an imported module; None if it came from the bundle or
    cannot be put into it.
    """
    spec = sys.modules[name].__spec__
    if spec is None or not isinstance(spec.loader, bytecode_bundle.SourceLoader):
        return None
    file = spec.loader.path
    try:
        # Before the source is read: what changes in between is another one.
        status = os.stat(file)
        tree = ast.parse(spec.loader.get_data(file), file)
        part = dumps((tuple(dict.fromkeys(_imported_modules(tree))), _compile_slim(tree, file)))
    except (OSError, SyntaxError, ValueError):
        return None
    return (spec.submodule_search_locations is not None, status.st_mtime_ns, status.st_size), part


def _imported_modules(tree: ast.Module) -> Iterator[str]:
    """Yield the modules of this package that the module ``tree`` imports at its top, and before
    each the packages around it.
    """
    for node in tree.body:
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        else:
            continue
        for name in names:
            parts = name.split(".")
            if parts[0] == bytecode_bundle.PACKAGE:
                above = [".".join(parts[:count]) for count in range(2, len(parts) + 1)]
                yield from filter(_is_module, above)


def _is_module(name: str, kinds: tuple[bool, ...] = (False, True)) -> bool:
    return any(
        bytecode_bundle.is_file(bytecode_bundle.source_file(name, is_package))
        for is_package in kinds
    )


def _compile_slim(tree: ast.Module, file: str) -> CodeType:
    """Return the code of the module ``tree`` without the docstrings of its functions and classes,
    annotations that nobody reads, what stands below ``if TYPE_CHECKING``, and import that a lookup
    can stand for. It changes ``tree``.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt | ast.expr):  # lines say enough; columns are read each time
            node.end_lineno, node.col_offset, node.end_col_offset = node.lineno, -1, -1
        if isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            if ast.get_docstring(node, clean=False) is not None:
                node.body[:1] = [] if node.body[1:] else [ast.Pass()]
            if not isinstance(node, ast.ClassDef):
                node.returns = None
            elif node.decorator_list:
                # A dataclass without a docstring makes one of its signature, which takes a quarter
                # of its time.
                node.body.insert(0, ast.Expr(ast.Constant(" ")))
            elif not _TYPED_BASES.intersection(map(_name_of, node.bases)):
                _strip_annotations(node)
    _strip_annotations(tree)
    tree.body = [new for statement in tree.body for new in _lookups_for(statement)]
    for statement in tree.body:
        if isinstance(statement, ast.If) and ast.dump(statement.test) == _FLAG:
            statement.body = [ast.Pass()]
    flags = __future__.annotations.compiler_flag
    tree = ast.fix_missing_locations(tree)
    code: CodeType = compile(tree, file, "exec", flags=flags, dont_inherit=True)
    return code


def _lookups_for(statement: ast.stmt) -> list[ast.stmt]:
    """Return what stands for a statement: lookups where it imports from a module of this package
    (an ``import`` of what is loaded takes Python 3.11 ten times as long), nothing for that of
    ``__future__``. What a package has may be a module of its own tomorrow, so its imports stay.
    """
    if not isinstance(statement, ast.ImportFrom) or not statement.module:
        return [statement]
    if statement.module == "__future__":
        return []
    if not statement.module.startswith(bytecode_bundle.PREFIX) or not _is_module(
        statement.module, (False,)
    ):
        return [statement]
    lookups: list[ast.stmt] = []
    for alias in statement.names:
        source = f"{bytecode_bundle.MODULES}[{statement.module!r}].{alias.name}"
        lookup = ast.parse(f"{alias.asname or alias.name} = {source}").body[0]
        for node in ast.walk(lookup):
            ast.copy_location(node, statement)
        lookups.append(lookup)
    return lookups


def _name_of(base: ast.expr) -> str:
    return base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", "")


def _strip_annotations(node: ast.Module | ast.ClassDef) -> None:
    """Leave the values of annotated names, and drop names that have none."""
    body: list[ast.stmt] = []
    for statement in node.body:
        if not isinstance(statement, ast.AnnAssign):
            body.append(statement)
        elif statement.value is not None:
            without = ast.Assign([statement.target], statement.value)
            body.append(ast.copy_location(without, statement))
    node.body = body or [ast.Pass()]
