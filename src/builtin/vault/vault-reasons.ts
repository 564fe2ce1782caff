import { type ReasonFailure, failuresFor } from "../../base/index.ts";

/**
 * Every reason for which the vault itself refuses or fails; what the file door says of a path comes besides. The
 * reference in the docs is generated from it.
 */
export const vaultReasons = {
  no_vault: { code: "not_available", means: "No folder of notes is open, or it does not exist.", retry: "safe" },
  closed: { code: "not_available", means: "The vault was closed meanwhile.", retry: "never" },
  no_note: { code: "execution_error", means: "There is no such note.", retry: "never" },
  not_a_note: { code: "execution_error", means: "The file is no note, or no text.", retry: "never" },
  no_heading: { code: "execution_error", means: "The note has no such heading.", retry: "never" },
  bad_range: { code: "validation_error", means: "A range of time or of lines is not one.", retry: "never" },
} as const;

/** The name of one reason in {@link vaultReasons}. */
export type VaultReason = keyof typeof vaultReasons;

/** A failure of the vault for this reason. */
export const vaultFailure: ReasonFailure<VaultReason> = failuresFor(vaultReasons);
