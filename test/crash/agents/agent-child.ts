// Runs an agent, or goes on with its run, until it is over, waits, or somebody kills it. Arguments: folder, seed, runner.
import { fsyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { currentOwner, openSqlite } from "../../../src/adapters/index.ts";
import { AgentRuns, agentDefaults, findRunner } from "../../../src/agent/index.ts";
import { createEngine } from "../../../src/engine/index.ts";
import { type ModelCall, type ScriptedAnswer, scriptedModel } from "../../../src/model/index.ts";
import { createRedactor } from "../../../src/text/index.ts";
import { type Effect, defineTool } from "../../../src/tool/index.ts";

const [folder = "", seed = "1", runner = "autonomous"] = process.argv.slice(2);
const say = (...words: unknown[]): void => void writeSync(1, `${words.join(" ")}\n`);
const log = openSync(join(folder, "effects.ndjson"), "a");

/** What a tool does is on the disk before it says so. */
function did(entry: object): void {
  writeSync(log, `${JSON.stringify({ ...entry, pid: process.pid })}\n`);
  fsyncSync(log);
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function tool(name: string, effect: Effect) {
  return defineTool({
    name,
    description: `A tool that is ${effect}`,
    effect,
    run: async (args: Record<string, unknown>, { idempotencyKey }) => {
      await pause(Number(args["ms"] ?? 1));
      did({ tool: name, effect, key: idempotencyKey });
      return { done: args["n"] ?? null };
    },
  });
}

/** A linear congruential generator: the same script in every life. */
function numbers(from: number): () => number {
  let state = from;
  return () => (state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0) / 2 ** 32;
}

const tools = ["look", "keep", "send", "wipe"];

/** What a crew's model says: a plan that is another in every process, the arguments of a call, or a thought. */
function crewAnswer(system: string): ScriptedAnswer {
  if (system.includes("the arguments of one call")) return JSON.stringify({ n: process.pid, ms: process.pid % 12 });
  if (!system.includes("you plan how others answer it")) return `a thought of ${process.pid}`;
  const next = numbers(Number(seed) + process.pid);
  const steps = Array.from({ length: 8 }, (_, at) => ({
    id: String(at),
    description: `Step ${at}, says ${process.pid}`,
    tool_type: next() < 0.2 ? "none" : tools[Math.floor(next() * tools.length)],
    dependencies: at === 0 || next() < 0.4 ? [] : [String(Math.floor(next() * at))],
  }));
  return JSON.stringify({ steps });
}

/** What the model asks for in a round depends on the seed and the round; what it says is another in every process. */
function answerTo(call: ModelCall): ScriptedAnswer {
  const [first] = call.prompt;
  if (runner === "crew") return crewAnswer(first?.role === "system" ? first.content : "");
  const round = call.prompt.filter(({ role }) => role === "assistant").length;
  const next = numbers(Number(seed) * 1000 + round);
  if (round >= 5 || call.toolChoice?.type === "none") return { text: `the end, says ${process.pid}` };
  const toolCalls = Array.from({ length: 1 + Math.floor(next() * 3) }, (_, n) => ({
    name: tools[Math.floor(next() * tools.length)] ?? "look",
    args: { n: `${round}.${n}`, ms: Math.floor(next() * 12) },
    id: `c${round}_${n}`,
  }));
  return { text: `round ${round} of ${process.pid}`, toolCalls };
}

const store = await openSqlite({ file: join(folder, "journal.db"), redactor: createRedactor([]) });
const engine = createEngine({
  tools: [tool("look", "read"), tool("keep", "idempotent"), tool("send", "once"), tool("wipe", "once")],
  records: store.records,
  permissions: { ask: ["wipe"], allow: ["* trusted"] },
});
const runs = new AgentRuns({
  engine,
  journal: store.runs,
  approvals: store.approvals,
  owner: currentOwner(),
  runner: findRunner,
  model: () => scriptedModel(async (call) => pause(3).then(() => answerTo(call))),
});
const runId = `run-${seed}`;
const onEvent = (event: { type: string; replayed?: true; round?: number; part?: string; text?: string }): void => {
  if (event.type === "round-finished")
    say("round", event.replayed === true, `${event.part}.${event.round}`, event.text);
};
say("ready");
const spec = { ...agentDefaults, runner, maxRounds: 8 };
const result = (await runs.has(runId))
  ? await runs.resume(runId, { onEvent })
  : await runs.start(spec, { text: "do it", history: [] }, { runId, onEvent });
say("over", result.status, JSON.stringify(result.error?.message ?? result.answer));
await engine.close();
await store.close();
