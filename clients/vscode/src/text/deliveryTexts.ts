/** This module words when the hook last handed something over, and what keeps it from that. Pure. */

import { l10n } from "vscode";
import { clientTitle } from "../hooks/installChoices";
import type { Status } from "../protocol";
import { formatTime } from "./timeText";

/** An older server does not report it. */
type Delivery = Status["delivery"] | undefined;

export interface DeliveryTrouble {
  readonly sentence: string;
  readonly remedy: string;
}

/** Returns when something was last injected for an agent; "" where that is not known. */
export function lastDelivery(delivery: Delivery, now: number, locale: string): string {
  if (delivery === undefined) {
    return "";
  }
  const { last, client } = delivery;
  return last === null
    ? l10n.t("never")
    : l10n.t("{0} ({1})", formatTime(last, now, locale), clientTitle(client ?? ""));
}

/** Returns what keeps rules from agents, and what to do; undefined where nothing shows that. */
export function deliveryTrouble(delivery: Delivery): DeliveryTrouble | undefined {
  const problem = delivery?.problem;
  if (!problem) {
    return undefined;
  }
  const title = clientTitle(problem.client);
  switch (problem.code) {
    case "no-program":
      return {
        sentence: l10n.t("The hook for {0} cannot be started: its program is not there.", title),
        remedy: l10n.t(
          "Install the package (pipx install FOLDER, with the folder of the checkout) and start the editor again, or choose “Only me” in “Synapse: Install Hook…”.",
        ),
      };
    case "not-registered":
      return {
        sentence: l10n.t("The last prompt in {0} called no hook: none is installed for it.", title),
        remedy: l10n.t("Run “Synapse: Install Hook…”."),
      };
    case "not-called":
      return {
        sentence: l10n.t("The last prompt in {0} called no hook.", title),
        remedy: l10n.t(
          "See that chat.useHooks is on and the folder is trusted; run “Synapse: Trust This Tree” where the hook is “Only me”; then run “Synapse: Doctor”.",
        ),
      };
    default:
      return { sentence: `${problem.sentence}.`, remedy: problem.remedy };
  }
}
