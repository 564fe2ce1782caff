import { expect, test } from "vitest";
import { systemClock } from "../base/index.ts";
import { createInMemoryApprovals } from "./in-memory-approvals.ts";

test("in-memory approvals are bounded; open ones are removed last", async () => {
  const approvals = createInMemoryApprovals({ clock: { ...systemClock, now: () => 0 } });
  const request = (key: string): ReturnType<typeof approvals.request> =>
    approvals.request({ key, tool: "t", args: {}, message: "m", callerType: "direct", expiresAt: 10 });
  const first = await request("open");
  const settled = await request("settled");
  await approvals.decide(settled.id, { approved: true }, 0);
  await approvals.consume("settled", 0);
  for (let i = 0; i < 999; i++) await request(`k${i}`);
  expect(await approvals.get(settled.id, 0)).toBeUndefined();
  expect(await approvals.get(first.id, 0)).toBeDefined();
  expect(await approvals.list(0)).toHaveLength(1000);
  await request("one more");
  expect(await approvals.list(0)).toHaveLength(1000);
});
