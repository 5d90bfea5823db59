"""Recognise the workflow that the star-commands of a session belong to (ADR-001 C8),
so that its rules are told where nobody has named a workflow.

Only a prompt with a command loads it, and only in a tree with workflow patterns.
"""

from __future__ import annotations

from synapse_ls.activation.activation_loaders import UnavailableError
from synapse_ls.activation.tree_files import TreeFiles
from synapse_ls.activation.workflow_files import agent_commands, workflow_patterns
from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.engine.situation import Request
from synapse_ls.engine.user_prompt import Prompt
from synapse_ls.engine.workflow_detection import detect_workflow
from synapse_ls.storage.program_start import enable_site_packages


def with_recognised_workflow(plan: Plan, request: Request) -> Request:
    """Return the request with the workflow that the commands of the session and of this prompt
    belong to.
    """
    prompt = Prompt(request.prompt, agents=plan.agents, activations=plan.settings["activate"])
    running = [command.name for command in prompt.commands]
    if not running:
        return request
    session = request.session
    before = session.history.star_commands if session else ()
    used = [name for name in before if name not in running] + running
    agent = plan.find_agent(
        request.agent or prompt.agent or (session.agent.id if session else "") or ""
    )
    enable_site_packages()
    files = TreeFiles.of_plan(plan)
    try:
        patterns, commands = workflow_patterns(files), agent_commands(files)
    except UnavailableError:
        return request
    files.save_memo()
    detected = detect_workflow(
        patterns, used, running=running, agent=agent, agent_commands=commands
    )
    if detected is None:
        return request.with_values(detected=("", ""))
    # Where as many commands speak for several, the one that the tree has rules for.
    likely = (detected.workflow, *detected.others)
    ruled = (
        workflow_id for workflow_id in likely if plan.workflow_id(workflow_id) in plan.by_workflow
    )
    is_certain = detected.is_done and not detected.others
    phase = detected.state if is_certain else ""
    return request.with_values(detected=(next(ruled, detected.workflow), phase))
