/** What a person can try out, from what the tree knows. Pure. */

import { l10n } from "vscode";
import type { Choice, Choices, Status } from "../protocol";
import type { Field, Form, Simulation } from "./messages";

/** What the server takes for nobody and nothing. */
export const NONE = "none";

/** `now` is the state without anything tried out. */
export function formOf(choices: Choices, now: Status, simulation: Simulation): Form {
  const workflow = choices.workflows.find(({ id }) =>
    same(id, simulation.workflow ?? now.workflow?.id),
  );
  const fields: Field[] = [
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
        asNow(now.session?.title ?? now.session?.id),
        ...(now.session?.id ? [{ value: "", label: l10n.t("A new one") }] : []),
      ],
    },
    field("agent", l10n.t("Agent"), now.agent?.id, choices.agents, "@"),
    field("workflow", l10n.t("Workflow"), now.workflow?.id, choices.workflows),
    {
      name: "phase",
      label: l10n.t("Phase"),
      options: [
        asNow(now.workflow?.phase),
        ...(workflow?.phases ?? []).map((phase) => ({ value: phase, label: phase })),
      ],
    },
    field("task", l10n.t("Task"), now.task?.id, choices.tasks),
    field("squad", l10n.t("Squad"), now.squad?.id, choices.squads),
  ];
  return {
    fields: fields.filter(({ options }) => options.length > 1),
    remaining: now.usage.remaining,
  };
}

function field(
  name: Field["name"],
  label: string,
  now: string | null | undefined,
  choices: readonly Choice[],
  prefix = "",
): Field {
  return {
    name,
    label,
    options: [
      asNow(now && `${prefix}${now}`),
      ...(now ? [{ value: NONE, label: l10n.t("none") }] : []),
      ...choices.map(({ id, title }) => ({
        value: id,
        label: title === "" ? `${prefix}${id}` : `${prefix}${id} (${title})`,
      })),
    ],
  };
}

function asNow(value: string | null | undefined): Field["options"][number] {
  return { label: l10n.t("{0} (now)", value || l10n.t("none")) };
}

/** Ids are spelled with dashes in files and with underscores in triggers. */
function same(id: string, other: string | null | undefined): boolean {
  const plain = (text: string): string => text.toLowerCase().replace(/_/g, "-");
  return other !== null && other !== undefined && plain(id) === plain(other);
}
