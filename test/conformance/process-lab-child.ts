// Executes the runs that standard input requests, and prints the results. Arguments: the module of the ports, folder.
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { systemClock } from "../../src/base/index.ts";
import { type ExecuteRequest, notesOf } from "./process-lab.ts";
import {
  type Executed,
  type OpenPorts,
  type PortCall,
  decidePending,
  deliverEvents,
  intercepted,
  openRun,
  seqsOf,
} from "./run-lab.ts";
import { type RunScenario, type World, scenarios } from "./run-scenarios.ts";

const [portsModule = "", folder = ""] = process.argv.slice(2);
const { open } = (await import(portsModule)) as { readonly open: (folder: string) => Promise<OpenPorts> };
let ports: OpenPorts | undefined;

function worldOf(runId: string): World {
  const file = notesOf(folder, runId);
  return {
    clock: systemClock,
    // On the disk before the tool returns.
    note: (line) => {
      const handle = openSync(file, "a");
      writeSync(handle, `${line}\n`);
      fsyncSync(handle);
      closeSync(handle);
    },
    noted: () => (existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : []),
  };
}

async function execute({ scenario: name, runId, killBefore = Infinity }: ExecuteRequest): Promise<Executed> {
  ports ??= await open(folder);
  const { journal, approvals } = ports;
  const at = { world: worldOf(runId), runId };
  const scenario: RunScenario = scenarios[name];
  await decidePending(approvals, at);
  await deliverEvents(journal, scenario, at);
  let commits = 0;
  const call: PortCall = (_name, make, isCommit) => {
    if (isCommit && ++commits >= killBefore) process.kill(process.pid, "SIGKILL");
    return make();
  };
  const run = await openRun(
    scenario,
    { journal: intercepted(journal, call), approvals: intercepted(approvals, call) },
    at,
  );
  const { status, output } = await run.execute();
  return { status, output, commits, seqs: await seqsOf(journal, runId) };
}

for await (const line of createInterface({ input: process.stdin })) {
  writeSync(1, `${JSON.stringify(await execute(JSON.parse(line) as ExecuteRequest))}\n`);
}
