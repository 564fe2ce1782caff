import { expect, test } from "vitest";
import { type AgentEvent, createAgent } from "../../src/agent/index.ts";
import { runChain } from "../../src/chain/index.ts";
import { createEngine } from "../../src/engine/index.ts";
import { scriptedModel } from "../../src/testing.ts";
import { sampleTool } from "../support/sample-tool.ts";

test("[N08] a secret that is the name of a field is not shown to the approver of a step", async () => {
  const read = sampleTool(() => ({ hunter2secretvalue: "x", password: "p" }), { name: "read" });
  const engine = createEngine({
    tools: [read, sampleTool(() => "sent", { name: "send" })],
    secrets: { KEY: "hunter2secretvalue" },
  });
  const steps = [
    { id: "r", tool: "read" },
    { id: "s", tool: "send", params: { headers: "${steps.r.output}" }, approval: "Send it?" },
  ];
  const requested: unknown[] = [];
  const requestApproval = async ({ args }: { readonly args: unknown }) => {
    requested.push(args);
    return { approved: true };
  };
  await runChain({ name: "c", steps }, { engine, requestApproval });
  expect(requested).toEqual([{ headers: { "[redacted]": "x", password: "p" } }]);
});

test("[N08] a secret that is the name of a field is not shown to the approver of an agent's call", async () => {
  const send = sampleTool(() => "sent", { name: "send", effect: "once" });
  const engine = createEngine({ tools: [send], secrets: { KEY: "hunter2secretvalue" } });
  const args = { headers: { hunter2secretvalue: "x" } };
  const agent = createAgent({ engine, model: scriptedModel([{ toolCalls: [{ name: "send", args }] }, "done"]) });
  const events: AgentEvent[] = [];
  const result = await agent.run("send it", { onEvent: (event) => events.push(event) });
  expect(result).toMatchObject({ status: "waiting", approvals: [{ args: { headers: { "[redacted]": "x" } } }] });
  expect(events.map(({ type }) => type)).toContain("approval-requested");
  expect(JSON.stringify(events)).not.toContain("hunter2secretvalue");
});
