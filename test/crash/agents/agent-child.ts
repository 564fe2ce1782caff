// Runs an agent, or resumes its run, until it ends, waits, or is killed. Each event is a line that begins with `at`.
// Arguments: folder, seed, runner, and `stay` to wait for approvals instead of exiting.
import { fsyncSync, openSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { type AgentEvent, type AgentObserver, agentDefaults } from "../../../src/agent/index.ts";
import { type ModelCall } from "../../../src/model/index.ts";
import { type ScriptedResponse, scriptedModel } from "../../../src/testing/index.ts";
import { fromJsonSchema } from "../../../src/schema/index.ts";
import { type AnyTool, type Effect, defineTool } from "../../../src/tool/index.ts";
import { openSetting, runIdOf } from "./agent-setting.ts";

const [folder = "", seed = "1", runner = "autonomous", stays] = process.argv.slice(2);
const say = (...words: unknown[]): void => void writeSync(1, `${words.join(" ")}\n`);
const effects = openSync(join(folder, "effects.ndjson"), "a");
const prompts = openSync(join(folder, "prompts.ndjson"), "a");

/** The action of a tool is on the disk before it returns. */
function did(entry: object): void {
  writeSync(effects, `${JSON.stringify({ ...entry, pid: process.pid })}\n`);
  fsyncSync(effects);
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function tool(name: string, effect: Effect): AnyTool {
  return defineTool({
    name,
    description: `A tool that is ${effect}`,
    effect,
    input: fromJsonSchema<{ n?: unknown; ms?: number }>({
      type: "object",
      properties: { n: {}, ms: { type: "number" } },
    }),
    run: async (args, { idempotencyKey }) => {
      const { n = null, ms = 1 } = args;
      say("at", "begun", name);
      await pause(ms);
      did({ tool: name, effect, key: idempotencyKey });
      say("at", "done", name);
      await pause(ms);
      return { done: n, by: process.pid };
    },
  });
}

/** A linear congruential generator: the same script in every process. */
function numbers(from: number): () => number {
  let state = from;
  return () => (state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0) / 2 ** 32;
}

const names = ["look", "keep", "send", "wipe"];

/** Responses of a crew's model: a plan that differs in every process, the arguments of a call, or a thought. */
function crewAnswer(system: string): ScriptedResponse {
  if (system.includes("the arguments of one call")) return JSON.stringify({ n: process.pid, ms: process.pid % 12 });
  if (!system.includes("you plan how others answer it")) return `a thought of ${process.pid}`;
  const next = numbers(Number(seed) + process.pid);
  const steps = Array.from({ length: 8 }, (_, at) => ({
    id: String(at),
    description: `Step ${at}, says ${process.pid}`,
    // This one needs approval in any case.
    tool_type: at === 3 ? "wipe" : next() < 0.2 ? "none" : names[Math.floor(next() * names.length)],
    dependencies: at === 0 || next() < 0.4 ? [] : [String(Math.floor(next() * at))],
  }));
  return JSON.stringify({ steps });
}

/** The calls that the model requests in a round depend on the seed and the round; its text differs in every process. */
function answerTo(call: ModelCall): ScriptedResponse {
  const [first] = call.prompt;
  if (runner === "crew") return crewAnswer(first?.role === "system" ? first.content : "");
  const round = call.prompt.filter(({ role }) => role === "assistant").length;
  const next = numbers(Number(seed) * 1000 + round);
  const isOver = call.tools === undefined || round >= 5 || call.toolChoice?.type === "none";
  if (isOver) return { text: `the end, says ${process.pid}` };
  const count = runner === "planned" ? 6 : 1 + Math.floor(next() * 3);
  const toolCalls = Array.from({ length: count }, (_, n) => ({
    // This one needs approval in any case.
    name: round % 3 === 0 && n === count - 1 ? "wipe" : (names[Math.floor(next() * names.length)] ?? "look"),
    args: { n: `${round}.${n}`, ms: Math.floor(next() * 12) },
    id: `c${round}_${n}`,
  }));
  return { text: `round ${round} of ${process.pid}`, toolCalls };
}

/** Records the model requests. */
const observer: AgentObserver = {
  run: (_run, execute) => execute(),
  turn: ({ key, call }, request) => {
    writeSync(prompts, `${JSON.stringify({ key, prompt: call.prompt })}\n`);
    say("at", "requested", key);
    return request();
  },
};

const reported: ReadonlySet<string> = new Set([
  "round-finished",
  "tool-finished",
  "approval-requested",
  "approval-decided",
]);
const onEvent = ({ type, replayed }: AgentEvent): void => {
  if (reported.has(type) && replayed !== true) say("at", type);
};

const { runs, close } = await openSetting(folder, {
  tools: [tool("look", "read"), tool("keep", "idempotent"), tool("send", "once"), tool("wipe", "once")],
  model: scriptedModel(async (call) => pause(3).then(() => answerTo(call))),
  observer,
});
const runId = runIdOf(seed);
const how = { onEvent, waitForDecisions: stays === "stay" };
const spec = { ...agentDefaults, runner, maxRounds: 8 };
const result = (await runs.has(runId))
  ? await runs.resume(runId, how)
  : await runs.start(spec, "do it", { runId, ...how });
writeFileSync(join(folder, "result.json"), JSON.stringify(result));
say("over", result.status, JSON.stringify(result.error?.message ?? result.answer));
await close();
