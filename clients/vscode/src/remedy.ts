/** What a person is told when no interpreter fits: what was tried, and the one thing to do. Pure. */

import { l10n } from "vscode";
import { type Attempt, type Choice, OLDEST_PYTHON, spelled } from "./interpreter";

/** What can be done about a failure with one click. */
export type Action = "interpreter" | "retry" | "install" | "log";

/** What the button for it says. */
export function titleOf(action: Action): string {
  switch (action) {
    case "interpreter":
      return l10n.t("Choose Interpreter");
    case "retry":
      return l10n.t("Try Again");
    case "install":
      return l10n.t("Get Python");
    case "log":
      return l10n.t("Show Log");
  }
}

export interface Failure {
  readonly problem: string;
  readonly remedy: string;
  readonly actions: readonly Action[];
}

export function failureOf({ attempts }: Choice): Failure {
  return attempts.some(({ origin }) => origin === "setting")
    ? namedFailure(attempts)
    : searchFailure(attempts);
}

/** The failure of a server that had an interpreter. */
export function unexpected(problem: string): Failure {
  return {
    problem,
    remedy: l10n.t("The log says why; “Try Again” starts it anew."),
    actions: ["log", "retry", "interpreter"],
  };
}

function namedFailure(attempts: readonly Attempt[]): Failure {
  return {
    problem: l10n.t(
      "Synapse is not running: the setting synapse.interpreter names {0}.",
      attempts.map(tried).join(", "),
    ),
    remedy: l10n.t("Choose a Python {0} or newer, or empty the setting.", OLDEST_PYTHON),
    actions: ["interpreter", "retry", "log"],
  };
}

/** Of what was not found the names say nothing, as long as something was. */
function searchFailure(attempts: readonly Attempt[]): Failure {
  const found = attempts.filter(({ verdict }) => verdict !== "absent");
  return {
    problem:
      found.length === 0
        ? l10n.t("Synapse is not running: there is no Python on the path.")
        : l10n.t(
            "Synapse is not running: no Python {0} or newer was found. Tried {1}.",
            OLDEST_PYTHON,
            found.map(tried).join(", "),
          ),
    remedy: l10n.t(
      "Install Python {0} or newer, or choose an interpreter. Nothing else has to be installed.",
      OLDEST_PYTHON,
    ),
    actions: ["interpreter", "retry", "install", "log"],
  };
}

function tried({ candidate, answer, verdict }: Attempt): string {
  const name = spelled(candidate);
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
