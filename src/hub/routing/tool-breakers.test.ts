import { describe, expect, test } from "vitest";
import { worldOf } from "../../../test/support/candidates.ts";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { sampleTool } from "../../../test/support/sample-tool.ts";
import { type FailureOptions, fail } from "../../base/index.ts";

/** The number of calls to a tool that always fails like this, in five calls with an alternative. */
async function triesOf(failing: FailureOptions, source: "tools" | "mcps"): Promise<number> {
  let tries = 0;
  const bad = sampleTool(() => (tries++, fail("no", failing)), { name: "s/bad", capabilities: ["extract"] });
  const good = sampleTool(() => "text", { name: "good", capabilities: ["extract"] });
  const { call } = worldOf([{ tool: bad, source, owner: "s" }, good], { clock: new FakeClock() });
  for (let at = 0; at < 5; at++) expect(await call("capability:extract")).toMatchObject({ success: true });
  return tries;
}

describe("breakers", () => {
  test("an unreachable server does not count against its tool, which does not cool down", async () => {
    expect(await triesOf({ code: "not_available", reason: "server_down", retry: "safe" }, "mcps")).toBe(5);
  });

  test("the tool's own errors are, also those of a server's tool", async () => {
    expect(await triesOf({ code: "execution_error", retry: "safe" }, "mcps")).toBe(3);
    expect(await triesOf({ code: "output_invalid", retry: "safe" }, "mcps")).toBe(3);
  });

  test("an unavailable tool of the workspace cools down: it has no other breaker", async () => {
    expect(await triesOf({ code: "not_available", retry: "safe" }, "tools")).toBe(3);
  });
});
