"""Read the files of workflows for an activation, and detect a session's workflow (ADR-001 C8).

States, definitions, patterns, chains, and agents' commands. A detected workflow's rules are
injected if nobody has named a workflow.
"""

from synapse_ls.activation import agent_definition
from synapse_ls.activation.activation_files import TreeFiles
from synapse_ls.activation.loader_runner import UnavailableError
from synapse_ls.engine import situation, word_matching, workflow_detection
from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.engine.prompt_parser import Prompt
from synapse_ls.engine.workflow_route import ACTIVE, PAUSED
from synapse_ls.formats import workflow_definition, workflow_state
from synapse_ls.storage.program_start import enable_site_packages
from synapse_ls.workspace.activation_folders import YAML
from synapse_ls.workspace.naming_conventions import file_stem, kebab_case


def agent_commands(files: TreeFiles) -> dict[str, tuple[str, ...]]:
    """Return agent -> the names of its commands, from the files that define agents, for
    workflows.
    """
    return {
        agent.id: tuple(command.name for command in agent.commands)
        for agent in agent_definition.iter_agents(files)
    }


def workflow_patterns(files: TreeFiles) -> tuple[workflow_definition.WorkflowPattern, ...]:
    """Return the patterns that workflows are known by, from their files."""
    return tuple(
        pattern
        for path in files.places.get("patterns", ())
        for pattern in files.parse_file(
            "patterns",
            path,
            lambda text: workflow_definition.parse_patterns(text).document,
            tuple[workflow_definition.WorkflowPattern, ...],
        )
        or ()
    )


def command_chains(
    files: TreeFiles,
) -> tuple[tuple[str, tuple[workflow_definition.WorkflowChain, ...]], ...]:
    """Return the chains of commands that files of workflows have, by file."""
    chains = (
        (
            path,
            files.parse_file(
                "chains",
                path,
                lambda text: workflow_definition.parse_chains(text).document,
                tuple[workflow_definition.WorkflowChain, ...],
            ),
        )
        for path in files.places.get("chains", ())
    )
    return tuple((path, listed) for path, listed in chains if listed)


def find_definition(
    files: TreeFiles, plan: Plan, workflow: str
) -> tuple[str, workflow_definition.WorkflowDefinition] | None:
    """Find the definition of a workflow and its path: the file called so, else one that says it is.

    Else one that goes by the same name for rules, those first whose own name begins with it: of
    ``story_development`` that is the story-development-cycle before the development-cycle.
    """
    general = kebab_case(plan.workflow_id(workflow))
    slugs = {kebab_case(workflow), general}
    paths = tuple(files.iter_files("workflows", YAML))
    named = [path for path in paths if kebab_case(file_stem(path)) in slugs]
    alike: list[tuple[bool, str, workflow_definition.WorkflowDefinition]] = []
    for path in (*named, *(path for path in paths if path not in named)):
        try:
            definition = files.parse_file(
                "workflow",
                path,
                lambda text: workflow_definition.parse(text).document,
                workflow_definition.WorkflowDefinition,
            )
        except UnavailableError:
            continue
        if definition is None:
            continue
        id = kebab_case(definition.id.value if definition.id else file_stem(path))
        if path in named or id in slugs:
            return path, definition
        if kebab_case(plan.workflow_id(id)) == general:
            alike.append((not id.startswith(general), path, definition))
    return min(alike, key=lambda workflow: workflow[:2])[1:] if alike else None


def find_resting_state(
    files: TreeFiles, plan: Plan, workflow: str = ""
) -> tuple[str, workflow_state.WorkflowState] | None:
    """Find the newest state file of a workflow whose instance is not active, and its path; without
    a workflow, of all that are paused.

    Of a workflow with another name for the same rules only a paused one says where the work is.
    """
    general = plan.workflow_id(workflow)
    resting: list[tuple[bool, str, str, workflow_state.WorkflowState]] = []
    for path in files.iter_files("states", ("-state.yaml",)):
        try:
            state = read_state(files, path)
        except UnavailableError:
            continue
        if state is None or state.status not in workflow_state.STATUSES or state.status == ACTIVE:
            continue
        id = word_matching.slug_of(state.workflow_id)
        exact = id == word_matching.slug_of(workflow)
        named = exact or word_matching.slug_of(workflow) == general or state.status == PAUSED
        if named and general in ("", plan.workflow_id(id)) and (workflow or state.status == PAUSED):
            resting.append((exact, state.updated_at, path, state))
    return max(resting, key=lambda instance: instance[:3])[2:] if resting else None


def read_state(files: TreeFiles, path: str) -> workflow_state.WorkflowState | None:
    """Read the state file of a workflow's instance; None where another system keeps its state in
    another way.

    Raises UnavailableError where the file is gone or has no steps that can be read.
    """
    state = files.parse_file(
        "state",
        path,
        lambda text: workflow_state.parse(text).document,
        workflow_state.WorkflowState,
    )
    if state is None:
        raise UnavailableError(f"{path} is gone")
    if state.shape != "instance":
        return None
    if not state.steps:
        raise UnavailableError(f"{path} has no steps that can be read")
    return state


def with_recognised_workflow(plan: Plan, request: situation.Request) -> situation.Request:
    """Return the request with the workflow that the commands of the session and of this prompt
    belong to.
    """
    prompt = Prompt(request.prompt, agents=plan.agents, activations=plan.settings["activate"])
    if not (running := [command.name for command in prompt.commands]):
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
    detected = workflow_detection.detect_workflow(
        patterns, used, running=running, agent=agent, agent_commands=commands
    )
    if detected is None:
        return request.with_values(detected=("", ""))
    # Where as many commands speak for several, the one that the tree has rules for.
    likely = (detected.workflow, *detected.others)
    ruled = (
        workflow_id for workflow_id in likely if plan.workflow_id(workflow_id) in plan.by_workflow
    )
    phase = detected.state if detected.is_done and not detected.others else ""
    return request.with_values(detected=(next(ruled, detected.workflow), phase))
