/** Lists and questions of the editor's own, answered by a person. */

import * as vscode from "vscode";
import type { Item } from "./items";

export interface Row<T> extends vscode.QuickPickItem {
  readonly value: T | undefined;
}

interface Question<T> {
  readonly title: string;
  readonly placeholder: string;
  readonly items: readonly Item<T>[];
  /** What is said in the place of a list that would be empty. */
  readonly empty?: string;
}

/** The value of the row that somebody chooses; undefined where they choose none. */
export async function pick<T>(question: Question<T>): Promise<T | undefined> {
  const { title, placeholder, empty } = question;
  const items = rowsOf(question.items);
  if (empty !== undefined && items.every(({ value }) => value === undefined)) {
    await vscode.window.showInformationMessage(empty);
    return undefined;
  }
  const chosen = await vscode.window.showQuickPick(items, {
    title,
    placeHolder: placeholder,
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return chosen?.value;
}

/** The rows of a list: the heading with no name is a line, and what holds now is marked. */
export function rowsOf<T>(items: readonly Item<T>[]): Row<T>[] {
  return items.map(({ label, description, detail, value, current }) => ({
    label: current ? `$(check) ${label}` : label,
    description: description ?? "",
    ...(detail === undefined ? {} : { detail }),
    kind:
      value === undefined ? vscode.QuickPickItemKind.Separator : vscode.QuickPickItemKind.Default,
    value,
  }));
}
