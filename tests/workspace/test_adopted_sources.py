"""Files of instructions that a tree refers to: domains, their rules, and the files they are in."""

from __future__ import annotations

from pathlib import Path

import pytest

from synapse_ls.workspace.adopted_sources import section_lines
from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_loader import load_tree, refresh_tree

GUIDE = """\
# Guide

- Never push to main.

## Testing

- Run the tests.

### Slow ones

- Run them at night.

Other
-----

- Use tabs.
"""


def load(root: Path, config: str, files: dict[str, str]) -> Tree:
    for path, text in {".synapse/config.toml": config, **files}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return Tree(load_tree(str(root), LoadScope.ALL).index.snapshot())


def adopt(path: str, more: str = "") -> str:
    return f'[[adopted]]\npath = "{path}"\n{more}\n'


def rules_by_domain(tree: Tree) -> dict[str, list[str]]:
    return {domain.label: [rule.text for rule in tree.rules_of(domain)] for domain in tree.domains}


def test_a_file_that_is_referred_to_is_a_domain_whose_rules_stay_there(tmp_path: Path) -> None:
    tree = load(tmp_path, adopt("CLAUDE.md"), {"CLAUDE.md": GUIDE})
    domain = tree.domains_by_label["CLAUDE_MD"]
    assert domain.file == "CLAUDE.md"
    assert domain.declaration is not None and domain.declaration.always_on
    for rule in tree.rules_of(domain):
        assert rule.text in GUIDE.splitlines()[rule.line]
    assert len(tree.rules_of(domain)) == 4


@pytest.mark.parametrize(
    ("part", "rules"),
    [
        ('heading = "Testing"', ["Run the tests.", "Run them at night."]),
        ('heading = "## testing"', ["Run the tests.", "Run them at night."]),
        ('heading = "Other"', ["Use tabs."]),
        ('heading = "Nowhere"', []),
        ('lines = "1-7"', ["Never push to main.", "Run the tests."]),
        ('heading = "Testing"\nlines = "9-99"', ["Run them at night."]),
    ],
)
def test_a_part_of_a_file_is_a_heading_or_lines(
    tmp_path: Path, part: str, rules: list[str]
) -> None:
    tree = load(tmp_path, adopt("CLAUDE.md", part), {"CLAUDE.md": GUIDE})
    assert list(rules_by_domain(tree).values()) == [rules]


def test_a_folder_stands_for_every_rule_file_in_it_new_ones_too(tmp_path: Path) -> None:
    config = adopt(".claude/rules") + adopt(".claude/rules/b.md", 'heading = "B"')
    files = {
        ".claude/rules/a.md": "- One.\n",
        ".claude/rules/b.md": "- Zero.\n\n# B\n\n- Two.\n",
        ".claude/rules/deep/README.md": "- Three.\n",
        ".claude/rules/notes.json": "{}",
    }
    load(tmp_path, config, files)
    loaded = load_tree(str(tmp_path), LoadScope.ALL)
    assert rules_by_domain(Tree(loaded.index.snapshot())) == {
        "A_MD": ["One."],
        "README_MD": ["Three."],
        "B_MD_B": ["Two."],
    }
    (tmp_path / ".claude/rules/c.md").write_text("- Four.\n", encoding="utf-8")
    refresh_tree(loaded, [".claude/rules/c.md"])
    assert rules_by_domain(Tree(loaded.index.snapshot()))["C_MD"] == ["Four."]


def test_files_of_one_name_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    paths = ("CLAUDE.md", "web/CLAUDE.md", "packages/web/CLAUDE.md")
    config = "".join(map(adopt, paths))
    tree = load(tmp_path, config, dict.fromkeys(paths, "- Same.\n"))
    labels = {domain.file: domain.label for domain in tree.domains}
    assert labels == {
        "CLAUDE.md": "CLAUDE_MD",
        "web/CLAUDE.md": "WEB_CLAUDE_MD",
        "packages/web/CLAUDE.md": "PACKAGES_WEB_CLAUDE_MD",
    }


@pytest.mark.parametrize(
    ("path", "front", "always", "paths"),
    [
        (".claude/rules/a.md", "", True, ()),
        (".claude/rules/a.md", "paths: src/a/**", False, ("src/a/**",)),
        (".cursor/rules/a.mdc", "globs: src/*.{ts,tsx}", False, ("src/*.ts", "src/*.tsx")),
        (".cursor/rules/a.mdc", "alwaysApply: true", True, ()),
        (".cursor/rules/a.mdc", "description: Tests", False, ()),
        (".clinerules/a.md", "", True, ()),
        (".clinerules/workflows/a.md", "", False, ()),
        ("web/AGENTS.md", "", False, ("web/**",)),
    ],
)
def test_a_rule_counts_when_its_file_says_so(
    tmp_path: Path, path: str, front: str, always: bool, paths: tuple[str, ...]
) -> None:
    text = f"---\n{front}\n---\n- One.\n" if front else "- One.\n"
    (domain,) = load(tmp_path, adopt(path), {path: text}).domains
    assert domain.declaration is not None
    assert (domain.declaration.always_on, domain.declaration.paths) == (always, paths)
    assert bool(domain.on_request) == (not always and not paths)


def test_what_the_configuration_says_of_a_scope_counts(tmp_path: Path) -> None:
    tree = load(tmp_path, adopt("CLAUDE.md", 'paths = ["src/**"]'), {"CLAUDE.md": GUIDE})
    declaration = tree.domains[0].declaration
    assert declaration is not None
    assert (declaration.paths, declaration.always_on) == (("src/**",), False)


def test_a_file_that_another_one_imports_from_a_hidden_folder_has_its_readers(
    tmp_path: Path,
) -> None:
    path = ".claude/guide.md"
    tree = load(tmp_path, adopt(path), {path: GUIDE, "CLAUDE.md": f"See @{path}\n"})
    assert "claude" in tree.domains[0].native


def test_a_domain_follows_its_file(tmp_path: Path) -> None:
    load(tmp_path, adopt("CLAUDE.md"), {"CLAUDE.md": "- Old.\n"})
    loaded = load_tree(str(tmp_path), LoadScope.ALL)
    before = Tree(loaded.index.snapshot())
    assert rules_by_domain(before) == {"CLAUDE_MD": ["Old."]}
    (tmp_path / "CLAUDE.md").unlink()
    refresh_tree(loaded, ["CLAUDE.md"])
    assert Tree(loaded.index.snapshot(), before, ["CLAUDE.md"]).domains == ()


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("```\n# A\n```\n\n# A\n\n- x\n", (4, 6)),
        ("- B\n\n      # A\n\n# A #\n- x\n", (4, 5)),
        ("<!--\n# A\n-->\n\nA\n=\n- x\n\n# B\n- y\n", (4, 7)),
    ],
)
def test_a_heading_is_one_to_commonmark(text: str, lines: tuple[int, int]) -> None:
    assert section_lines(text, "A") == lines
