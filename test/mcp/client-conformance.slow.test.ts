import { describe, expect, test } from "vitest";
import { runClientScenario } from "./run-conformance.ts";

/**
 * Scenarios that together cover every path of the client. All of them, compared with the baseline, run with
 * `node test/mcp/run-conformance.ts client`.
 */
describe("[C04] the client conforms to the protocol", () => {
  test.each([
    ["initialize", "2025-11-25"],
    ["elicitation-sep1034-client-defaults", "2025-11-25"],
    ["sse-retry", "2025-11-25"],
    ["auth/scope-step-up", "2025-11-25"],
    ["tools_call", "2026-07-28"],
    ["request-metadata", "2026-07-28"],
    ["sep-2322-client-request-state", "2026-07-28"],
    ["http-custom-headers", "2026-07-28"],
    ["http-invalid-tool-headers", "2026-07-28"],
    ["auth/authorization-server-migration", "2026-07-28"],
  ])("%s of %s", { timeout: 60_000 }, async (scenario, revision) => {
    const { code, output } = await runClientScenario(scenario, revision);
    expect(output).toContain("OVERALL: PASSED");
    expect(code).toBe(0);
  });
});
