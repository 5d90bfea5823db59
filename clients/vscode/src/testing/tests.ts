/** What the Testing view says of a case of a tree's tests. Pure. */

import { l10n } from "vscode";
import { tokens as counted } from "../counts";
import type { TestFailure, TestOutcome } from "../protocolTree";

/** The id of a case, or of its file where there is no number. */
export function idOf(uri: string, number?: number): string {
  return number === undefined ? uri : `${uri}#${number}`;
}

/** What a failure says at its place. */
export function messageOf({ message, remedy }: TestFailure): string {
  return [message, remedy].filter(Boolean).join(" ");
}

/** A line of the run's output. */
export function lineOf({ name, passed, bracket, tokens, failures }: TestOutcome): string {
  const result = passed ? l10n.t("passed") : l10n.t("failed");
  const head = `${result}  ${name} (${bracket}, ${counted(tokens)})`;
  return [head, ...failures.map((failure) => `        ${messageOf(failure)}`)].join("\r\n");
}

/** Which cases of which file are to be run; undefined for all of a file. */
export type Wanted = ReadonlyMap<string, readonly number[] | undefined>;

/** A case or, without a number, a file. */
export interface Chosen {
  readonly uri: string;
  readonly number?: number;
}

/** Joins files and cases that were chosen: a whole file takes its cases in. */
export function wantedOf(chosen: readonly Chosen[]): Wanted {
  const files = new Map<string, number[] | undefined>();
  for (const { uri, number } of chosen) {
    if (number === undefined) {
      files.set(uri, undefined);
    } else if (!files.has(uri)) {
      files.set(uri, [number]);
    } else {
      files.get(uri)?.push(number);
    }
  }
  return files;
}
