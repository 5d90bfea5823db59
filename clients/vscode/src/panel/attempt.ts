/** Which remedies of the server can be tried out in the panel, without changing a file. Pure. */

import { l10n } from "vscode";
import type { Attempt } from "./messages";

/** The remedies of the server's accounts that are about the situation, and what each one means here. */
const REMEDIES: readonly (readonly [RegExp, (found: string) => Attempt])[] = [
  [/^activate @(\S+)$/, (agent) => attempt(`@${agent}`, { agent })],
  [/^start workflow (\S+)$/, (workflow) => attempt(workflow, { workflow })],
  [/^move the workflow on to (\S+)$/, (phase) => attempt(phase, { phase })],
  [/^try --bracket (\S+)$/, (bracket) => attempt(bracket, { bracket })],
  [/--squad (\S+)$/, (squad) => attempt(squad, { squad })],
  [/^say "(.+)" in the prompt$/, (word) => attempt(`“${word}”`, {}, word)],
  [/^write (\*\S+) in the prompt$/, (command) => attempt(command, {}, command)],
];

export function attemptOf(remedy: string): Attempt | undefined {
  for (const [pattern, make] of REMEDIES) {
    const found = pattern.exec(remedy)?.[1];
    if (found !== undefined) {
      return make(found);
    }
  }
  return undefined;
}

/** A remedy in words for the editor: options of the command line are what is tried out here. */
export function remedyOf(remedy: string): string {
  return (/ --[a-z]/.test(remedy) ? attemptOf(remedy)?.label : undefined) ?? remedy;
}

function attempt(what: string, change: Attempt["change"], word = ""): Attempt {
  return { label: l10n.t("Try {0}", what), change, word };
}
