import { type MockAnswer, type MockHandler, mock } from "../../src/testing/chain/mock-tools.ts";
import type { ChainSpec } from "../../src/chain/plan/chain-spec.ts";
import type { RequestApproval } from "../../src/run/approvals/run-approvals.ts";
import type { Effect } from "../../src/tool/index.ts";
import type { FakeClock } from "../support/fake-clock.ts";

/** State that outlives a crash: the time, and the actions of tools. */
export interface World {
  readonly clock: FakeClock;
  /** Lines of effect and step, such as `once send`. */
  readonly log: string[];
}

/** A chain to run, and what its tools do to the world. */
export interface Scenario {
  readonly spec: ChainSpec;
  readonly others?: readonly ChainSpec[];
  readonly tools: (world: World) => Readonly<Record<string, MockAnswer>>;
  readonly requestApproval?: RequestApproval;
}

/** A tool with an effect. */
export function acting(effect: Effect, answer: MockHandler): MockAnswer {
  return mock({ effect, answer });
}

/** Tools of every effect that take `me`, log it and return it, after `ms` on the world's clock. */
export function worldTools({ clock, log }: World): Readonly<Record<string, MockAnswer>> {
  const tool = (effect: Effect): MockAnswer =>
    acting(effect, ({ me, ms }) => {
      log.push(`${effect} ${String(me)}`);
      if (typeof ms !== "number") return me;
      return new Promise((resolve) => clock.after(ms, () => resolve(me)));
    });
  const failsFirst = acting("read", ({ me }) => {
    log.push(`read ${String(me)}`);
    if (log.filter((line) => line === `read ${String(me)}`).length === 1) throw new Error("not yet");
    return me;
  });
  return {
    read: tool("read"),
    idempotent: tool("idempotent"),
    once: tool("once"),
    ruled_once: tool("once"),
    confirm: acting("pure", ({ me }) => me),
    fails_first: failsFirst,
  };
}

/** A person who approves everything except work that may have been done already. */
export const careful: RequestApproval = async ({ message }) => ({ approved: !message.includes("must not run twice") });

/** Work that was done, or may have been done, counts as done, even if a person decides not to repeat it. */
const confirmed = (me: string): Pick<ChainSpec["steps"][number], "error_handling"> => ({
  error_handling: { strategy: "fallback", fallback: [{ condition: "${error}", tool: "confirm", params: { me } }] },
});

const step = (id: string, tool: string, more: object = {}): ChainSpec["steps"][number] => ({
  id,
  tool,
  params: { me: id },
  ...more,
});

const once = (id: string, more: object = {}): ChainSpec["steps"][number] =>
  step(id, "once", { ...confirmed(id), ...more });

/** Chains with everything that a crash may interrupt. */
export const scenarios = {
  "writes, reads and a pause": {
    spec: {
      name: "line",
      steps: [
        step("r1", "read", { params: { me: "r1", ms: 10 } }),
        step("w1", "idempotent", { depends_on: ["r1"] }),
        step("flaky", "fails_first", { depends_on: ["w1"], retry: { max: 5, delay: 1 } }),
        once("o1", { depends_on: ["flaky"] }),
        step("r2", "read", { depends_on: ["o1"] }),
        step("w2", "idempotent", { depends_on: ["r2"], params: { me: "w2", ms: 20 } }),
      ],
    },
    tools: worldTools,
    requestApproval: careful,
  },
  "a diamond of writers side by side": {
    spec: {
      name: "diamond",
      timeout: 3600,
      steps: [
        step("a", "idempotent", { params: { me: "a", ms: 5 } }),
        once("b", { depends_on: ["a"], params: { me: "b", ms: 30 } }),
        step("c", "idempotent", { depends_on: ["a"], params: { me: "c", ms: 10 } }),
        step("d", "read", { depends_on: ["a"] }),
        once("e", { depends_on: ["b", "c", "d"] }),
        step("skipped", "once", { condition: "${steps.d.output != 'd'}" }),
      ],
    },
    tools: worldTools,
    requestApproval: careful,
  },
  "more steps than places": {
    spec: {
      name: "wide",
      max_parallel: 2,
      steps: [
        step("quick", "idempotent"),
        step("s2", "idempotent", { params: { me: "s2", ms: 40 } }),
        once("s3", { params: { me: "s3", ms: 30 } }),
        step("s4", "read", { params: { me: "s4", ms: 20 } }),
        step("付款", "once", { ...confirmed("付款"), params: { me: "付款", ms: 5 } }),
        step("last", "idempotent"),
      ],
    },
    tools: worldTools,
    requestApproval: careful,
  },
  "sub-chains, items and rounds": {
    spec: {
      name: "outer",
      steps: [
        { id: "sub", tool: "inner", params: { name: "sub" } },
        { id: "each", tool: "inner", for_each: ["x", "y", "z"], concurrency: 2, params: { name: "${item}" } },
        {
          id: "rounds",
          tool: "idempotent",
          params: { me: "rounds", round: "${index}" },
          repeat: { until: "${index == 2}", max: 5, delay: 1 },
        },
        once("last", { depends_on: ["sub", "each", "rounds"] }),
      ],
    },
    others: [
      {
        name: "inner",
        input: { name: "string" },
        steps: [
          { id: "r", tool: "read", params: { me: "${input.name}-r", ms: 5 } },
          { id: "w", tool: "idempotent", params: { me: "${input.name}-w", of: "${steps.r.output}" } },
        ],
      },
    ],
    tools: worldTools,
    requestApproval: careful,
  },
  "approvals by people": {
    spec: {
      name: "asking",
      max_parallel: 2,
      steps: [
        step("r", "read", { params: { me: "r", ms: 10 } }),
        once("mail", { depends_on: ["r"], approval: "Send ${steps.r.output}?" }),
        step("ruled", "ruled_once", { ...confirmed("ruled") }),
        step("w", "idempotent", { depends_on: ["mail", "ruled"] }),
      ],
    },
    tools: worldTools,
    requestApproval: careful,
  },
} satisfies Readonly<Record<string, Scenario>>;
