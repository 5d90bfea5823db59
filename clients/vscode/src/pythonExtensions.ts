/** The interpreters that Python's own extensions have chosen. Both may be absent. */

import * as vscode from "vscode";
import type { Candidate, Origin, Source } from "./interpreter";

/** Milliseconds that such an extension has to wake up and answer; later it can still tell a change. */
const PATIENCE = 5_000;

/** What is used of `ms-python.vscode-python-envs`. */
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

/** What is used of `ms-python.python`. */
interface PythonApi {
  readonly environments?: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { readonly path: string };
    resolveEnvironment(path: {
      readonly path: string;
    }): Promise<{ readonly executable?: { readonly uri?: vscode.Uri } } | undefined>;
    readonly onDidChangeActiveEnvironmentPath?: vscode.Event<unknown>;
  };
}

type Ask = (folder: vscode.Uri | undefined) => Promise<Candidate | undefined>;

interface Found {
  readonly ask: Ask;
  readonly changed: vscode.Event<unknown> | undefined;
}

const EXTENSIONS: readonly {
  readonly id: string;
  readonly origin: Origin;
  readonly read: (api: unknown) => Found | undefined;
}[] = [
  { id: "ms-python.vscode-python-envs", origin: "python-envs", read: readEnvironments },
  { id: "ms-python.python", origin: "python", read: readPython },
];

export class PythonExtensions implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  /** Another interpreter may have been chosen. It comes more often than that is so. */
  readonly onDidChange = this.changed.event;
  private readonly subscriptions: vscode.Disposable[] = [this.changed];
  private readonly listened = new Set<string>();

  constructor(private readonly log: vscode.LogOutputChannel) {
    this.subscriptions.push(
      vscode.extensions.onDidChange(() => {
        if (
          EXTENSIONS.some(({ id }) => !this.listened.has(id) && vscode.extensions.getExtension(id))
        ) {
          this.changed.fire();
        }
      }),
    );
  }

  /** One source for each of the extensions, whether or not it is there. */
  get sources(): readonly Source[] {
    return EXTENSIONS.map(({ id, origin, read }) => ({
      origin,
      find: () => soon(this.find(id, read), []),
    }));
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  /** What it has chosen for each folder. Whatever it does, we go on without it. */
  private async find(id: string, read: (api: unknown) => Found | undefined): Promise<Candidate[]> {
    try {
      const extension = vscode.extensions.getExtension(id);
      const found = extension && read(await extension.activate());
      if (found === undefined) {
        return [];
      }
      if (found.changed !== undefined && !this.listened.has(id)) {
        this.listened.add(id);
        this.subscriptions.push(found.changed(() => this.changed.fire()));
      }
      const folders = vscode.workspace.workspaceFolders?.map(({ uri }) => uri) ?? [undefined];
      const answers = await Promise.all(folders.map(found.ask));
      return answers.filter((candidate) => candidate !== undefined);
    } catch (error) {
      this.log.warn(`${id}: ${error}`);
      return [];
    }
  }
}

/** It has no API where `python.useEnvironmentsExtension` is off. */
function readEnvironments(given: unknown): Found | undefined {
  const api = given as Partial<EnvironmentsApi> | undefined;
  if (typeof api?.getEnvironment !== "function") {
    return undefined;
  }
  return {
    changed: api.onDidChangeEnvironment,
    ask: async (folder) => {
      const run = (await api.getEnvironment?.(folder))?.execInfo?.run;
      return run?.executable ? { command: run.executable, args: run.args ?? [] } : undefined;
    },
  };
}

function readPython(given: unknown): Found | undefined {
  const environments = (given as PythonApi | undefined)?.environments;
  if (environments === undefined) {
    return undefined;
  }
  return {
    changed: environments.onDidChangeActiveEnvironmentPath,
    ask: async (folder) => {
      const path = environments.getActiveEnvironmentPath(folder);
      const command = (await environments.resolveEnvironment(path))?.executable?.uri?.fsPath;
      return command ? { command, args: [] } : undefined;
    },
  };
}

function soon<T>(answer: Promise<T>, otherwise: T): Promise<T> {
  const late = new Promise<T>((resolve) => setTimeout(resolve, PATIENCE, otherwise).unref());
  return Promise.race([answer, late]);
}
