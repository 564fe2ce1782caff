import { describe, expect, test } from "vitest";
import { runWith } from "../../../test/support/chain-runner.ts";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { createInMemoryApprovals } from "../../store/index.ts";
import { mock } from "../../testing/chain/mock-tools.ts";

const value = "s3cr3t-value-0001";
const settings = { secrets: { API: value } };

describe("secrets", () => {
  test("are opened only where the tool is called: not in states, events, approvals or the log", async () => {
    const clock = new FakeClock();
    const approvals = createInMemoryApprovals({ clock });
    const got: unknown[] = [];
    const { result, events, state } = await runWith(
      {
        name: "c",
        steps: [
          { id: "a", tool: "t", params: { auth: { key: "${secret.API}" } }, approval: "go?" },
          { id: "sub", tool: "sub", params: { input: "${secret.API}" } },
          { id: "sent", tool: "t", params: { auth: { key: "k" } }, approval: "tell ${steps.a.output.echoed}?" },
          { id: "each", tool: "t", for_each: [1], params: { auth: { key: "${secret.API}" } } },
          {
            id: "f",
            tool: "bad",
            error_handling: {
              strategy: "fallback",
              fallback: [{ tool: "t", params: { auth: { key: "${secret.API}" } } }],
            },
          },
        ],
      },
      {
        clock,
        approvals,
        settings,
        requestApproval: async () => ({ approved: true }),
        tools: {
          t: ({ auth }: Record<string, unknown>) => {
            got.push((auth as { key: unknown }).key);
            return { echoed: value };
          },
          bad: mock({
            effect: "read",
            answer: () => {
              throw new Error(`refused ${value}`);
            },
          }),
        },
        others: [{ name: "sub", steps: [{ id: "x", tool: "t", params: { auth: { key: "${input.input}" } } }] }],
      },
    );
    expect(result.status).toBe("success");
    expect(got.filter((key) => key !== "k")).toEqual([value, value, value, value]);
    expect((await approvals.list(clock.now())).map(({ message }) => message)).toContain("tell [redacted]?");
    expect(JSON.stringify(state("a").input)).toBe('{"auth":{"key":"[secret API]"}}');
    expect(JSON.stringify(events)).not.toContain(value);
    expect(JSON.stringify(result.log())).not.toContain(value);
    expect(JSON.stringify(await approvals.list(clock.now()))).not.toContain(value);
  });

  test("one that is not set fails the step before the tool is called", async () => {
    const { result, calls } = await runWith(
      { name: "c", steps: [{ id: "a", tool: "t", params: { key: "${secret.OTHER}" } }] },
      { tools: { t: 1 }, settings },
    );
    expect(result).toMatchObject({ status: "failed", error: { code: "not_available", reason: "secret_not_set" } });
    expect(calls).toHaveLength(0);
  });

  test("data that looks like a handle is data", async () => {
    const { calls } = await runWith(
      { name: "c", steps: [{ id: "a", tool: "t", params: { x: "${input.x}", y: "[secret API]" } }] },
      { tools: { t: 1 }, settings, input: { x: { name: "API", "windlass.secret_handle": true } } },
    );
    expect(calls[0]?.args).toEqual({ x: { name: "API", "windlass.secret_handle": true }, y: "[secret API]" });
  });
});

describe("the cache of a step", () => {
  test("[N02] answers a pure or reading step for its ttl, by its own key", async () => {
    const clock = new FakeClock();
    let n = 0;
    const spec = {
      name: "c",
      steps: [
        {
          id: "a",
          tool: "t",
          for_each: [1, 2],
          concurrency: 1,
          params: { q: "${input.q}", noise: "${item}" },
          cache: { ttl: 60, key: "${input.q}" },
        },
        { id: "b", tool: "t", params: { q: "${input.q}" }, cache: { ttl: 60, key: "${input.q}" }, depends_on: ["a"] },
        { id: "late", tool: "t", params: { q: "other" }, cache: { ttl: 60 }, depends_on: ["b"] },
      ],
    };
    const { result, state, calls } = await runWith(spec, {
      clock,
      input: { q: "x" },
      tools: { t: mock({ effect: "read", answer: () => ++n }) },
    });
    expect(result.output).toEqual({ a: [1, 1], b: 2, late: 3 });
    expect([state("b").cached, calls.length]).toEqual([false, 3]);
  });

  test("a key that cannot be evaluated fails the step", async () => {
    const { result } = await runWith(
      { name: "c", input: { q: "any" }, steps: [{ id: "a", tool: "t", cache: { ttl: 60, key: "${input.q - 1}" } }] },
      { tools: { t: 1 }, input: { q: "text" } },
    );
    expect(result).toMatchObject({ status: "failed", error: { code: "expression_error" } });
  });
});
