"""A rule file belongs to no domain.

## What it does

Reports files in a tree's folder that no domain of its manifest is named after. A file that is
probably meant for a domain without a file is reported at that domain instead. Where the folder has
no manifest that can be read, its first file is reported for all of them, unless a
`manifest.template` is there. Of two files that are
named after one domain, the one that is not read is reported. A file without a rule, and a page of
Markdown that only explains something (it has tables or code, and orders nothing), are passed over.

## Why it matters

Nothing can activate the file, so none of its rules are ever injected.

## Example

```bad
-- .synapse/manifest --
TESTING_STATE=active
TESTING_RECALL=unit test
-- .synapse/testing --
TESTING_RULE_0=Write the failing test first.
-- .synapse/house-style --
HOUSE_STYLE_RULE_0=Write British English.
```

```good
-- .synapse/manifest --
TESTING_STATE=active
TESTING_RECALL=unit test
HOUSE_STYLE_STATE=active
HOUSE_STYLE_ALWAYS_ON=true
-- .synapse/testing --
TESTING_RULE_0=Write the failing test first.
-- .synapse/house-style --
HOUSE_STYLE_RULE_0=Write British English.
```

## Evidence

ADR-001 A6: the manifest is the registry of domains. The SYNAPSE reference tree itself once carried
an unregistered `my-custom-rules`.
"""

from collections.abc import Iterator

from synapse_ls.formats.domain_file import RulesDocument
from synapse_ls.formats.instruction_rules import is_strict
from synapse_ls.formats.markdown_outline import parse_outline
from synapse_ls.lint.lint_rule import FileFacts, Tree
from synapse_ls.lint.tree_lookups import first_line_span, misnamed_rule_files, parent_folder
from synapse_ls.text.edit_distance import edit_distance
from synapse_ls.text.finding import Finding, Related
from synapse_ls.workspace import naming_conventions
from synapse_ls.workspace.tree_folders import CARL, CARL_FILE


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for a file that no domain claims."""
    home = tree.home_of(facts.path)
    if facts.path in home.domains_by_file or facts.path in misnamed_rule_files(home).values():
        return
    folder = parent_folder(facts.path)
    if tree.manifest_path == CARL_FILE and folder == tree.folder:
        yield Finding(
            first_line_span(facts),
            "CARL v2 reads `carl.json` and no other file, so none of these rules are injected.",
            "Delete the file, or `carl.json` where this is what is wanted.",
        )
        return
    if tree.snapshot.facts(f"{folder}/manifest") is None:
        # The finding of a folder that has rules and no manifest, for one of its files.
        strays = [path for path in home.orphan_files if parent_folder(path) == folder]
        paths = [
            path
            for path in strays
            if edit_distance(naming_conventions.rule_file_stem(path).casefold(), "manifest", 2) <= 2
        ]
        if paths[:1] == [facts.path]:
            yield Finding(
                first_line_span(facts),
                f"This file is called `{facts.path.rpartition('/')[2]}` and not `manifest`, so it "
                f"is not read, and nothing in `{folder}` is injected.",
                "Rename it to `manifest`.",
            )
        elif (
            not paths
            and strays[:1] in ([], [facts.path])
            and not tree.snapshot.facts(f"{folder}/manifest.template")
        ):
            # The finding, once for a folder, for rule files without any manifest.
            count = len(strays)
            files = (
                f"none of the {count} rule files in the folder is ever injected"
                if count > 1
                else "this rule file is never injected"
            )
            yield Finding(
                first_line_span(facts),
                f"There is no {folder}/manifest that can be read, so {files}.",
                f"Create it with lines such "
                f"as {naming_conventions.domain_of_file(facts.path)}_STATE=active.",
            )
        return
    domain = naming_conventions.domain_of_file(facts.path)
    found_as = naming_conventions.domain_file_names(domain, folder)
    is_named_so = (
        naming_conventions.rule_file_stem(facts.path) in found_as or domain in tree.domains_by_label
    )
    instead = next((d.file for d in home.domains if d.name == domain and d.file), None)
    if folder == CARL and not is_named_so:
        yield Finding(
            first_line_span(facts),
            f"CARL looks for {domain} in `{found_as[0]}`, so none of these rules are injected.",
            f"Rename the file to `{found_as[0]}`, and declare {domain} in the manifest.",
        )
    elif instead:
        # The finding for a second file of a domain, of which only one is read.
        place = first_line_span(tree.snapshot.facts(instead))
        name = instead.rpartition("/")[2]
        yield Finding(
            first_line_span(facts),
            f"`{name}` is read for {domain} instead of this file, so none of these rules are "
            "injected.",
            f"Move what is worth keeping to `{name}`, and delete this file.",
            related=(Related(instead, place, f"This file is read for {domain}."),),
        )
    elif not _only_explains(facts):
        yield Finding(
            first_line_span(facts),
            f"No domain of the manifest is called {domain}, so none of these rules are injected.",
            f"Declare {domain} in the manifest with what activates it, or delete the file.",
        )


def _only_explains(facts: FileFacts) -> bool:
    """Return whether a file has no rules that anybody could miss: none at all, or a page of
    Markdown that shows tables or code and orders nothing.
    """
    if not isinstance(document := facts.document, RulesDocument):
        return False
    if not document.rules:
        return True
    if document.mode == "keyvalue" or not facts.path.lower().endswith(".md"):
        return False
    lines = [line for section in parse_outline(facts.text).sections for line in section.lines]
    shows = any(line.fence is not None or line.text.lstrip().startswith("|") for line in lines)
    return shows and not any(is_strict(line.text) for line in lines if line.fence is None)
