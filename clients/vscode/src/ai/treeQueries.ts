/**
 * This module defines the questions that chats and tools ask about a tree, and answers them with
 * the server.
 */

import * as vscode from "vscode";
import type {
  Position,
  WorkspaceDiagnosticParams,
  WorkspaceDiagnosticReport,
} from "vscode-languageclient/node";
import { type Connection, isRefusal, method } from "../connection";
import {
  type Account,
  type Context,
  context,
  type Explanation,
  explain,
  type QuestionParams,
  status,
  type WhyParams,
  why,
} from "../protocol";
import type { Server } from "../server/server";
import type { CurrentTree } from "../workspace/currentTree";
import type { LintFinding } from "./chatAnswers";

/** A position in a file. */
export interface EditorPosition {
  readonly uri: string;
  readonly position: Position;
}

/**
 * Each is about the tree that one is working in, unless a question names another. A model gets the
 * answers, now or with the next question in a chat: there are none from a folder that is not
 * trusted, or from a tree that is not as it was pinned.
 */
export interface TreeQueries {
  context(question: QuestionParams): Promise<Context>;
  explain(question: QuestionParams): Promise<Explanation>;
  /** Returns the accounts of the rules or domains with this name; none where nothing matches. */
  accountsByName(rule: string): Promise<readonly Account[]>;
  /** Returns the accounts of the rule at a position; none where there is no rule. */
  accountsAt(place: EditorPosition): Promise<readonly Account[]>;
  /** The findings in a file, or in the tree. */
  findings(uri?: string): Promise<readonly LintFinding[]>;
  /** The URI of a file that is named by its path, absolute or in the workspace. */
  fileUri(path: string): string;
}

/** LSP 3.18, `DiagnosticSeverity`. */
const SEVERITIES: { readonly [severity: number]: string } = {
  1: "error",
  2: "warning",
  3: "info",
  4: "hint",
};
/** LSP 3.18, `RequestFailed`. */
const REQUEST_FAILED = -32803;

const workspaceDiagnostic = method<WorkspaceDiagnosticParams, WorkspaceDiagnosticReport>(
  "workspace/diagnostic",
);

export class ServerQueries implements TreeQueries {
  constructor(
    private readonly server: Server,
    private readonly tree: CurrentTree,
  ) {}

  context(question: QuestionParams): Promise<Context> {
    return this.connection.request(context, this.inCurrentTree(question));
  }

  explain(question: QuestionParams): Promise<Explanation> {
    return this.connection.request(explain, this.inCurrentTree(question));
  }

  accountsByName(rule: string): Promise<readonly Account[]> {
    return this.requestAccounts(this.inCurrentTree<WhyParams>({ rule }));
  }

  accountsAt(place: EditorPosition): Promise<readonly Account[]> {
    return this.requestAccounts({ ...place, forModel: true });
  }

  /**
   * A request that would bring nothing new stays open until there is something. A result id that
   * the server cannot have given makes it answer at once, also that there is nothing.
   */
  async findings(uri?: string): Promise<readonly LintFinding[]> {
    const { root } = await this.connection.request(
      status,
      this.inCurrentTree(uri === undefined ? {} : { uri }),
    );
    const report = await this.connection.request(workspaceDiagnostic, {
      previousResultIds: [{ uri: "file:///", value: "answer-at-once" }],
    });
    const files = report.items.flatMap((file) =>
      file.kind === "unchanged" ||
      !(uri === undefined ? file.uri.startsWith(`${root}/`) : isSameUri(file.uri, uri))
        ? []
        : [file],
    );
    // A tree in this one may be none that models are given anything of.
    const folders = [...new Set(files.map((file) => folderOf(file.uri)))];
    const areServed = await Promise.all(folders.map((folder) => this.isServed(folder)));
    const served = new Set(folders.filter((_, index) => areServed[index]));
    return files
      .filter((file) => served.has(folderOf(file.uri)))
      .flatMap((file) =>
        file.items.map(({ range, severity, code, message }) => ({
          uri: file.uri,
          line: range.start.line,
          title: `${workspacePath(file.uri)}:${range.start.line + 1}`,
          severity: SEVERITIES[severity ?? 1] ?? "",
          code: String(code ?? ""),
          message: typeof message === "string" ? message : message.value,
        })),
      );
  }

  fileUri(path: string): string {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    const isAbsolute = /^([\\/]|[A-Za-z]:[\\/])/.test(path);
    const uri = isAbsolute || !folder ? vscode.Uri.file(path) : vscode.Uri.joinPath(folder, path);
    return uri.toString();
  }

  private get connection(): Connection {
    const { connection } = this.server;
    if (!vscode.workspace.isTrusted) {
      throw new Error(
        vscode.l10n.t("This folder is not trusted, so models are given nothing of its rules."),
      );
    }
    if (connection === undefined) {
      throw new Error(vscode.l10n.t("Synapse is not running."));
    }
    return connection;
  }

  private inCurrentTree<T extends { readonly uri?: string }>(params: T): T {
    const uri = params.uri ?? this.tree.root;
    return { ...params, ...(uri !== undefined && { uri }), forModel: true };
  }

  /** Requests accounts; a name that nothing has gives none. */
  private async requestAccounts(params: WhyParams): Promise<readonly Account[]> {
    const answer = await this.unlessRefused(this.connection.request(why, params));
    return answer?.accounts ?? [];
  }

  /** Returns whether a model may be given anything of the tree that a file or folder is in. */
  private async isServed(uri: string): Promise<boolean> {
    const answer = this.connection.request(status, { uri, forModel: true });
    return (await this.unlessRefused(answer)) !== undefined;
  }

  /** Waits for an answer; undefined where the server refuses the request. */
  private async unlessRefused<T>(answer: Promise<T>): Promise<T | undefined> {
    try {
      return await answer;
    } catch (error) {
      if (isRefusal(error) && error.code === REQUEST_FAILED) {
        return undefined;
      }
      throw error;
    }
  }
}

function folderOf(uri: string): string {
  return uri.slice(0, uri.lastIndexOf("/"));
}

function isSameUri(uri: string, other: string): boolean {
  return vscode.Uri.parse(uri).toString() === vscode.Uri.parse(other).toString();
}

function workspacePath(uri: string): string {
  return vscode.workspace.asRelativePath(vscode.Uri.parse(uri));
}
