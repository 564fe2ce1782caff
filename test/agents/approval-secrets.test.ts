import { expect, test } from "vitest";
import { type AgentEvent, createAgent } from "../../src/agent/index.ts";
import { runChain } from "../../src/chain/index.ts";
import { createEngine } from "../../src/engine/index.ts";
import { scriptedModel } from "../../src/testing.ts";
import { sampleTool } from "../support/sample-tool.ts";

test("[N08] a secret that is the name of a field is not shown to whoever decides on a step", async () => {
  const read = sampleTool(() => ({ hunter2secretvalue: "x", password: "p" }), { name: "read" });
  const engine = createEngine({
    tools: [read, sampleTool(() => "sent", { name: "send" })],
    secrets: { KEY: "hunter2secretvalue" },
  });
  const steps = [
    { id: "r", tool: "read" },
    { id: "s", tool: "send", params: { headers: "${steps.r.output}" }, approval: "Send it?" },
  ];
  const asked: unknown[] = [];
  const ask = async ({ args }: { readonly args: unknown }) => {
    asked.push(args);
    return { approved: true };
  };
  await runChain({ name: "c", steps }, { engine, ask });
  expect(asked).toEqual([{ headers: { "[redacted]": "x", password: "p" } }]);
});

test("[N08] nor to whoever decides on the call of an agent", async () => {
  const send = sampleTool(() => "sent", { name: "send", effect: "once" });
  const engine = createEngine({ tools: [send], secrets: { KEY: "hunter2secretvalue" } });
  const args = { headers: { hunter2secretvalue: "x" } };
  const agent = createAgent({ engine, model: scriptedModel([{ toolCalls: [{ name: "send", args }] }, "done"]) });
  const events: AgentEvent[] = [];
  const result = await agent.run("send it", { onEvent: (event) => events.push(event) });
  expect(result).toMatchObject({ status: "waiting", approvals: [{ args: { headers: { "[redacted]": "x" } } }] });
  expect(events.map(({ type }) => type)).toContain("approval-asked");
  expect(JSON.stringify(events)).not.toContain("hunter2secretvalue");
});
