"""A story's status is none that is known.

## What it does

Reports a status in which no word of the lifecycle is found: draft, ready, in progress, in review,
done or blocked, each in several spellings, in English or Portuguese. Only stories are looked at:
files called `*.story.md`, `story-…` or by a number such as `1.1`, or whose title says that they are
one. Epics, decisions and reports beside them have words of their own, and a story that was called
off needs none.

## Why it matters

Whoever reads the story, agents included, does not learn its state.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- docs/stories/1.1.story.md --
# Story 1.1: Login

**Status:** Almost there
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- docs/stories/1.1.story.md --
# Story 1.1: Login

**Status:** In Progress
```

## Evidence

The story lifecycle of SynkraAI/aios-core: Draft, Ready, InProgress, InReview, Done. Its template
has Approved and Review; both are known."""

import re
from collections.abc import Iterator

from synapse_ls.formats.story_file import StoryDocument
from synapse_ls.lint.fixes import word_fix
from synapse_ls.lint.lint_rule import FileFacts
from synapse_ls.text.edit_distance import choice_remedy, nearest_choice
from synapse_ls.text.finding import Finding
from synapse_ls.text.lazy_pattern import lazy_pattern

_STATUSES = ("Draft", "Ready", "In Progress", "In Review", "Done", "Blocked")
_STORY_FILE = lazy_pattern(
    r"(?!.*(?:backlog|index))"
    r"(?:(?:.*[.\-_ ])?(?:story|hist[oó]ria)(?:[.\-_ ].*)?\.md|\d+[.\-_]\d.*\.md)",
    re.IGNORECASE,
)
_STORY_TITLE = lazy_pattern(
    r"#\W*(?:user\s+)?(?:story|hist[oó]ria)(?:\s+[\w.-]*\d|\s*[:—–-])", re.IGNORECASE
)
_CALLED_OFF = lazy_pattern(
    r"\W*(?:cancel|abandon|declin|supersed|deprecat|deferred|obsolet|archived|wont|won't|rejected|"
    r"substitu|adiad|arquivad|rejeitad)",
    re.IGNORECASE,
)


def check(facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for a story whose status is not a known one."""
    if not isinstance(story := facts.document, StoryDocument) or not story.status or story.state:
        return
    if story.status_span and _is_story(facts) and not _CALLED_OFF.match(story.status):
        near = nearest_choice(story.status, _STATUSES)
        span = story.status_span
        yield Finding(
            span,
            f"`{story.status}` is no known status, so the state of the story is unknown.",
            choice_remedy(story.status, _STATUSES),
            word_fix(facts, span, near) if near else None,
        )


def _is_story(facts: FileFacts) -> bool:
    """Return whether the file's name or its title says that it is a story."""
    name = facts.path.rpartition("/")[2]
    title = next((line for line in facts.text.splitlines() if line.startswith("# ")), "")
    return bool(_STORY_FILE.fullmatch(name) or _STORY_TITLE.match(title))
