// Executes runs of all kinds until they end or the process is killed. Arguments: folder, break or -, run ids as seed:id;
// an id begins with run- (a chain), agent- or call-.
import { writeSync } from "node:fs";
import { join } from "node:path";
import { openSqlite } from "../../../src/adapters/index.ts";
import { AgentRuns, findRunner } from "../../../src/agent/index.ts";
import { ChainLibrary, ChainRuns } from "../../../src/chain/index.ts";
import { createEngine } from "../../../src/engine/index.ts";
import { DurableCalls, RunService } from "../../../src/run/index.ts";
import { createRedactor } from "../../../src/secrets/index.ts";
import { effectTools } from "./effect-tools.ts";
import { generateChain } from "./generate-chain.ts";
import { agentSpec, countingModel, generateCall } from "./generate-work.ts";
import { hasty } from "./hasty-journal.ts";

const [folder = "", fault = "-", ...expected] = process.argv.slice(2);
const say = (...words: unknown[]): void => void writeSync(1, `${words.join(" ")}\n`);

const leaseTimeoutMs = Number(process.env["WINDLASS_SILENCE"] ?? 15_000);
const store = await openSqlite({ file: join(folder, "journal.db"), redactor: createRedactor([]), leaseTimeoutMs });
const tools = effectTools(join(folder, "effects.ndjson"), () => say("effect"));
const permissions = { ask: ["*wipe"], allow: ["* trusted"] };
const engine = createEngine({ tools, permissions, records: store.records });
const chains = new ChainLibrary({ tools: engine.tools });
const journal = fault === "hasty" ? hasty(store.runs) : store.runs;
const service = new RunService({ journal, approvals: store.approvals, secrets: engine });
const runs = new ChainRuns({ engine, service, chains });
const calls = new DurableCalls({ engine, service });
const agents = new AgentRuns({ engine, service, runner: findRunner, model: () => countingModel() });

if (expected[0] === "adopt") {
  say("ready");
  await runs.serve({
    waitForDecisions: true,
    signal: new AbortController().signal,
    onEvent: (event) => event.type === "run-started" && say("adopted", event.runId, Date.now()),
  });
}

for (const word of expected) {
  const { chain, children } = generateChain(Number(word.split(":")[0]));
  for (const spec of [...children, chain]) if (!chains.has(spec.name)) chains.add({ name: spec.name, spec });
}

/** Starts or resumes a run. */
async function execute(seed: number, runId: string): Promise<{ readonly status: string }> {
  const how = { runId, waitForDecisions: true };
  const onEvent = (event: { readonly type: string }): void =>
    void (event.type === "run-started" && say("acknowledged", runId));
  if (runId.startsWith("run-")) return runs.start(chains.plan(`crash-${seed}`), { ...how, onEvent });
  if (runId.startsWith("call-")) {
    const { tool, args } = generateCall(seed);
    return calls.start(tool, args, how);
  }
  if (await agents.has(runId)) return agents.join(runId, { ...how, onEvent });
  return agents.start(agentSpec, `Do the work of seed ${seed}.`, { ...how, onEvent });
}

say("ready");
await Promise.all(
  expected.map(async (word) => {
    const [seed, runId = ""] = word.split(":");
    await execute(Number(seed), runId).then(
      (result) => say("over", runId, result.status),
      (error: { code?: string; message?: string }) => say("lost", runId, error.code ?? error.message),
    );
  }),
);
await engine.close();
await store.close();
say("done");
