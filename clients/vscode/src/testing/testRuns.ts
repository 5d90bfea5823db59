/** This module words test results and groups the selected test cases by file. Pure. */

import { l10n } from "vscode";
import type { TestFailure, TestOutcome } from "../protocol";
import { tokenCount as counted } from "../text/countTexts";
import { visibleText } from "../text/markdown";

/** The id of a case, or of its file where there is no number. */
export function testItemId(uri: string, number?: number): string {
  return number === undefined ? uri : `${uri}#${number}`;
}

/** Returns the message of a failure. */
export function failureText({ message, remedy }: TestFailure): string {
  return [message, remedy].filter(Boolean).join(" ");
}

/** Returns the output of a test case, for a terminal. */
export function outcomeText({ name, passed, bracket, tokens, failures }: TestOutcome): string {
  const result = passed ? l10n.t("passed") : l10n.t("failed");
  const head = `${result}  ${name} (${bracket}, ${counted(tokens)})`;
  const lines = [head, ...failures.map((failure) => `        ${failureText(failure)}`)];
  return lines.map(visibleText).join("\r\n");
}

/** The numbers of the cases to run by file; undefined for all of a file. */
export type CasesByFile = ReadonlyMap<string, readonly number[] | undefined>;

/** A case or, without a number, a file. */
export interface TestSelection {
  readonly uri: string;
  readonly number?: number;
}

/** Groups selected files and cases by file; a whole file includes its cases. */
export function casesByFile(selections: readonly TestSelection[]): CasesByFile {
  const files = new Map<string, number[] | undefined>();
  for (const { uri, number } of selections) {
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
