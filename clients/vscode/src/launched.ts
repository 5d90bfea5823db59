/** The server's command line, for who cannot go on without it. Pure. */

import type { Launch } from "./launch";
import type { ServerState } from "./status";

/** What is used of the server. */
export interface Launching {
  readonly launch: Launch | undefined;
  readonly state: ServerState;
  onDidChangeState(listener: (state: ServerState) => unknown): { dispose(): unknown };
}

/** Waits while the interpreter is looked for; undefined where none fits. */
export function launched(server: Launching): Promise<Launch | undefined> {
  const isDecided = (): boolean => server.launch !== undefined || server.state.kind !== "starting";
  if (isDecided()) {
    return Promise.resolve(server.launch);
  }
  return new Promise((resolve) => {
    const subscription = server.onDidChangeState(() => {
      if (isDecided()) {
        subscription.dispose();
        resolve(server.launch);
      }
    });
  });
}
