/** Why a rule is told or not, and what would change that, as the server knows it. Pure. */

import { l10n } from "vscode";
import type { Attempt } from "./panel/messages";
import { simulationIn } from "./panel/simulation";
import type { Told } from "./protocol";
import { sentenceOf } from "./sentences";

/** In the language of the editor; in English where the server says what we do not know. */
export function reasonOf({ because, reason }: Told): string {
  const sentences = because?.map(sentenceOf) ?? [undefined];
  return sentences.includes(undefined) ? reason : sentences.join("; ");
}

/** "" where there is none. */
export function remedyOf({ change, remedy }: Told): string {
  return (change && sentenceOf(change)) ?? remedy;
}

/** What can be tried out in the Context panel without changing a file. */
export function attemptOf({ attempt }: Told): Attempt | undefined {
  const { prompt = "", ...change } = simulationIn(attempt);
  const [value] = Object.values(change);
  if (prompt === "" && value === undefined) {
    return undefined;
  }
  const what = prompt === "" ? String(value) : prompt.startsWith("*") ? prompt : `“${prompt}”`;
  const shown = change.agent === undefined ? what : `@${what}`;
  return { label: l10n.t("Try {0}", shown), change, word: prompt };
}
