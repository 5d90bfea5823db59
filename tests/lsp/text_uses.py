"""Which texts in a module's code are looked for in other texts, and which may be said."""

from __future__ import annotations

import ast

_SEARCHES = frozenset(
    [
        *("startswith", "endswith", "removeprefix", "removesuffix", "partition", "rpartition"),
        *("find", "rfind", "index", "count", "split", "rsplit", "replace", "strip"),
    ]
)
"""Methods of texts that look for their first argument."""
_PATTERNS = frozenset(
    ("compile", "search", "match", "fullmatch", "findall", "finditer", "split", "sub")
)
"""Functions of `re` whose first argument is a pattern."""
_COLLECTORS = frozenset(("frozenset", "set", "tuple", "list", "sorted", "map"))
"""What hands on the texts that it is given."""


class TextUses:
    """What becomes of the texts in the code of a module.

    A text is sought where everything that happens to it is seen, and is a comparison, a search or a
    quotation in backticks. In case of doubt it is said.
    """

    def __init__(self, tree: ast.Module) -> None:
        self.nodes: list[ast.AST] = [tree]
        self._parents: dict[ast.AST, ast.AST] = {}
        for node in self.nodes:  # grows meanwhile: from the outside to the inside
            for child in ast.iter_child_nodes(node):
                self._parents[child] = node
                self.nodes.append(child)
        self._loads: dict[str, list[ast.Name]] = {}
        for node in self.nodes:
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                self._loads.setdefault(node.id, []).append(node)

    def is_sought(self, node: ast.AST) -> bool:
        """Whether the value of an expression is only looked for."""
        parent = self._parents.get(node)
        match parent:
            case ast.Compare():
                return True
            case ast.Call():
                return self._is_sought_by(parent, node)
            case ast.Tuple() | ast.List() | ast.Set() | ast.Starred():
                return self.is_sought(parent)
            case ast.Dict(keys=keys):
                return any(key is node for key in keys) and self.is_sought(parent)
            case ast.FormattedValue():
                return self._is_quoted(parent)
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                module = self._parents[parent]
                return isinstance(module, ast.Module) and self._is_name_sought(name, module)
            case ast.For(target=ast.Name(id=name), iter=source) if source is node:
                return self._is_name_sought(name, parent)
            case ast.comprehension(target=ast.Name(id=name), iter=source) if source is node:
                return self._is_name_sought(name, self._parents[parent])
            case ast.Attribute(attr="items"):
                return self._are_keys_sought(self._parents[parent])
        return False

    def _are_keys_sought(self, items: ast.AST) -> bool:
        """Whether a loop over ``items``, the pairs of a table, only looks for the first of each pair."""
        loop = self._parents[items]
        match loop:
            case ast.For(target=ast.Tuple(elts=[ast.Name(id=name), *_]), iter=source):
                return source is items and self._is_name_sought(name, loop)
            case ast.comprehension(target=ast.Tuple(elts=[ast.Name(id=name), *_]), iter=source):
                return source is items and self._is_name_sought(name, self._parents[loop])
        return False

    def _is_sought_by(self, call: ast.Call, node: ast.AST) -> bool:
        """Whether a call only looks for what it is given as its argument ``node``."""
        match call.func:
            case ast.Name(id="len" | "lazy_pattern"):
                return True
            case ast.Name(id=name):
                return name in _COLLECTORS and self.is_sought(call)
            case ast.Attribute(value=ast.Name(id="re"), attr="escape"):
                return self.is_sought(call)
            case ast.Attribute(value=ast.Name(id="re"), attr=name):
                return name in _PATTERNS and node is call.args[0]
            case ast.Attribute(attr="join"):
                return self.is_sought(call)
            case ast.Attribute(attr=name):
                return name in _SEARCHES and node in call.args[:1]
        return False

    def _is_quoted(self, value: ast.FormattedValue) -> bool:
        """Whether a value stands in backticks, which say that it is somebody's own text."""
        sentence = self._parents[value]
        if not isinstance(sentence, ast.JoinedStr):
            return False
        position = sentence.values.index(value)
        before = sentence.values[position - 1] if position else None
        return isinstance(before, ast.Constant) and str(before.value).endswith("`")

    def _is_name_sought(self, name: str, scope: ast.AST) -> bool:
        uses = [use for use in self._loads.get(name, ()) if self._is_in(use, scope)]
        return bool(uses) and all(self.is_sought(use) for use in uses)

    def _is_in(self, node: ast.AST, scope: ast.AST) -> bool:
        outer: ast.AST | None = node
        while outer is not None and outer is not scope:
            outer = self._parents.get(outer)
        return outer is scope
