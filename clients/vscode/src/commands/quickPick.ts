/** This module shows list items in the editor's quick pick and returns the chosen value. */

import * as vscode from "vscode";
import { showInformation } from "../text/messages";
import type { ListItem } from "./listItems";

export interface PickRow<T> extends vscode.QuickPickItem {
  readonly value: T | undefined;
}

interface PickQuestion<T> {
  readonly title: string;
  readonly placeholder: string;
  readonly items: readonly ListItem<T>[];
  /** The message that is shown instead of an empty list. */
  readonly empty?: string;
}

/** Lets the person pick a row and returns its value; undefined where cancelled. */
export async function pickValue<T>(question: PickQuestion<T>): Promise<T | undefined> {
  const { title, placeholder, empty } = question;
  const items = pickRows(question.items);
  if (empty !== undefined && items.every(({ value }) => value === undefined)) {
    await showInformation(empty);
    return undefined;
  }
  const row = await vscode.window.showQuickPick(items, {
    title,
    placeHolder: placeholder,
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return row?.value;
}

/** Returns the quick-pick rows: an item without value is a separator, the current one is marked. */
export function pickRows<T>(items: readonly ListItem<T>[]): PickRow<T>[] {
  return items.map(({ label, description, detail, value, current }) => ({
    label: current ? `$(check) ${label}` : label,
    description: description ?? "",
    ...(detail === undefined ? {} : { detail }),
    kind:
      value === undefined ? vscode.QuickPickItemKind.Separator : vscode.QuickPickItemKind.Default,
    value,
  }));
}
