"""``chati.dev/config.yaml``: what was installed, for which project, in which language."""

from __future__ import annotations

from dataclasses import dataclass

from synapse_ls.formats.chati.schema import Checker, Field
from synapse_ls.formats.chati.session import LANGUAGES
from synapse_ls.formats.problem import Parsed, Text
from synapse_ls.formats.yaml_tree import Node, parse_yaml

_VERSION = r"\d+\.\d+\.\d+"
FIELDS = (
    Field("version", required=True, pattern=_VERSION, like="2.0.1"),
    Field("installed_at", "time"),
    Field("updated_at", "time"),
    Field("installer_version", pattern=_VERSION, like="2.0.1"),
    Field("project_type", words=("greenfield", "brownfield")),
    Field("language", words=LANGUAGES),
    Field("ides", "list"),
    Field("providers", "mapping", every=(Field("enabled", "flag"), Field("primary", "flag"))),
    Field("agent_overrides", "mapping", every=(Field("provider"), Field("model"))),
)


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """``project_type`` and ``language`` are None where the file does not say."""

    version: str
    project_type: Text | None
    language: Text | None
    root: Node | None


def parse(text: str) -> Parsed[ConfigFile]:
    """Read the configuration. Problem kinds: those of `parse_yaml`, and ``invalid-chati-config``."""
    root, problems = parse_yaml(text)
    if root is None or root.kind != "mapping":
        return Parsed(ConfigFile("", None, None, root), problems)
    checker = Checker(
        "invalid-chati-config", "agents may be told the wrong thing about the project"
    )
    found = sorted((*problems, *checker.check(root, FIELDS)), key=lambda problem: problem.span)
    document = ConfigFile(
        root.scalar("version"), root.text("project_type"), root.text("language"), root
    )
    return Parsed(document, tuple(found))
