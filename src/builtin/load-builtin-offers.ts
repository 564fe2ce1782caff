import type { ToolOffer } from "../tool/index.ts";
import type { BuiltinServiceOptions } from "./services.ts";
import type { SandboxStatus } from "./sandbox/sandbox-status.ts";

/** Loads the built-in tools on demand, for callers that rarely need them. */
export async function loadBuiltinOffers(options: BuiltinServiceOptions): Promise<readonly ToolOffer[]> {
  const { builtinOffers } = await import("./builtin-tools.ts");
  return builtinOffers(options);
}

/** Tests the sandbox of `test_runner`, which is loaded for it; if it does not work, returns the reason and the fix. */
export async function checkSandbox(): Promise<SandboxStatus> {
  const { sandboxStatus } = await import("./sandbox/sandbox-status.ts");
  return sandboxStatus();
}
