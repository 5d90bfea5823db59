"""This module parses ``chati.dev/config.yaml``: what was installed, for which project, in which
language.
"""

from __future__ import annotations

from dataclasses import dataclass

from synapse_ls.formats.chati.field_schema import SchemaChecker, SchemaField
from synapse_ls.formats.chati.session_file import LANGUAGES
from synapse_ls.formats.yaml_tree import YamlNode, parse_yaml
from synapse_ls.text.parse_result import ParseResult, Text

_VERSION = r"\d+\.\d+\.\d+"
FIELDS = (
    SchemaField("version", required=True, pattern=_VERSION, example="2.0.1"),
    SchemaField("installed_at", "time"),
    SchemaField("updated_at", "time"),
    SchemaField("installer_version", pattern=_VERSION, example="2.0.1"),
    SchemaField("project_type", words=("greenfield", "brownfield")),
    SchemaField("language", words=LANGUAGES),
    SchemaField("ides", "list"),
    SchemaField(
        "providers",
        "mapping",
        value_fields=(SchemaField("enabled", "flag"), SchemaField("primary", "flag")),
    ),
    SchemaField(
        "agent_overrides", "mapping", value_fields=(SchemaField("provider"), SchemaField("model"))
    ),
)


@dataclass(frozen=True, slots=True)
class ConfigDocument:
    """A ConfigDocument is a parsed ``config.yaml``; ``project_type`` and ``language`` are None
    where the file does not say.
    """

    version: str
    project_type: Text | None
    language: Text | None
    root: YamlNode | None


def parse(text: str) -> ParseResult[ConfigDocument]:
    """Parses Chati.dev's ``config.yaml``. Problem kinds: those of `parse_yaml`, and
    ``invalid-chati-config``.
    """
    root, problems = parse_yaml(text)
    if root is None or root.kind != "mapping":
        return ParseResult(ConfigDocument("", None, None, root), problems)
    checker = SchemaChecker(
        "invalid-chati-config", "agents may be told the wrong thing about the project"
    )
    found = sorted(
        (*problems, *checker.check_fields(root, FIELDS)), key=lambda problem: problem.span
    )
    document = ConfigDocument(
        root.scalar("version"), root.text("project_type"), root.text("language"), root
    )
    return ParseResult(document, tuple(found))
