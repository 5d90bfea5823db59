"""Report the linter's findings in the rule files that an agent has just edited.

The linter is too slow to load in a hook and may be slow on a large tree. So this module is also a
program, which prints findings in some files of a tree as JSON and gets a few seconds.
"""

import os
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from typing import Any, Final

from synapse_ls.engine.text_escaping import escape_text, neutralise_text
from synapse_ls.hooks.hook_call import HookCall, path_in_root
from synapse_ls.lint.rule_selection import Policy
from synapse_ls.storage import hook_log, plan_cache, program_start
from synapse_ls.storage.trusted_trees import find_changes, is_trusted
from synapse_ls.text import decoding, digest, fast_json
from synapse_ls.text.finding import Finding
from synapse_ls.text.line_index import LineIndex
from synapse_ls.workspace import regular_files, tree_search_upward
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.git_runner import GitError, find_git, run_git
from synapse_ls.workspace.linked_work_trees import find_git_folders
from synapse_ls.workspace.program_search import safe_environment
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_loader import load_tree

LINT_SECONDS: Final = 4.0  # clients give a hook five or more
MAX_FINDINGS: Final = 20  # findings that are told
MAX_LENGTH: Final = 400  # code points of one
MEMO_KIND: Final = "diagnosed"  # file -> [stamp, identities of its findings], in the cache folder
MAX_FILES: Final = 200  # files of a tree that are remembered
SEVERE_LEVELS: Final = ("error", "warning")
HEADING: Final = "Synapse LS found in the rule files that were just edited:"

_CODE: Final = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from synapse_ls.hooks.lint_feedback import main; main(sys.argv[2], sys.argv[3:])"
)


def lint_report(call: HookCall, edited: Iterable[str]) -> str:
    """Return the findings in the files at ``edited``, as the client spells them, as text; "" for
    nothing.
    """
    lines: list[str] = []
    # Root of a tree -> its files among `edited`: the nearest tree is the one that lints
    # them.
    trees: dict[str, list[str]] = {}
    for path in edited:
        full = os.path.join(call.event.cwd or call.root, path.replace("\\", os.sep))
        group_root = tree_search_upward.find_root(full)
        group_inner = path_in_root(group_root, full) if group_root else ""
        if group_root and group_inner and _is_served(group_root, call.root):
            trees.setdefault(group_root, []).append(group_inner)
    for root, paths in trees.items():
        inner = path_in_root(call.root, root)
        place = f"{inner}/" if inner else "" if root == call.root else f"{root}/"
        lines += [neutralise_text(f"{place}{line}") for line in _lint_tree(root, paths)]
    if not lines:
        return ""
    first_lines = lines[:MAX_FINDINGS]
    if len(lines) > MAX_FINDINGS:
        first_lines.append(f"… {len(lines) - MAX_FINDINGS} more: run `synapse check`.")
    return "\n".join((HEADING, *first_lines))


def _is_served(root: str, session_root: str) -> bool:
    """Return whether what the files of a tree say may come into a session that is served in
    another one: a tree that really lies outside of that one, or in another repository, or where a
    person names trees, has to be trusted.
    """
    if root == session_root:
        return True
    places = [os.path.realpath(place) for place in (root, session_root)]
    kept = {os.path.realpath(find_git_folders(place)[2]) for place in places}
    is_inside = len(kept) == 1 and bool(path_in_root(session_root, places[0]))
    is_served = is_trusted(root) or (is_inside and not is_trusted(session_root))
    return is_served and find_changes(root) is None


def _lint_tree(root: str, paths: list[str]) -> list[str]:
    memo = plan_cache.read_memo(root, MEMO_KIND)
    stamps = {path: regular_files.take_stamp(f"{root}/{path}") or "missing" for path in paths}
    # Another registration of the hook may have told of the same edit.
    new = [path for path in paths if stamps[path] != memo.get(path, (None,))[0]]
    if not new:
        return []
    if (findings := _run_linter(root, new)) is None:
        return [f"{path}: could not be checked in time; run `synapse check`." for path in new]
    lines = []
    for path in new:
        _, before = memo.get(path, (None, None))
        of_file = [finding for finding in findings if finding["path"] == path]
        for finding in of_file:
            # A mild one counts unless it was there when the file was last looked at, or the first
            # time at the last commit.
            is_new = not finding.get("is_committed", True)
            if before is not None:
                is_new = finding["identity"] not in before
            if finding["severity"] in SEVERE_LEVELS or is_new:
                fields = (
                    finding["severity"],
                    finding["code"],
                    finding["message"],
                    finding["remedy"],
                )
                place = f"{path}:{finding['line']}:{finding['column']}"
                line = escape_text(" ".join((place, *filter(None, fields))))
                lines.append(line if len(line) <= MAX_LENGTH else f"{line[:MAX_LENGTH]}…")
        memo.pop(path, None)
        memo[path] = [stamps[path], [finding["identity"] for finding in of_file]]
    plan_cache.write_memo(root, MEMO_KIND, dict(list(memo.items())[-MAX_FILES:]))
    return lines


def _run_linter(root: str, paths: list[str]) -> list[dict[str, Any]] | None:
    """Return the findings in ``paths``; None where the linter was too slow or could not be run."""
    try:
        done = subprocess.run(
            program_start.python_command(_CODE, root, *paths),
            env=safe_environment(root),  # it knows nothing of other projects in use
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=LINT_SECONDS,
            check=True,
        )
        findings = fast_json.loads(done.stdout.decode("utf-8", "replace"))
    except (OSError, subprocess.SubprocessError, fast_json.JsonError) as error:
        hook_log.log_error(error)
        return None
    listed = findings if isinstance(findings, list) else ()
    return [finding for finding in listed if isinstance(finding, dict)]


GIT_SECONDS: Final = 1.0


def main(root: str, paths: Sequence[str]) -> None:
    """Write the findings in ``paths``, which are relative to ``root``, to standard output."""
    program_start.enable_site_packages()
    from synapse_ls.lint.lint_runner import lint_file

    loaded = load_tree(root, LoadScope.ALL)
    tree = loaded.tree
    policy = Policy(tree.snapshot.config.lint, None, (), named_paths=paths)
    found = []
    for path in paths:
        facts = tree.snapshot.facts(path)
        lines = LineIndex(facts.text if facts else "")
        notes = [note for note in loaded.notes if note.path == path]
        findings = lint_file(tree, path, policy, notes)
        former = None
        if (
            any(finding.severity.value not in SEVERE_LEVELS for finding in findings)
            and (former_tree := _former_tree(root, tree, path)) is not None
        ):
            before = former_tree.snapshot.facts(path)
            former = {_identity(f, before) for f in lint_file(former_tree, path, policy)}
        for finding in findings:
            identity = _identity(finding, facts)
            line, column = lines.position(finding.span.start)
            found.append(
                {
                    "path": path,
                    "line": line + 1,
                    "column": column + 1,
                    "severity": finding.severity.value,
                    "code": finding.code,
                    "message": finding.message,
                    "remedy": finding.remedy,
                    "identity": identity,
                    "is_committed": former is None or identity in former,
                }
            )
    sys.stdout.buffer.write(fast_json.dumps(found, indent=None).encode("utf-8", "replace"))
    sys.stdout.flush()
    os._exit(0)  # a large tree takes longer to be taken apart than anybody would like to wait


def _identity(finding: Finding, facts: FileFacts | None) -> str:
    """Return what is the same for a finding while its line only moves."""
    text = facts.text if facts else ""
    start, end = finding.span
    line = text[text.rfind("\n", 0, start) + 1 : end].partition("\n")[0]
    return digest.hash_text(f"{finding.code} {finding.message} {line}")


def _former_tree(root: str, tree: Tree, path: str) -> Tree | None:
    """Return the tree with the text of a file at the last commit; None where there is none."""
    if not (git := find_git(root)):
        return None
    try:
        arguments = ("cat-file", "blob", f"HEAD:./{path}")
        output = run_git(git, arguments, root, time.monotonic() + GIT_SECONDS)
    except GitError:
        return None
    return Tree(tree.snapshot.with_text(path, decoding.decode_text(output.data).text))
