"""The layers around a tree's configuration: files that it extends, and policies above it.

Where one of two values is stricter (`STRICTER_FIRST`, `LESS_IS_STRICTER`), the stricter counts.

Nothing is fetched or imported: an installed package is a folder among this Python's libraries, and
only files of it are read.
"""

import os
import site
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from synapse_ls.formats import config_file, policy_file
from synapse_ls.formats.config_file import Layer
from synapse_ls.formats.config_settings import AuditSettings, Config
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.line_index import LineIndex
from synapse_ls.text.phrases import code_text
from synapse_ls.workspace import outside_links, tree_folders, user_folders
from synapse_ls.workspace.file_reader import RefusedError, read_file, read_inside
from synapse_ls.workspace.policy_reader import policy_stamps, read_policies
from synapse_ls.workspace.regular_files import Stamp, take_change_stamp, take_stamp

_ENTRY = lazy_pattern(r"(?:(user):|(package):(?=[\w.-]+/))?((?:[\w@. -]+/)*[\w@. -]+\.toml)")
SEVERITY = "lint.severity"
MAX_EXTENDED = 20  # files that a configuration takes settings over from


@dataclass(frozen=True, slots=True)
class ConfigLayers:
    """extended: what each file of ``extends`` says, by the entry. policies: those that hold over
    the tree, the most powerful last. unread: the entries whose file cannot be read, so that what
    they may have said counts strictly. faults: a sentence for each entry that cannot be taken over
    as it is. stamps: of all that was looked at, by path from the root or absolute.
    """

    extended: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    policies: tuple[policy_file.Policy, ...] = ()
    unread: frozenset[str] = frozenset()
    faults: tuple[tuple[str, str], ...] = ()
    stamps: Mapping[str, Stamp | None] = field(default_factory=dict)

    def apply(self, document: Config) -> Config:
        """Return the configuration that holds where a tree has this one."""
        is_short = document.audit.megabytes < AuditSettings().megabytes
        if not (self.policies or document.extends or is_short):
            return document
        entries = [
            (f"{entry} (cannot be read)" if entry in self.unread else entry, values)
            for entry in document.extends
            if (values := self.extended.get(entry))
        ]
        layers = add_policies([*entries, (tree_folders.CONFIG, document.written)], self.policies)
        config = config_file.combine_layers(layers)
        return replace(
            config,
            lint=replace(
                config.lint,
                brackets=config.lint.brackets | document.lint.brackets,
                policy_severities=tuple(
                    policy.values[SEVERITY]
                    for policy in reversed(self.policies)
                    if SEVERITY in policy.values
                ),
            ),
            written=document.written,
            policy=" and ".join(policy.title for policy in self.policies),
        )


def add_policies(layers: Iterable[Layer], policies: Iterable[policy_file.Policy]) -> list[Layer]:
    """Return the layers with those of policies over them, the most powerful last, each without
    values that are less strict than what is written below it, and nothing of a setting below one
    of a policy: not in another name of a table either.
    """
    every = list(layers)
    below = {path: value for _, values in every for path, value in values.items()}
    # One log has the lines of all trees: none has less of it kept, nor a user than a policy wants.
    size, default = "audit.megabytes", AuditSettings().megabytes
    if below.get(size, default) < default:
        every.append(("", {size: default}))
        below[size] = default
    for policy in policies:
        strict = {p: v for p, v in policy.values.items() if _is_as_strict(p, v, below)}
        if policy.values.get("audit.enabled") and below.get(size, default) < default:
            strict.setdefault(size, default)
        below.update(strict)
        # Of severities the lint rules know whose hold: a lint rule has many selectors.
        every = [
            (name, {p: v for p, v in values.items() if p == SEVERITY or p not in strict})
            for name, values in every
        ]
        every.append((policy.title, strict))
    return every


def _is_as_strict(path: str, value: Any, below: Mapping[str, Any]) -> bool:
    """Return whether a setting of a policy holds over what is written below it."""
    if path not in below:
        return True
    if path in policy_file.LESS_IS_STRICTER:
        return bool(value <= below[path])
    rank = policy_file.STRICTER_FIRST.get(path)
    return rank is None or rank.index(value) <= rank.index(below[path])


def read_layers(root: str, document: Config) -> ConfigLayers:
    """Read what stands around a configuration of the tree in ``root``."""
    extended: dict[str, Mapping[str, Any]] = {}
    faults: list[tuple[str, str]] = []
    unread: set[str] = set()
    stamps: dict[str, Stamp | None] = policy_stamps()
    faults += [
        (entry, f"`{code_text(entry)}` is not taken over: only {MAX_EXTENDED} files are.")
        for entry in document.extends[MAX_EXTENDED:]
    ]
    for entry in dict.fromkeys(document.extends[:MAX_EXTENDED]):
        # What cannot be read may have said that the guard enforces.
        extended[entry] = config_file.unreadable_config().written
        unread.add(entry)
        try:
            path, key = _find_extended(root, entry)
            stamps[key] = take_change_stamp(path) if os.path.isabs(key) else take_stamp(path)
            content = read_file(path) if os.path.isabs(key) else read_inside(root, key)
        except RefusedError as refused:
            faults.append((entry, f"`{code_text(entry)}` is not taken over. {refused.sentence}"))
            continue
        if content is None:
            faults.append(
                (entry, f"`{code_text(entry)}` is not taken over, because there is no such file.")
            )
            continue
        text = content.decoded.text
        taken, problems = config_file.parse(text, is_extended=True)
        if not any(problem.kind == "invalid-toml" for problem in problems):
            extended[entry] = {k: v for k, v in taken.written.items() if k != "extends"}
            unread.remove(entry)
        if taken.extends:
            what = "has `extends` of its own, which has no effect: name those files here."
            faults.append((entry, f"`{code_text(entry)}` {what}"))
        lines = LineIndex(text)
        for problem in problems:
            line = lines.line_of(problem.span.start) + 1
            faults.append((entry, f"`{code_text(entry)}`, line {line}: {problem.message}"))
    return ConfigLayers(extended, read_policies(), frozenset(unread), tuple(faults), stamps)


def _find_extended(root: str, entry: str) -> tuple[str, str]:
    """Return the absolute path of a file of ``extends``, and how stamps call it. Raises
    RefusedError.
    """
    match = _ENTRY.fullmatch(entry)
    if match is None or any(part in ("..", ".") for part in match[3].split("/")):
        what = "It names no TOML file below the root, of `user:` or of `package:NAME/`."
        raise RefusedError("outside", what)
    user, package, path = match.groups()
    if user:
        full = os.path.join(user_folders.config_folder(), path)
        return full, full
    if not package:
        return os.path.join(root, path), path
    for folder in (*site.getsitepackages(), site.getusersitepackages()):
        full = os.path.join(folder, path)
        if os.path.isfile(full):
            if outside_links.find_outside_link(folder, path):
                raise RefusedError("outside", "It is a link that leads out of the package.")
            return full, full
    raise RefusedError("outside", "No installed package has that file.")


def effective_config(root: str, document: Config) -> Config:
    """Return the configuration that holds in the tree in ``root`` where its file says this."""
    return read_layers(root, document).apply(document)
