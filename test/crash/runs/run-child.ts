// Executes runs until they are over or somebody kills it. Arguments: folder, break or -, run ids as seed:id.
import { writeSync } from "node:fs";
import { join } from "node:path";
import { currentOwner, openSqlite } from "../../../src/adapters/index.ts";
import { ChainLibrary, ChainRuns, type RunListener } from "../../../src/chain/index.ts";
import { createEngine } from "../../../src/engine/index.ts";
import { createRedactor } from "../../../src/text/index.ts";
import { effectTools } from "./effect-tools.ts";
import { generateChain } from "./generate-chain.ts";
import { hasty } from "./hasty-journal.ts";

const [folder = "", fault = "-", ...wanted] = process.argv.slice(2);
const say = (...words: unknown[]): void => void writeSync(1, `${words.join(" ")}\n`);

const ownerSilenceMs = Number(process.env["WINDLASS_SILENCE"] ?? 15_000);
const store = await openSqlite({ file: join(folder, "journal.db"), redactor: createRedactor([]), ownerSilenceMs });
const engine = createEngine({ tools: effectTools(join(folder, "effects.ndjson")), records: store.records });
const chains = new ChainLibrary({ tools: engine.tools });
const journal = fault === "hasty" ? hasty(store.runs) : store.runs;
const runs = new ChainRuns({ engine, journal, approvals: store.approvals, chains, owner: currentOwner() });

if (wanted[0] === "adopt") {
  say("ready");
  await runs.adopt({
    everyMs: 100,
    stay: true,
    signal: new AbortController().signal,
    onEvent: (event) => event.type === "run-started" && say("adopted", event.runId, Date.now()),
  });
}

for (const word of wanted) {
  const { chain, children } = generateChain(Number(word.split(":")[0]));
  for (const spec of [...children, chain]) if (!chains.has(spec.name)) chains.add({ name: spec.name, spec });
}
say("ready");
await Promise.all(
  wanted.map(async (word) => {
    const [seed, runId = ""] = word.split(":");
    const onEvent: RunListener = (event) => event.type === "run-started" && say("acknowledged", event.runId);
    await runs.start(chains.plan(`crash-${seed}`), { runId, stay: true, onEvent }).then(
      (result) => say("over", runId, result.status),
      (error: { code?: string; message?: string }) => say("lost", runId, error.code ?? error.message),
    );
  }),
);
await engine.close();
await store.close();
say("done");
