"""The configuration in force for a project's tree, its faults, and its guard mode."""

from pathlib import Path
from typing import NamedTuple

from synapse_ls.engine import profiles
from synapse_ls.formats import config_file, config_settings, toml_document
from synapse_ls.guard.agent_action import ENFORCE, OFF
from synapse_ls.integrations.client_settings import PROJECT, Client, Surroundings
from synapse_ls.text.line_index import LineIndex
from synapse_ls.workspace.config_layers import effective_config, read_layers
from synapse_ls.workspace.file_reader import RefusedError, read_configuration_file


class ConfigurationFault(NamedTuple):
    """Something that is wrong with the configuration of a tree. kind: of the problem, as lint rules
    claim it. message: a sentence without a full stop. line counts from 1.
    """

    kind: str
    message: str
    remedy: str
    line: int


class EffectiveConfiguration(NamedTuple):
    """The configuration of a tree that is in force, and its faults; the defaults and none where
    there is no configuration.
    """

    config: config_settings.Config
    faults: tuple[ConfigurationFault, ...] = ()


def read_configuration(root: Path) -> EffectiveConfiguration:
    """Read the configuration of the tree in ``root``."""
    try:
        content = read_configuration_file(str(root))
    except RefusedError as refused:
        message = (
            f"{refused.sentence.removesuffix('.')}; where no hook has read it before, the defaults "
            "hold and the guard is strict"
        )
        return EffectiveConfiguration(
            effective_config(str(root), config_file.unreadable_config()),
            (ConfigurationFault(refused.kind, message, "Make it readable, or delete it.", 1),),
        )
    if content is None:
        return EffectiveConfiguration(effective_config(str(root), config_settings.Config()))
    text = content.decoded.text
    document, problems = config_file.parse(text)
    lines = LineIndex(text)
    faults = [
        ConfigurationFault(
            problem.kind,
            problem.message.removesuffix("."),
            problem.remedy or "Correct the value, or delete the line.",
            lines.line_of(problem.span.start) + 1,
        )
        for problem in problems
    ]
    layers = read_layers(str(root), document)
    config = layers.apply(document)
    for entry, sentence in layers.faults:
        line = lines.line_of(toml_document.key_positions(text)["extends",].value.start) + 1
        remedy = f"Correct `{entry}`, or take it out of `extends`."
        faults.append(ConfigurationFault("bad-config-value", sentence.rstrip("."), remedy, line))
    profile_names = profiles.profile_names(config.profiles)
    if document.profile and document.profile not in profile_names:
        message = f"There is no profile `{document.profile}`, so the default one holds"
        line = lines.line_of(toml_document.key_positions(text)["profile",].value.start) + 1
        remedy = f"Write one of {', '.join(profile_names)}."
        faults.append(ConfigurationFault("unknown-profile", message, remedy, line))
    return EffectiveConfiguration(config, tuple(faults))


def tree_guard_mode(around: Surroundings) -> str:
    """Return the guard mode of the project's tree by which the hook is registered; that of a new
    tree where there is none.
    """
    return read_configuration(around.root).config.guard.mode


def asks_guard(client: Client, scope: str, around: Surroundings) -> bool:
    """Return whether the hook is registered for the guard where nobody said so: unless the guard is
    off, and in shared settings that could cost others their tools only where it is enforced.
    """
    mode = tree_guard_mode(around)
    return mode == ENFORCE if scope == PROJECT and client.may_refuse_without_hook else mode != OFF
