// Executes runs until they end or the process is killed. Arguments: folder, break or -, run ids as seed:id.
import { writeSync } from "node:fs";
import { join } from "node:path";
import { openSqlite } from "../../../src/adapters/index.ts";
import { ChainLibrary, ChainRuns, type RunListener } from "../../../src/chain/index.ts";
import { createEngine } from "../../../src/engine/index.ts";
import { createRedactor } from "../../../src/secrets/index.ts";
import { effectTools } from "./effect-tools.ts";
import { generateChain } from "./generate-chain.ts";
import { hasty } from "./hasty-journal.ts";

const [folder = "", fault = "-", ...expected] = process.argv.slice(2);
const say = (...words: unknown[]): void => void writeSync(1, `${words.join(" ")}\n`);

const leaseTimeoutMs = Number(process.env["WINDLASS_SILENCE"] ?? 15_000);
const store = await openSqlite({ file: join(folder, "journal.db"), redactor: createRedactor([]), leaseTimeoutMs });
const engine = createEngine({ tools: effectTools(join(folder, "effects.ndjson")), records: store.records });
const chains = new ChainLibrary({ tools: engine.tools });
const journal = fault === "hasty" ? hasty(store.runs) : store.runs;
const runs = new ChainRuns({ engine, journal, approvals: store.approvals, chains });

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
say("ready");
await Promise.all(
  expected.map(async (word) => {
    const [seed, runId = ""] = word.split(":");
    const onEvent: RunListener = (event) => event.type === "run-started" && say("acknowledged", event.runId);
    await runs.start(chains.plan(`crash-${seed}`), { runId, waitForDecisions: true, onEvent }).then(
      (result) => say("over", runId, result.status),
      (error: { code?: string; message?: string }) => say("lost", runId, error.code ?? error.message),
    );
  }),
);
await engine.close();
await store.close();
say("done");
