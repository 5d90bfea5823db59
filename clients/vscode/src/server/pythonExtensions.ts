/**
 * This module asks Python's own extensions, which may be absent, for the interpreters chosen there.
 */

import * as vscode from "vscode";
import type {
  InterpreterCandidate,
  InterpreterOrigin,
  InterpreterSource,
} from "./interpreterSearch";

/** Milliseconds that such an extension has to wake up and answer; later it can still tell a change. */
const TIMEOUT = 5_000;

/** The API of `ms-python.vscode-python-envs` that is used. */
interface EnvironmentsApi {
  getEnvironment(scope: vscode.Uri | undefined): Promise<
    | {
        readonly execInfo?: {
          readonly run?: { readonly executable?: string; readonly args?: readonly string[] };
        };
      }
    | undefined
  >;
  readonly onDidChangeEnvironment?: vscode.Event<unknown>;
}

/** The API of `ms-python.python` that is used. */
interface PythonApi {
  readonly environments?: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { readonly path: string };
    resolveEnvironment(path: {
      readonly path: string;
    }): Promise<{ readonly executable?: { readonly uri?: vscode.Uri } } | undefined>;
    readonly onDidChangeActiveEnvironmentPath?: vscode.Event<unknown>;
  };
}

type FindInterpreter = (
  folder: vscode.Uri | undefined,
) => Promise<InterpreterCandidate | undefined>;

interface ExtensionInterpreters {
  readonly findInterpreter: FindInterpreter;
  readonly onDidChange: vscode.Event<unknown> | undefined;
}

const EXTENSIONS: readonly {
  readonly id: string;
  readonly origin: InterpreterOrigin;
  readonly read: (api: unknown) => ExtensionInterpreters | undefined;
}[] = [
  { id: "ms-python.vscode-python-envs", origin: "python-envs", read: environmentsApi },
  { id: "ms-python.python", origin: "python", read: pythonApi },
];

export class PythonExtensions implements vscode.Disposable {
  private readonly changeEmitter = new vscode.EventEmitter<void>();
  /** Fires when another interpreter may have been chosen. */
  readonly onDidChange = this.changeEmitter.event;
  private readonly subscriptions: vscode.Disposable[] = [this.changeEmitter];
  private readonly observedIds = new Set<string>();

  constructor(private readonly log: vscode.LogOutputChannel) {
    this.subscriptions.push(
      vscode.extensions.onDidChange(() => {
        if (
          EXTENSIONS.some(
            ({ id }) => !this.observedIds.has(id) && vscode.extensions.getExtension(id),
          )
        ) {
          this.changeEmitter.fire();
        }
      }),
    );
  }

  /** One source for each of the extensions, whether or not it is there. */
  get sources(): readonly InterpreterSource[] {
    return EXTENSIONS.map(({ id, origin, read }) => ({
      origin,
      findCandidates: () => withTimeout(this.findCandidates(id, read), []),
    }));
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  /** Returns the interpreter of each folder; errors of the extension are only logged. */
  private async findCandidates(
    id: string,
    read: (api: unknown) => ExtensionInterpreters | undefined,
  ): Promise<InterpreterCandidate[]> {
    try {
      const extension = vscode.extensions.getExtension(id);
      const interpreters = extension && read(await extension.activate());
      if (interpreters === undefined) {
        return [];
      }
      if (interpreters.onDidChange !== undefined && !this.observedIds.has(id)) {
        this.observedIds.add(id);
        this.subscriptions.push(interpreters.onDidChange(() => this.changeEmitter.fire()));
      }
      const folders = vscode.workspace.workspaceFolders?.map(({ uri }) => uri) ?? [undefined];
      const answers = await Promise.all(folders.map(interpreters.findInterpreter));
      return answers.filter((candidate) => candidate !== undefined);
    } catch (error) {
      this.log.warn(`${id}: ${error}`);
      return [];
    }
  }
}

/** Reads the environments API; it is absent where `python.useEnvironmentsExtension` is off. */
function environmentsApi(exports: unknown): ExtensionInterpreters | undefined {
  const api = exports as Partial<EnvironmentsApi> | undefined;
  if (typeof api?.getEnvironment !== "function") {
    return undefined;
  }
  return {
    onDidChange: api.onDidChangeEnvironment,
    findInterpreter: async (folder) => {
      const run = (await api.getEnvironment?.(folder))?.execInfo?.run;
      return run?.executable ? { command: run.executable, args: run.args ?? [] } : undefined;
    },
  };
}

function pythonApi(exports: unknown): ExtensionInterpreters | undefined {
  const environments = (exports as PythonApi | undefined)?.environments;
  if (environments === undefined) {
    return undefined;
  }
  return {
    onDidChange: environments.onDidChangeActiveEnvironmentPath,
    findInterpreter: async (folder) => {
      const path = environments.getActiveEnvironmentPath(folder);
      const command = (await environments.resolveEnvironment(path))?.executable?.uri?.fsPath;
      return command ? { command, args: [] } : undefined;
    },
  };
}

function withTimeout<T>(answer: Promise<T>, fallback: T): Promise<T> {
  const timeout = new Promise<T>((resolve) => setTimeout(resolve, TIMEOUT, fallback).unref());
  return Promise.race([answer, timeout]);
}
