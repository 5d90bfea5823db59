"""Which folders Gemini CLI trusts, asked of Gemini CLI itself."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from string import Template

from synapse_ls.integrations.client_settings import Surroundings
from synapse_ls.integrations.gemini.settings import CLIENT
from tests.clients.client import Client
from tests.clients.conftest import client_of
from tests.clients.model import Model
from tests.clients.place import DEADLINE, Place

LISTS = (
    '{"$above": "TRUST_FOLDER", "$parent": "DO_NOT_TRUST"}',
    '{"$parent/other": "TRUST_PARENT", "$parent": "DO_NOT_TRUST"}',
    '{"${here}x": "TRUST_FOLDER"}',
    '{"$here": "DO_NOT_TRUST", "$link": "TRUST_FOLDER"}',
    '{"..": "TRUST_FOLDER"} // with a comment',
    '{"/elsewhere": "TRUST"}',
    '{"$here": "TRUST_FOLDER",}',
    '\ufeff{"$here": "TRUST_FOLDER"}',
)
"""One of each kind: every start takes seconds, and `tests/cli/doctor/test_trust.py` has the others."""
UNTRUSTED, BROKEN = "untrusted-folder", "broken-settings"


def said_by_gemini(client: Client, project: Path) -> list[str]:
    """What it says of a folder, as the doctor would."""
    done = subprocess.run(
        [client.program, "mcp", "list"],
        cwd=project,
        env={**client.place.environment, **client.environment()},
        capture_output=True,
        encoding="utf-8",
        timeout=DEADLINE,
    )
    if done.returncode:
        return [BROKEN]
    return [UNTRUSTED] if "this folder is untrusted" in done.stdout + done.stderr else []


def test_the_doctor_knows_which_folders_gemini_trusts(tmp_path: Path) -> None:
    project = tmp_path / "folders/project"
    (project / ".gemini").mkdir(parents=True)
    (project / ".gemini/settings.json").write_text(
        json.dumps({"mcpServers": {"a": {"command": "true"}}})
    )
    link = project.with_name("a-link-to-the-project")
    link.symlink_to(project)
    places = {"here": project, "link": link, "parent": project.parent, "above": tmp_path}
    known, told = {}, {}
    with Model() as model:
        client = client_of("gemini", Place(tmp_path / "place", model))
        home = client.place.home
        for text in LISTS:
            written = Template(text).substitute(places)
            (home / ".gemini/trustedFolders.json").write_text(written, encoding="utf-8")
            told[text] = said_by_gemini(client, project)
            troubles = CLIENT.find_troubles(CLIENT, Surroundings(project, home))
            known[text] = [trouble.code for trouble in troubles]
    assert known == told
    assert {tuple(one) for one in told.values()} == {(), (UNTRUSTED,), (BROKEN,)}
