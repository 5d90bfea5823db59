/** What the server says of a migration, and `synapse migrate --rollback`. Types only. */

export interface MigrationChange {
  readonly path: string;
  readonly action: "create" | "change" | "remove";
  /** What it is made of, or "". */
  readonly why: string;
  readonly diff: string;
}

export interface Migration {
  readonly changes: readonly MigrationChange[];
  /** Lines that will still talk of the old tree. */
  readonly mentions: readonly {
    readonly path: string;
    readonly line: number;
    readonly text: string;
  }[];
  readonly remarks: readonly {
    readonly path: string;
    readonly line: number;
    readonly sentence: string;
  }[];
  /** What finishing removes. */
  readonly removals: readonly string[];
  readonly parity: {
    readonly asked: number;
    readonly differences: readonly {
      /** The keyword, star-command or bracket that was asked about. */
      readonly subject: string;
      readonly why: string;
    }[];
    readonly form: readonly { readonly sentence: string }[];
  } | null;
}

export interface Rollback {
  readonly applied: boolean;
  readonly steps: readonly { readonly action: string; readonly path: string }[];
}
