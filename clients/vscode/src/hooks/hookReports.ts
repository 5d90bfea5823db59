/**
 * This module types what `synapse install`, `uninstall`, `doctor` and `trust` print with `--format
 * json`. Types only.
 */

export interface ChangedFile {
  /** For people; relative to the project where it is in there. */
  readonly path: string;
  readonly clients: readonly string[];
  readonly action: "create" | "change" | "remove" | "none";
  readonly diff: string;
  readonly backup: string;
}

/** The report of `install` and of `uninstall`. */
export interface InstallReport {
  readonly root: string;
  readonly detected?: readonly { readonly client: string; readonly because: string }[];
  readonly files: readonly ChangedFile[];
  readonly notes?: readonly string[];
}

export interface Registration {
  readonly scope: string;
  readonly path: string;
  readonly event: string;
  readonly command: string;
  /** Whether `install` would write the same now. */
  readonly current: boolean;
}

/** What the hook answered when it was called as a client calls it. */
export interface HookTrial {
  readonly scope: string;
  readonly event: string;
  readonly ok: boolean;
  readonly tokens: number;
  readonly text: string;
  readonly error: string;
}

export interface RivalHook {
  readonly path: string;
  readonly line: number;
  readonly event: string;
  readonly command: string;
  readonly effect: string;
}

export interface ClientHealth {
  readonly client: string;
  readonly detected: boolean;
  readonly registrations: readonly Registration[];
  readonly canary: HookTrial | null;
  /** Whether the hook injects nothing because the client reads all rules by itself. */
  readonly reads_all?: boolean;
  /** The last block that the client's own files show; an older server does not report it. */
  readonly reached?: { readonly time: string; readonly place: string } | null;
  readonly latency: { readonly median_ms: number; readonly verdict: string } | null;
  readonly rivals: readonly RivalHook[];
}

export interface HealthTrouble {
  /** What is wrong, as `no-tree`; an older server does not tell it. */
  readonly code?: string;
  readonly severity: "error" | "warning";
  readonly client: string;
  readonly sentence: string;
  readonly remedy: string;
  readonly path: string;
  readonly line: number | null;
}

export interface HealthReport {
  readonly root: string;
  readonly tree: boolean;
  readonly trusted: boolean;
  readonly ok: boolean;
  readonly interpreter: { readonly path: string; readonly version: string };
  readonly clients: readonly ClientHealth[];
  readonly troubles: readonly HealthTrouble[];
}

export interface TrustReport {
  readonly root: string;
  readonly trusted: boolean;
  readonly changed: boolean;
}
