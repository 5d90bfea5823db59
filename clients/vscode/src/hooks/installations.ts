/**
 * What was installed from here. Hooks name the server inside the extension by its folder, and each
 * version of the extension has a folder of its own; so after an update they are written anew. Pure.
 */

import type { Scope } from "./choices";

export interface Installation {
  readonly root: string;
  readonly clients: readonly string[];
  readonly scope: Scope;
  /** The folder of the extension whose server they call. */
  readonly home: string;
}

/** Settings of one person are the same whichever project they were written from. */
function isSamePlace(one: Installation, other: Pick<Installation, "root" | "scope">): boolean {
  return one.scope === other.scope && (one.scope === "user" || one.root === other.root);
}

/** With one more; what it replaces is gone, but for the clients that it does not speak of. */
export function installed(
  all: readonly Installation[],
  added: Installation,
): readonly Installation[] {
  const before = all.filter((one) => isSamePlace(one, added)).flatMap(({ clients }) => clients);
  const clients = [...new Set([...before, ...added.clients])];
  return [...all.filter((one) => !isSamePlace(one, added)), { ...added, clients }];
}

/** Without those that a removal from a project takes back: its own, and those of the person. */
export function uninstalled(all: readonly Installation[], root: string): readonly Installation[] {
  return all.filter((one) => one.scope !== "user" && one.root !== root);
}

/** Those that concern a project and call the server of another version. */
export function outdated(
  all: readonly Installation[],
  root: string,
  home: string,
): readonly Installation[] {
  return all.filter(
    (one) => one.home !== home && one.scope !== "project" && isSamePlace(one, { ...one, root }),
  );
}
