/** What a person is told when no interpreter fits: what was tried, and the one thing to do. Pure. */

import { l10n } from "vscode";
import { type Attempt, type Choice, OLDEST_PYTHON, OLDEST_SERVER, spelled } from "./interpreter";

export interface Failure {
  readonly problem: string;
  readonly remedy: string;
}

export function failureOf(choice: Choice): Failure {
  return {
    problem: l10n.t(
      "Synapse is not running: no Python {0} or newer with synapse-ls was found. Tried {1}.",
      OLDEST_PYTHON,
      choice.attempts.map(tried).join(", "),
    ),
    remedy: remedyFor(choice),
  };
}

function tried({ candidate, answer, verdict }: Attempt): string {
  const name = spelled(candidate);
  const python = answer.kind === "answered" ? answer.python : "";
  const server = answer.kind === "answered" ? answer.server : "";
  switch (verdict) {
    case "absent":
      return l10n.t("{0} (not found)", name);
    case "old-python":
      return l10n.t("{0} (Python {1} is too old)", name, python);
    case "no-server":
      return l10n.t("{0} (Python {1} without synapse-ls)", name, python);
    case "old-server":
      return l10n.t("{0} (synapse-ls {1} is too old)", name, server);
    case "failed":
      return l10n.t("{0} (could not be run)", name);
    case "fits":
      return name;
  }
}

/** The shortest way from what is there to a running server. */
function remedyFor({ attempts }: Choice): string {
  const near = attempts.find(({ verdict }) => verdict === "no-server" || verdict === "old-server");
  if (near !== undefined) {
    const install = `${spelled(near.candidate)} -m pip install "synapse-ls>=${OLDEST_SERVER}"`;
    return l10n.t("Run: {0}", install);
  }
  return l10n.t(
    "Install Python {0} or newer with synapse-ls, or name an interpreter in the setting synapse.interpreter.",
    OLDEST_PYTHON,
  );
}
