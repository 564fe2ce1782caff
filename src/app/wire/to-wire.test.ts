import { expect, test } from "vitest";
import { type AgentResult, createAgent } from "../../agent/index.ts";
import { failure } from "../../base/index.ts";
import { createEngine } from "../../engine/index.ts";
import { scriptedModel } from "../../testing/index.ts";
import { createRedactor } from "../../secrets/index.ts";
import { defineTool } from "../../tool/index.ts";
import { toWireAgent } from "./to-wire.ts";

const send = defineTool({ name: "send", description: "Sends", effect: "once", run: () => "sent" });
const look = defineTool({ name: "look", description: "Looks", effect: "read", run: () => "seen" });

async function resultOf(runner: string, answers: Parameters<typeof scriptedModel>[0]): Promise<AgentResult> {
  const engine = createEngine({ tools: [send, look], permissions: { ask: ["send"], allow: ["look"] } });
  const agent = createAgent({ engine, model: scriptedModel(answers), runner });
  const result = await agent.run("?");
  await agent.close();
  return result;
}

const step = { id: "1", description: "Look", tool_type: "look", dependencies: [], complexity: "low", input: {} };

test.each<[string, string, Parameters<typeof scriptedModel>[0]]>([
  ["completed", "autonomous", ["Hello."]],
  ["completed", "crew", [{ steps: [step] }, "A thought.", "In words."]],
  ["waiting", "autonomous", [{ toolCalls: [{ name: "send", args: {} }] }]],
  ["failed", "autonomous", []],
])("a result that is %s (%s) is written completely, except for its messages", async (status, runner, answers) => {
  const result = await resultOf(runner, answers);
  expect(result.status).toBe(status);
  const wire = toWireAgent(result, createRedactor([]));
  const keys = Object.keys(result).filter((key) => key !== "messages");
  expect(Object.keys(wire).toSorted()).toEqual(keys.map(snake).toSorted());
  expect(Object.keys(wire)).toContain("tainted");
});

test("a failed step is written like any other, with secrets redacted", async () => {
  const error = failure("execution_error", `it said Authorization: Bearer ${"k3".repeat(20)}`);
  const failed = { id: "1", description: "Look", tool: "look", dependencies: [], complexity: "low" } as const;
  const result = await resultOf("autonomous", ["Hello."]);
  const { steps } = toWireAgent({ ...result, steps: [{ ...failed, status: "failed", error }] }, createRedactor([]));
  expect(steps).toMatchObject([{ ...failed, status: "failed", error: { code: "execution_error" } }]);
  expect(JSON.stringify(steps)).not.toContain("k3k3");
});

function snake(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
