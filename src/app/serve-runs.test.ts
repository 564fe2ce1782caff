import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { modelServer } from "../testing.ts";
import type * as OpenAgents from "./open-agents.ts";
import { openWorkspace } from "./open-workspace.ts";

const loads = vi.hoisted(() => ({ agents: 0 }));
// Counts how often the code of agents is opened; nothing is replaced.
vi.mock("./open-agents.ts", async (load) => {
  const agents = await load<typeof OpenAgents>();
  return {
    ...agents,
    openAgents: (...how: Parameters<typeof agents.openAgents>) => (loads.agents++, agents.openAgents(...how)),
  };
});

test("a workspace that serves runs executes those of agents, whose code it loads for the first one", async () => {
  const write = { toolCalls: [{ name: "write_file", args: { path: "a.txt", content: "x" }, id: "c1" }] };
  const server = await modelServer([write, "Written."]);
  const dir = await mkdtemp(join(tmpdir(), "windlass-serve-"));
  await writeFile(
    join(dir, "windlass.yaml"),
    `models: { default: { base_url: "${server.baseUrls.openai}", model: test } }\n`,
  );
  const first = await openWorkspace(dir, { reload: false });
  const { runId, status } = await (await first.agent()).run("Write it.");
  expect(status).toBe("waiting");
  await first.close();

  const worker = await openWorkspace(dir, { reload: false });
  const stop = new AbortController();
  const serving = worker.runs.serve({ signal: stop.signal });
  await worker.calls.submit("calculator", { expression: "1+2" }, { runId: "sum" });
  expect(await worker.calls.result("sum")).toMatchObject({ status: "success" });
  expect(loads.agents).toBe(1);

  const client = await openWorkspace(dir, { reload: false });
  const [approval] = await client.approvals.list("pending");
  await client.calls.decide(approval?.id ?? "", { approved: true });
  const events = client.runs.events(runId);
  while ((await events.next()).done !== true);
  expect(loads.agents).toBe(2);
  expect(await (await client.agents()).result(runId)).toMatchObject({ status: "completed", answer: "Written." });
  stop.abort();
  await serving;
  for (const workspace of [worker, client]) await workspace.close();
  await server.close();
  await rm(dir, { recursive: true });
});
