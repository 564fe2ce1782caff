import { expect, test } from "vitest";
import { createRedactor } from "../../../secrets/index.ts";
import { redactEvent } from "../../open/run-session.ts";

const secret = "correct horse battery staple";

test("[N08] progress of a step is shortened only after its secrets are redacted", () => {
  const redactor = createRedactor([secret]);
  for (const length of [0, 980, 990, 999]) {
    for (const value of [`${"x".repeat(length)}${secret}`, { text: `${"x".repeat(length)}${secret}` }]) {
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
