/**
 * This module defines the states of the server and words its failures: the problem, what was tried,
 * the remedy. Pure.
 */

import { l10n } from "vscode";
import {
  commandText,
  type InterpreterChoice,
  OLDEST_PYTHON,
  type ProbeAttempt,
} from "./interpreterSearch";

/** The actions that a failure offers. */
export type FailureAction = "interpreter" | "retry" | "install" | "log";

/** Returns the label of the button for an action. */
export function actionTitle(action: FailureAction): string {
  switch (action) {
    case "interpreter":
      return l10n.t("Choose Interpreter");
    case "retry":
      return l10n.t("Try Again");
    case "install":
      return l10n.t("Get Python");
    case "log":
      return l10n.t("Show Server Log");
  }
}

export interface StartFailure {
  readonly problem: string;
  readonly remedy: string;
  readonly actions: readonly FailureAction[];
}

export type ServerState =
  | { readonly kind: "starting" }
  | { readonly kind: "running" }
  | { readonly kind: "stopped"; readonly failure: StartFailure };

export function interpreterFailure({ attempts }: InterpreterChoice): StartFailure {
  return attempts.some(({ origin }) => origin === "setting")
    ? settingFailure(attempts)
    : searchFailure(attempts);
}

/** Returns the failure of a server whose interpreter was found. */
export function serverFailure(problem: string): StartFailure {
  return {
    problem,
    remedy: l10n.t("The log says why; “Try Again” starts it anew."),
    actions: ["log", "retry", "interpreter"],
  };
}

function settingFailure(attempts: readonly ProbeAttempt[]): StartFailure {
  return {
    problem: l10n.t(
      "Synapse is not running: the setting synapse.interpreter names {0}.",
      attempts.map(attemptLabel).join(", "),
    ),
    remedy: l10n.t("Choose a Python {0} or newer, or empty the setting.", OLDEST_PYTHON),
    actions: ["interpreter", "retry", "log"],
  };
}

/** Returns the failure of the search; candidates that do not exist are not listed. */
function searchFailure(attempts: readonly ProbeAttempt[]): StartFailure {
  const existing = attempts.filter(({ verdict }) => verdict !== "absent");
  return {
    problem:
      existing.length === 0
        ? l10n.t("Synapse is not running: there is no Python on the path.")
        : l10n.t(
            "Synapse is not running: no Python {0} or newer was found. Tried {1}.",
            OLDEST_PYTHON,
            existing.map(attemptLabel).join(", "),
          ),
    remedy: l10n.t(
      "Install Python {0} or newer, or choose an interpreter. Nothing else has to be installed.",
      OLDEST_PYTHON,
    ),
    actions: ["interpreter", "retry", "install", "log"],
  };
}

function attemptLabel({ candidate, answer, verdict }: ProbeAttempt): string {
  const name = commandText(candidate);
  switch (verdict) {
    case "absent":
      return l10n.t("{0} (not found)", name);
    case "old-python": {
      const python = answer.kind === "answered" ? answer.python : "";
      return l10n.t("{0} (Python {1} is too old)", name, python);
    }
    case "failed":
      return l10n.t("{0} (could not be run)", name);
    case "fits":
      return name;
  }
}
