/**
 * This module builds the fields of the simulation form (bracket, session, agent …) from what the
 * tree offers. Pure.
 */

import { l10n } from "vscode";
import type { Choice, Choices, Status } from "../protocol";
import type { FormField, FormFields, Simulation } from "./panelMessages";

/** The id that the server takes for "none". */
export const NONE_ID = "none";

/** Returns the fields of the form; `status` is the state without a simulation. */
export function simulationFields(
  choices: Choices,
  status: Status,
  simulation: Simulation,
): FormFields {
  const workflow = choices.workflows.find(({ id }) =>
    isSameId(id, simulation.workflow ?? status.workflow?.id),
  );
  const fields: FormField[] = [
    {
      name: "bracket",
      label: l10n.t("Bracket"),
      options: [
        { label: l10n.t("By the window left") },
        ...choices.brackets.map(({ name, label }) => ({
          value: name,
          label: l10n.t("{0} ({1} left)", name, label),
        })),
      ],
    },
    {
      name: "session",
      label: l10n.t("Session"),
      options: [
        currentOption(status.session?.title ?? status.session?.id),
        ...(status.session?.id ? [{ value: "", label: l10n.t("A new one") }] : []),
      ],
    },
    choiceField("agent", l10n.t("Agent"), status.agent?.id, choices.agents, "@"),
    choiceField("workflow", l10n.t("Workflow"), status.workflow?.id, choices.workflows),
    {
      name: "phase",
      label: l10n.t("Phase"),
      options: [
        currentOption(status.workflow?.phase),
        ...(workflow?.phases ?? []).map((phase) => ({ value: phase, label: phase })),
      ],
    },
    choiceField("task", l10n.t("Task"), status.task?.id, choices.tasks),
    choiceField("squad", l10n.t("Squad"), status.squad?.id, choices.squads),
  ];
  return {
    fields: fields.filter(({ options }) => options.length > 1),
    remaining: status.usage.remaining,
  };
}

function choiceField(
  name: FormField["name"],
  label: string,
  now: string | null | undefined,
  choices: readonly Choice[],
  prefix = "",
): FormField {
  return {
    name,
    label,
    options: [
      currentOption(now && `${prefix}${now}`),
      ...(now ? [{ value: NONE_ID, label: l10n.t("none") }] : []),
      ...choices.map(({ id, title }) => ({
        value: id,
        label: title === "" ? `${prefix}${id}` : `${prefix}${id} (${title})`,
      })),
    ],
  };
}

function currentOption(value: string | null | undefined): FormField["options"][number] {
  return { label: l10n.t("{0} (now)", value || l10n.t("none")) };
}

/**
 * Returns whether two ids are the same; files spell them with dashes, triggers with underscores.
 */
function isSameId(id: string, other: string | null | undefined): boolean {
  const plain = (text: string): string => text.toLowerCase().replace(/_/g, "-");
  return other !== null && other !== undefined && plain(id) === plain(other);
}
