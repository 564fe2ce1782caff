import { expect, test } from "vitest";
import { systemClock } from "../base/index.ts";
import { createMemoryApprovals } from "./memory-approvals.ts";

test("approvals in memory are bounded; those still open stay longest", async () => {
  const approvals = createMemoryApprovals({ clock: { ...systemClock, now: () => 0 } });
  const ask = (key: string): ReturnType<typeof approvals.request> =>
    approvals.request({ key, tool: "t", args: {}, message: "m", callerType: "direct", expiresAt: 10 });
  const first = await ask("open");
  const settled = await ask("settled");
  await approvals.decide(settled.id, { approved: true }, 0);
  await approvals.consume("settled", 0);
  for (let i = 0; i < 999; i++) await ask(`k${i}`);
  expect(await approvals.get(settled.id, 0)).toBeUndefined();
  expect(await approvals.get(first.id, 0)).toBeDefined();
  expect(await approvals.list(0)).toHaveLength(1000);
  await ask("one more");
  expect(await approvals.list(0)).toHaveLength(1000);
});
