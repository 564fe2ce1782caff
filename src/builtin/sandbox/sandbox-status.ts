import { isFailureError } from "../../base/index.ts";
import { type SandboxOptions, runSandboxed } from "./run-sandboxed.ts";
import type { SandboxReason } from "./sandbox-reasons.ts";

/** Can programs be run in a sandbox here? */
export type SandboxStatus =
  | { readonly available: true }
  | { readonly available: false; readonly reason: SandboxReason; readonly message: string };

/** Tries the sandbox out; where it does not work, says why and what to do. */
export async function sandboxStatus(
  options: Pick<SandboxOptions, "signal" | "clock" | "programs"> = {},
): Promise<SandboxStatus> {
  try {
    const { code, stderr } = await runSandboxed(["node", "--version"], { ...options, limits: { timeMs: 20_000 } });
    if (code === 0) return { available: true };
    return { available: false, reason: "setup_failed", message: `node does not run in the sandbox: ${stderr.trim()}` };
  } catch (error) {
    if (!isFailureError(error) || error.code !== "not_available") throw error;
    // The sandbox fails with its own reasons only.
    return { available: false, reason: error.reason as SandboxReason, message: error.message };
  }
}
