"""Where the work of an answer's session is, for whoever shows a state."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from synapse_ls.activation.files import KIND, Files
from synapse_ls.activation.loaders import UnavailableError
from synapse_ls.activation.occasion import history_of
from synapse_ls.activation.whereabouts import Whereabouts, at_rest, find, roughly
from synapse_ls.service import cache

if TYPE_CHECKING:
    from typing import Any

    from synapse_ls.service.answer import Answer


def whereabouts(answer: Answer) -> Whereabouts | None:
    """Where the work is, what is next and who does it; None where nothing is under way."""
    situation, plan = answer.assembly.situation, answer.plan
    history = history_of(answer.session, situation.agent, time.time())
    is_busy = situation.workflow or history.used or situation.story or situation.agent
    files = Files(plan.root, plan.settings.get("places", {}), cache.read_memo(plan.root, KIND))
    try:
        found = (
            at_rest(files, plan, situation)
            if not is_busy
            else find(files, plan, situation, used=history.used, running=history.running)
        )
    except UnavailableError as error:
        rough = roughly(situation)
        return replace(rough, notes=(str(error),)) if rough else None
    if files.is_changed:
        cache.write_memo(plan.root, KIND, files.kept())
    return found


def navigation_report(answer: Answer) -> dict[str, Any] | None:
    """The same as plain values."""
    found = whereabouts(answer)
    return found.report() if found else None
