import { expect, test } from "vitest";
import { createRedactor } from "../../text/index.ts";
import { redactEvent } from "./redact-event.ts";

const secret = "correct horse battery staple";

test("[N08] what a step reports on its way is cut when its secrets are gone, never before", () => {
  const redactor = createRedactor([secret]);
  for (const length of [0, 980, 990, 999]) {
    for (const value of [`${"x".repeat(length)}${secret}`, { said: `${"x".repeat(length)}${secret}` }]) {
      const event = {
        type: "step-progress",
        at: 1,
        runId: "r1",
        step: "a",
        tool: "t",
        replayed: false,
        value,
      } as const;
      expect(JSON.stringify(redactEvent(event, redactor))).not.toMatch(/corr|horse|staple/);
    }
  }
});
