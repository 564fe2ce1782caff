import { type ReasonFailure, createReasonFailures } from "../../base/index.ts";

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

/** The name of one reason in {@link vaultReasons}. */
export type VaultReason = keyof typeof vaultReasons;

/** A failure of the vault for this reason. */
export const vaultFailure: ReasonFailure<VaultReason> = createReasonFailures(vaultReasons);
