"""The settings in force in a tree, and the file that decided each."""

from collections.abc import Iterator
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from synapse_ls.formats import config_settings, policy_file
from synapse_ls.storage.policy_gate import read_gate
from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.tree_folders import CONFIG
from synapse_ls.workspace.tree_loader import load_tree


@dataclass(frozen=True, kw_only=True)
class PolicyFile:
    """A policy: `fault` says why it cannot be believed, so that the strictest values hold, with its
    other bounds that can be read.
    """

    name: str
    path: str
    fault: str | None


@dataclass(frozen=True, kw_only=True)
class SettingReport:
    """A setting that holds; `source` is the file that decided it, null for the default."""

    name: str
    value: Any
    source: str | None
    by_policy: bool


@dataclass(frozen=True, kw_only=True)
class PolicyReport:
    """What holds in a tree. `pins`: whether only pinned trees are served; `clients`: the only ones
    that are served, null for all.
    """

    root: str
    policies: list[PolicyFile]
    pins: bool
    clients: list[str] | None
    settings: list[SettingReport]


def policy_report(root: str) -> PolicyReport:
    """Return what holds in the tree in ``root``, and why."""
    snapshot = load_tree(root, LoadScope.PROMPT).index.snapshot()
    gate = read_gate()
    return PolicyReport(
        root=root,
        policies=[
            PolicyFile(name=policy.name, path=policy.path, fault=policy.fault or None)
            for policy in snapshot.layers.policies
        ],
        pins=gate.pins,
        clients=gate.clients,
        settings=list(setting_reports(snapshot.config, snapshot.layers.policies)),
    )


def setting_reports(config: config_settings.Config, policies: Any = ()) -> Iterator[SettingReport]:
    """Yield the settings of a configuration in the order of their documentation."""
    titles = {policy.title for policy in policies}
    for option in config_settings.CONFIG_OPTIONS:
        if option.path in policy_file.TREE_SETTINGS:
            continue
        if not (source := config.origins.get(option.path)) and option.path in config.written:
            source = CONFIG
        yield SettingReport(
            name=option.path,
            value=attrgetter(option.path)(config),
            source=source,
            by_policy=any(title in (source or "") for title in titles),
        )
