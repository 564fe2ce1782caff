import type { FailureError } from "../../base/index.ts";
import { vaultFailure } from "./vault-reasons.ts";
import type { Vault } from "./vault.ts";

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
