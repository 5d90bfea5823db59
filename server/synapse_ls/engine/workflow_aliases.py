"""This module lists the aliases of workflows: ids and phases that go by several names.

Rule trees use the ids of the framework's workflow patterns; workflow files and their states
use their own. Both spellings are the public framework's; a project adds its own under
``[workflow.aliases]`` and ``[workflow.phases]``.
"""

from __future__ import annotations

WORKFLOWS = {
    "story_development_cycle": "story_development",
    "development_cycle": "story_development",
    "story_dev": "story_development",
    "sdc": "story_development",
    "epic_orchestration": "epic_creation",
    "epic_create": "epic_creation",
    "arch_review": "architecture_review",
}

PHASES = {
    "story_development": {
        "create": "draft",
        "create_story": "draft",
        "validate": "validated",
        "validate_story": "validated",
        "implement": "in_development",
        "implement_story": "in_development",
        "review": "qa_review",
        "complete": "push_ready",
        "story_complete": "push_ready",
    },
}
