import { describe, expect, test } from "vitest";
import { sampleTool } from "../../../test/support/sample-tool.ts";
import { createEngine } from "../../engine/index.ts";
import { type AnyTool, fingerprintTool, ok } from "../../tool/index.ts";
import type { CallEnd, CallRequest } from "../call-runner.ts";
import { engineRunner } from "./engine-runner.ts";

/** Makes a call that arrived as JSON in a process that has only the workspace. */
async function made(tool: AnyTool, request: Partial<CallRequest> = {}): Promise<CallEnd> {
  const engine = createEngine({ tools: [tool], secrets: { API: "correct-horse" } });
  const runner = engineRunner({
    begin: (...call) => engine.begin(...call),
    resolve: (name) => engine.tools.get(name),
    secrets: engine.secrets,
  });
  const call = { runId: "r", key: "a#1", tool: "work", args: {}, idempotencyKey: "r/a", callerType: "workflow_node" };
  const arrived = JSON.parse(JSON.stringify({ ...call, ...request })) as CallRequest;
  return new Promise((ended) => {
    runner.begin(arrived, {
      started: () => undefined,
      progress: () => {},
      ended,
      isDurable: true,
      isNested: false,
      isClosing: false,
      approver: undefined,
      innerApprover: undefined,
    });
  });
}

describe("a process that has not planned a run", () => {
  test("makes its calls from data alone, with the secrets at their positions", async () => {
    const tool = sampleTool((args, { attempt, idempotencyKey }) => ({ args, attempt, idempotencyKey }));
    const end = await made(tool, {
      args: { list: ["[secret API]", "[secret API]"] },
      secrets: [{ name: "API", path: ["list", 1] }],
      attempt: 3,
      fingerprint: fingerprintTool(tool),
    });
    expect(end.outcome).toMatchObject({
      kind: "call",
      effect: "read",
      result: { output: { args: { list: ["[secret API]", "correct-horse"] }, attempt: 3, idempotencyKey: "r/a" } },
    });
    expect(end.record).toMatchObject({ tool: "work", workflowId: "r", callerId: "a#1" });
  });

  test("does not call a tool that has changed since the run was planned", async () => {
    let calls = 0;
    const planned = sampleTool(() => calls++);
    const changed = sampleTool(() => calls++, { version: "2.0.0" });
    const end = await made(changed, { fingerprint: fingerprintTool(planned) });
    expect(end.outcome).toMatchObject({ effect: undefined, result: { error: { reason: "tool_changed" } } });
    expect(calls).toBe(0);
  });

  test("does not make a once call again that another process has begun", async () => {
    let calls = 0;
    const tool = sampleTool(() => calls++, { effect: "once" });
    const { outcome } = await made(tool, { started: { at: 7, effect: "once" } });
    expect([outcome, calls]).toEqual([{ kind: "interrupted", startedAt: 7 }, 0]);
  });

  test("sends no images and files back", async () => {
    const file = { kind: "file", mimeType: "x/y", data: new Uint8Array(3) } as const;
    const end = await made(sampleTool(() => ok("drawn", { attachments: [file] })));
    expect(JSON.parse(JSON.stringify(end))).toEqual(end);
    expect(end.outcome).toMatchObject({ result: { output: "drawn" } });
  });
});
