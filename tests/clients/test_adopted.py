"""Rules that a client's own file had reach the model once, after one command."""

from __future__ import annotations

import pytest

from tests.clients.client import program
from tests.clients.conftest import client_of
from tests.clients.model import Model
from tests.clients.place import Place
from tests.clients.registry import CLIENTS

FOUND = [name for name in CLIENTS if program(name)]
RULES = ("Answer in English", "Never edit generated code", "Tabs and never spaces")
FILES = {
    **dict.fromkeys(
        ("CLAUDE.md", "GEMINI.md"),
        "# Service\n\n## Build\n\n```sh\nmake it\n```\n\n## Style\n\n"
        f"- {RULES[0]}\n- {RULES[1]}\n@docs/style.md\n",
    ),
    "AGENTS.md": f"# Service\n\n- {RULES[0]}\n- {RULES[1]}\n\n```sh\nmake it\n```\n",
    ".github/copilot-instructions.md": f"- {RULES[1]}\n",
    ".cursor/rules/style.mdc": f"---\nalwaysApply: true\n---\n- {RULES[2]}\n",
    "docs/style.md": f"- {RULES[2]}\n",
}


@pytest.mark.parametrize("name", FOUND or list(CLIENTS))
@pytest.mark.parametrize("replacing", [True, False])
def test_what_was_taken_over_is_told_once(
    name: str, replacing: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    if not FOUND:
        pytest.skip("there is no client in SYNAPSE_LS_CLIENTS; scripts/test-clients looks for them")
    with Model() as model:
        place = Place(tmp_path_factory.mktemp(name), model, {})
        for path, text in FILES.items():
            (place.project / path).parent.mkdir(parents=True, exist_ok=True)
            (place.project / path).write_text(text)
        client = client_of(name, place)
        place.synapse("init", "--client", name, *["--replace-adopted"] * replacing)
        client.trust()
        client.ask("Say hello")
        (asked,) = model.turns
        counts = {rule: asked.text.count(rule) for rule in RULES}
        if not replacing:
            assert max(counts.values()) > 1, "the client reads its own file, too"
            return
        assert counts == dict.fromkeys(RULES, 1)
        assert "make it" in asked.text
        place.synapse("uninstall")
        for path, text in FILES.items():
            assert (place.project / path).read_text() == text
