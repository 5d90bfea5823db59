/** Commands of the server, run for a person: what it refuses is told, what it changes is saved. */

import * as vscode from "vscode";
import type { Location } from "vscode-languageclient/node";
import type { Connection } from "../connection";
import type { CurrentTree } from "../currentTree";
import { executeCommand } from "../protocol";
import type { Server } from "../server";

/** The answer of a command that changes rules. */
interface Changed {
  readonly changed: readonly string[];
  readonly location: Location | null;
}

export class Executor {
  constructor(
    private readonly server: Server,
    private readonly tree: CurrentTree,
  ) {}

  /** The root of the tree that is meant. Where there is none, that is said. */
  async root(): Promise<string | undefined> {
    const { root } = this.tree;
    if (root === undefined) {
      await vscode.commands.executeCommand(
        this.server.state.kind === "stopped" ? "synapse.showProblem" : "synapse.showContext",
      );
    }
    return root;
  }

  /** An answer of the server; undefined where it refused, which has been told then. */
  async ask<T>(question: (connection: Connection) => Promise<T>): Promise<T | undefined> {
    const { connection } = this.server;
    if (connection === undefined) {
      await vscode.commands.executeCommand("synapse.showProblem");
      return undefined;
    }
    try {
      return await question(connection);
    } catch (error) {
      // The server's refusals are sentences with a remedy.
      await vscode.window.showWarningMessage(
        error instanceof Error ? error.message : String(error),
      );
      return undefined;
    }
  }

  run<T>(command: string, argument: Readonly<Record<string, unknown>>): Promise<T | undefined> {
    return this.ask(async (connection) => {
      const params = { command, arguments: [argument] };
      return (await connection.ask(executeCommand, params)) as T;
    });
  }

  /**
   * Has the server change rules. An agent gets what is on disk, so files without unsaved work are
   * saved; of the others the person is told. The place to look at is the answer.
   */
  async change(
    command: string,
    argument: Readonly<Record<string, unknown>>,
  ): Promise<Location | undefined> {
    const unsaved = new Set(
      vscode.workspace.textDocuments
        .filter((document) => document.isDirty)
        .map((document) => document.uri.toString()),
    );
    const answer = await this.run<Changed>(command, argument);
    if (answer === undefined) {
      return undefined;
    }
    const uris = answer.changed.map((uri) => vscode.Uri.parse(uri).toString());
    const changed = vscode.workspace.textDocuments.filter((document) =>
      uris.includes(document.uri.toString()),
    );
    const [mixed, own] = [
      changed.filter((document) => unsaved.has(document.uri.toString())),
      changed.filter((document) => !unsaved.has(document.uri.toString())),
    ];
    await Promise.all(own.map((document) => document.save()));
    if (mixed.length > 0) {
      void offerToSave(mixed);
    }
    return answer.location ?? undefined;
  }
}

async function offerToSave(documents: readonly vscode.TextDocument[]): Promise<void> {
  const names = documents.map(({ uri }) => vscode.workspace.asRelativePath(uri)).join(", ");
  const save = vscode.l10n.t("Save");
  const answer = await vscode.window.showInformationMessage(
    vscode.l10n.t("{0} had unsaved changes. Agents get the change when it is saved.", names),
    save,
  );
  if (answer === save) {
    await Promise.all(documents.map((document) => document.save()));
  }
}
