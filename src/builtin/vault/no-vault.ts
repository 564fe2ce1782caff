import type { FailureError } from "../../base/index.ts";
import type { Vault } from "./vault.ts";
import { vaultFailure } from "./vault-reasons.ts";

/** The vault of whoever opened none: every question fails and says how to open one. */
export const noVault: Vault = {
  index: () => Promise.reject(none()),
  search: () => Promise.reject(none()),
  read: () => Promise.reject(none()),
  tree: () => Promise.reject(none()),
  watch: () => Promise.reject(none()),
  close: () => Promise.resolve(),
};

function none(): FailureError {
  return vaultFailure(
    "no_vault",
    "no folder of notes is open. Give `vault: createVault({ folder, index })` to open one",
    {
      forModel: "no folder of notes is open",
      retry: "never",
    },
  );
}
