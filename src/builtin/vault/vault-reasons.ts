import { type ReasonFailure, createReasonFailures, type FailureError } from "../../base/index.ts";
import type { Vault } from "./vault.ts";

/**
 * Reasons for which the vault itself refuses or fails, in addition to those of the file access. The reference in the
 * docs is generated from it.
 */
export const vaultReasons = {
  no_vault: { code: "not_available", meaning: "No folder of notes is open, or it does not exist.", retry: "safe" },
  closed: { code: "not_available", meaning: "The vault was closed during the call.", retry: "never" },
  no_note: { code: "execution_error", meaning: "There is no such note.", retry: "never" },
  not_a_note: { code: "execution_error", meaning: "The file is not a note, or not a text file.", retry: "never" },
  no_heading: { code: "execution_error", meaning: "The note has no such heading.", retry: "never" },
  bad_range: { code: "validation_error", meaning: "A range of time or of lines is not one.", retry: "never" },
} as const;

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
