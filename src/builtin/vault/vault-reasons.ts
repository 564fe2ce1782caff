import {
  type ReasonFailure,
  type ReasonTable,
  createReasonTable,
  createReasonFailures,
  type FailureError,
} from "../../base/index.ts";
import type { Vault } from "./vault.ts";

const vaultGroups = {
  not_available: { no_vault: "No folder of notes is open, or it does not exist." },
  "not_available, never": { closed: "The vault was closed during the call." },
  "execution_error, never": {
    no_note: "There is no such note.",
    not_a_note: "The file is not a note, or not a text file.",
    no_heading: "The note has no such heading.",
  },
  validation_error: { bad_range: "A range of time or of lines is not one." },
} as const;

/**
 * Reasons for which the vault itself refuses or fails, in addition to those of the file access. The reference in the
 * docs is generated from it.
 */
export const vaultReasons: ReasonTable<typeof vaultGroups> = createReasonTable(vaultGroups);

/** A failure of the vault for this reason. */
export const vaultFailure: ReasonFailure<keyof typeof vaultReasons> = createReasonFailures(vaultReasons);

/** Stands in for a vault if none is open: every operation fails with advice on how to open one. */
export const noVault: Vault = {
  index: () => Promise.reject(none()),
  search: () => Promise.reject(none()),
  read: () => Promise.reject(none()),
  tree: () => Promise.reject(none()),
  watch: () => Promise.reject(none()),
  close: () => Promise.resolve(),
};

/** Why the tools for notes cannot work; undefined if a folder of notes is open. */
export function missingVault(vault: Vault): string | undefined {
  return vault === noVault ? "no folder of notes is open" : undefined;
}

function none(): FailureError {
  return vaultFailure(
    "no_vault",
    "no folder of notes is open. Pass `vault: createVault({ folder, index })` to open one",
    {
      forModel: "no folder of notes is open",
      retry: "never",
    },
  );
}
