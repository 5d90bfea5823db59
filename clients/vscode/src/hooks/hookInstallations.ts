/**
 * This module keeps the list of hook installations made by this extension. Hooks name the bundled
 * server by its folder, and each version of the extension has a folder of its own; so hooks are
 * outdated after an update. Pure.
 */

import type { HookScope } from "./installChoices";

export interface HookInstallation {
  readonly root: string;
  readonly clients: readonly string[];
  readonly scope: HookScope;
  /** The folder of the extension whose server the hooks call. */
  readonly home: string;
}

/**
 * Returns whether two installations write the same settings. User settings are the same in each
 * project.
 */
function isSameSettings(
  installation: HookInstallation,
  other: Pick<HookInstallation, "root" | "scope">,
): boolean {
  return (
    installation.scope === other.scope &&
    (installation.scope === "user" || installation.root === other.root)
  );
}

/**
 * Returns the list with one installation added; it replaces that of the same settings, but keeps
 * its clients.
 */
export function withInstallation(
  all: readonly HookInstallation[],
  installation: HookInstallation,
): readonly HookInstallation[] {
  const previousClients = all
    .filter((one) => isSameSettings(one, installation))
    .flatMap(({ clients }) => clients);
  const clients = [...new Set([...previousClients, ...installation.clients])];
  return [...all.filter((one) => !isSameSettings(one, installation)), { ...installation, clients }];
}

/** Returns the list without the installations of a project and those in user settings. */
export function withoutInstallations(
  all: readonly HookInstallation[],
  root: string,
): readonly HookInstallation[] {
  return all.filter((one) => one.scope !== "user" && one.root !== root);
}

/** Returns the installations for a project that call the server of another version. */
export function outdatedInstallations(
  all: readonly HookInstallation[],
  root: string,
  home: string,
): readonly HookInstallation[] {
  return all.filter(
    (one) => one.home !== home && one.scope !== "project" && isSameSettings(one, { ...one, root }),
  );
}
