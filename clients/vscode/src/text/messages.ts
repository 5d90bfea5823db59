/**
 * This module shows messages to the person. What a repository says in one becomes no link: the
 * editor makes links of Markdown's, and a link may run a command.
 */

import * as vscode from "vscode";

type Show = (message: string, ...more: never[]) => unknown;

function withoutLinks<T extends Show>(show: () => T): T {
  return ((message: string, ...more: never[]) =>
    show()(message.replaceAll("](", "] ("), ...more)) as T;
}

export const showInformation = withoutLinks(() => vscode.window.showInformationMessage);
export const showWarning = withoutLinks(() => vscode.window.showWarningMessage);
