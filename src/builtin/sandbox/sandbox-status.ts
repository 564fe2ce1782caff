import { isFailureError } from "../../base/index.ts";
import { type SandboxOptions, runSandboxed } from "./run-sandboxed.ts";
import type { SandboxReason } from "./sandbox-reasons.ts";

/** Result of testing the sandbox. */
export type SandboxStatus =
  | { readonly available: true }
  | { readonly available: false; readonly reason: SandboxReason; readonly message: string };

/** Tests the sandbox; if it does not work, returns the reason and the fix. */
export async function sandboxStatus(
  options: Pick<SandboxOptions, "signal" | "clock" | "programs"> = {},
): Promise<SandboxStatus> {
  try {
    const { code, stderr } = await runSandboxed(["node", "--version"], { ...options, limits: { timeMs: 20_000 } });
    if (code === 0) return { available: true };
    return { available: false, reason: "setup_failed", message: `node does not run in the sandbox: ${stderr.trim()}` };
  } catch (error) {
    if (!isFailureError(error) || error.code !== "not_available") throw error;
    // The sandbox fails only with its own reasons.
    return { available: false, reason: error.reason as SandboxReason, message: error.message };
  }
}
