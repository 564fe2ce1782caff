import type { SandboxStatus } from "./sandbox/sandbox-status.ts";

/** Tries out the sandbox of `test_runner`, which is loaded for it; where it does not work, says why and what to do. */
export async function checkSandbox(): Promise<SandboxStatus> {
  const { sandboxStatus } = await import("./sandbox/sandbox-status.ts");
  return sandboxStatus();
}
