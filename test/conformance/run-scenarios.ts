import type { Clock } from "../../src/base/index.ts";
import type { ChainSpec } from "../../src/chain/plan/chain-spec.ts";
import type { RequestApproval } from "../../src/engine/index.ts";
import type { Approval, Decision } from "../../src/store/index.ts";
import type { ScriptedResponse } from "../../src/testing/index.ts";
import { type MockAnswer, type MockHandler, mock } from "../../src/testing/chain/mock-tools.ts";
import type { Effect } from "../../src/tool/index.ts";

/** State that outlives the processes of a run: the time, and the actions of its tools. */
export interface World {
  readonly clock: Clock;
  /** Notes an action, such as `once send`. */
  readonly note: (line: string) => void;
  readonly noted: () => readonly string[];
}

interface RunParts {
  readonly tools: (world: World) => Readonly<Record<string, MockAnswer>>;
  /** Decides approvals in the process of the run. Default: the run is suspended, and a person decides afterwards. */
  readonly requestApproval?: (world: World) => RequestApproval;
  /** Delivered before each process of the run, as by a sender who repeats them. */
  readonly events?: readonly { readonly name: string; readonly id: string; readonly data: unknown }[];
}

/** A run of one kind, and what its tools do to the world. */
export type RunScenario = RunParts &
  (
    | { readonly kind: "chain"; readonly spec: ChainSpec; readonly others?: readonly ChainSpec[] }
    | { readonly kind: "call"; readonly tool: string; readonly args: object }
    /** The responses of the model, by round. */
    | { readonly kind: "agent"; readonly responses: readonly ScriptedResponse[] }
  );

/** A chain as a scenario. */
export type ChainScenario = Extract<RunScenario, { readonly kind: "chain" }>;

/** A tool with an effect. */
export function acting(effect: Effect, answer: MockHandler): MockAnswer {
  return mock({ effect, answer });
}

/** Tools of every effect that take `me`, note it and return it, after `ms` on the world's clock. */
function worldTools(world: World): Readonly<Record<string, MockAnswer>> {
  const tool = (effect: Effect): MockAnswer =>
    acting(effect, ({ me, ms }) => {
      world.note(`${effect} ${String(me)}`);
      if (typeof ms !== "number") return me;
      return new Promise((resolve) => world.clock.after(ms, () => resolve(me)));
    });
  const failsFirst = acting("read", ({ me }) => {
    world.note(`read ${String(me)}`);
    if (world.noted().filter((line) => line === `read ${String(me)}`).length === 1) throw new Error("not yet");
    return me;
  });
  return {
    read: tool("read"),
    idempotent: tool("idempotent"),
    once: tool("once"),
    ruled_once: tool("once"),
    fails_first: failsFirst,
  };
}

/** A person who approves everything, and reports an interrupted call as done if its action was noted. */
export function decisionOf({ interrupted, tool, args }: Approval, world: World): Decision {
  const { me } = args as { readonly me?: unknown };
  const effect = tool.replace("ruled_", "");
  const isDone = interrupted === true && world.noted().includes(`${effect} ${String(me)}`);
  return { approved: true, by: "ann", ...(isDone && { done: { output: me } }) };
}

const decidedHere =
  (world: World): RequestApproval =>
  async (approval) =>
    decisionOf(approval, world);

const step = (id: string, tool: string, more: object = {}): ChainSpec["steps"][number] => ({
  id,
  tool,
  params: { me: id },
  ...more,
});

const chain = (spec: ChainSpec, ...others: readonly ChainSpec[]): ChainScenario => ({
  kind: "chain",
  spec,
  others,
  tools: worldTools,
  requestApproval: decidedHere,
});

const { requestApproval: _, ...suspendedChain } = chain({
  name: "suspended",
  steps: [
    step("r", "read", { params: { me: "r", ms: 10 } }),
    step("mail", "once", { depends_on: ["r"], approval: "Send ${steps.r.output}?" }),
    step("ruled", "ruled_once", { depends_on: ["r"] }),
    step("w", "idempotent", { depends_on: ["mail", "ruled"] }),
  ],
});

const calls = (...names: readonly [tool: string, me: string, ms?: number][]): ScriptedResponse => ({
  text: "next",
  toolCalls: names.map(([name, me, ms]) => ({ name, args: { me, ...(ms !== undefined && { ms }) }, id: me })),
});

const agent = (...responses: readonly ScriptedResponse[]): RunScenario => ({
  kind: "agent",
  responses,
  tools: worldTools,
});

/** Runs of every kind with everything that a crash may interrupt. */
export const scenarios = {
  "a chain of writes, reads and a pause": chain({
    name: "line",
    steps: [
      step("r1", "read", { params: { me: "r1", ms: 10 } }),
      step("w1", "idempotent", { depends_on: ["r1"] }),
      step("flaky", "fails_first", { depends_on: ["w1"], retry: { max: 5, delay: "10ms" } }),
      step("o1", "once", { depends_on: ["flaky"] }),
      step("r2", "read", { depends_on: ["o1"] }),
      step("w2", "idempotent", { depends_on: ["r2"], params: { me: "w2", ms: 20 } }),
    ],
  }),
  "a chain with a diamond of writers side by side": chain({
    name: "diamond",
    timeout: 3600,
    steps: [
      step("a", "idempotent", { params: { me: "a", ms: 5 } }),
      step("b", "once", { depends_on: ["a"], params: { me: "b", ms: 30 } }),
      step("c", "idempotent", { depends_on: ["a"], params: { me: "c", ms: 10 } }),
      step("d", "read", { depends_on: ["a"] }),
      step("e", "once", { depends_on: ["b", "c", "d"] }),
      step("skipped", "once", { condition: "${steps.d.output != 'd'}" }),
    ],
  }),
  "a chain of more steps than slots": chain({
    name: "wide",
    max_parallel: 2,
    steps: [
      step("quick", "idempotent"),
      step("s2", "idempotent", { params: { me: "s2", ms: 40 } }),
      step("s3", "once", { params: { me: "s3", ms: 30 } }),
      step("s4", "read", { params: { me: "s4", ms: 20 } }),
      step("付款", "once", { params: { me: "付款", ms: 5 } }),
      step("last", "idempotent"),
    ],
  }),
  "a chain with sub-chains, items and rounds": chain(
    {
      name: "outer",
      steps: [
        { id: "sub", tool: "inner", params: { name: "sub" } },
        { id: "each", tool: "inner", for_each: ["x", "y", "z"], concurrency: 2, params: { name: "${item}" } },
        {
          id: "rounds",
          tool: "idempotent",
          params: { me: "rounds", round: "${index}" },
          repeat: { until: "${index == 2}", max: 5, delay: "10ms" },
        },
        step("last", "once", { depends_on: ["sub", "each", "rounds"] }),
      ],
    },
    {
      name: "inner",
      input: { name: "string" },
      steps: [
        { id: "r", tool: "read", params: { me: "${input.name}-r", ms: 5 } },
        { id: "w", tool: "idempotent", params: { me: "${input.name}-w", of: "${steps.r.output}" } },
      ],
    },
  ),
  "a chain with approvals by people": chain({
    name: "approved",
    max_parallel: 2,
    steps: [
      step("r", "read", { params: { me: "r", ms: 10 } }),
      step("mail", "once", { depends_on: ["r"], approval: "Send ${steps.r.output}?" }),
      step("ruled", "ruled_once"),
      step("w", "idempotent", { depends_on: ["mail", "ruled"] }),
    ],
  }),
  "a chain that is suspended for approvals": suspendedChain,
  "a chain that waits for events and a time": {
    ...chain({
      name: "waiting",
      steps: [
        step("r", "read", { params: { me: "r", ms: 10 } }),
        { id: "paid", wait: { event: "payment", timeout: "1h" }, depends_on: ["r"] },
        { id: "again", wait: { event: "payment" }, depends_on: ["r"] },
        { id: "pause", wait: "30ms", depends_on: ["r"] },
        step("o", "once", { depends_on: ["paid", "pause"], approval: "Ship?" }),
        { id: "done", wait: { event: "delivery" }, depends_on: ["o", "again"] },
        step("w", "idempotent", { depends_on: ["done"] }),
      ],
      output: { amounts: ["${steps.paid.output.n}", "${steps.again.output.n}"], delivered: "${steps.done.output}" },
    }),
    events: [
      { name: "delivery", id: "d", data: { at: "the door" } },
      { name: "payment", id: "a", data: { n: 1 } },
      { name: "payment", id: "b", data: { n: 2 } },
      { name: "payment", id: "a", data: { n: 3 } },
    ],
  },
  "an agent with calls side by side": agent(
    calls(["read", "r1"], ["idempotent", "w1", 5], ["once", "o1", 10]),
    calls(["once", "o2"], ["read", "r2"]),
    "the answer",
  ),
  "an agent that is suspended for approvals": agent(
    calls(["idempotent", "w1"], ["ruled_once", "o1"]),
    calls(["ruled_once", "o2", 5], ["once", "o3"]),
    "the answer",
  ),
  "a call of an idempotent tool": {
    kind: "call",
    tool: "idempotent",
    args: { me: "w", ms: 5 },
    tools: worldTools,
  },
  "a call of a once tool": { kind: "call", tool: "once", args: { me: "o" }, tools: worldTools },
  "a call that is suspended for an approval": {
    kind: "call",
    tool: "ruled_once",
    args: { me: "o" },
    tools: worldTools,
  },
} satisfies Readonly<Record<string, RunScenario>>;

/** The name of a scenario, by which another process finds it. */
export type ScenarioName = keyof typeof scenarios;
