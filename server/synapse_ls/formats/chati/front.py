"""Front matter of Chati.dev's Markdown files: real YAML, whatever the line ends."""

from __future__ import annotations

from synapse_ls.formats.markdown import Outline
from synapse_ls.formats.problem import Problem
from synapse_ls.formats.yaml_tree import Node, parse_yaml


def front_matter(text: str, outline: Outline) -> tuple[Node | None, tuple[Problem, ...]]:
    """The mapping of a file's front matter, and the problems of its YAML; None where it has none."""
    if outline.front is None:
        return None, ()
    root, problems = parse_yaml(text, region=outline.front)
    return (root if root is not None and root.kind == "mapping" else None), problems
