import { expect, test } from "vitest";
import { sampleTool } from "../../test/support/sample-tool.ts";
import { failure } from "../base/index.ts";
import type { ToolResult } from "../tool/index.ts";
import { createEngine } from "./engine.ts";
import type { EngineOptions } from "./engine-options.ts";

const call = (more: Parameters<typeof sampleTool>[1], options: EngineOptions = {}): Promise<ToolResult> =>
  createEngine(options).call(
    sampleTool(() => "ran", more),
    {},
  );

const refused = (message: string): object => ({
  success: false,
  error: { code: "not_available", message, retry: "never" },
  meta: { attempts: 0 },
});

test.each(["draft", "disabled"] as const)("[B08] a tool whose status is %s is not available", async (status) => {
  expect(await call({ status })).toMatchObject(refused(`work is ${status}`));
});

test("a deprecated tool still works", async () => {
  expect(await call({ status: "deprecated" })).toMatchObject({ output: "ran" });
});

test("[E06] a gated tool works only where it is enabled", async () => {
  expect(await call({ gated: true })).toMatchObject(refused("work is gated; name it in enabled_tools to use it"));
  expect(await call({ gated: true }, { enabledTools: ["other"] })).toMatchObject({ success: false });
  expect(await call({ gated: true }, { enabledTools: ["work"] })).toMatchObject({ output: "ran" });
});

test("[E06] a tool can be switched off, unless it is always enabled", async () => {
  const disabledTools = ["work"];
  expect(await call({}, { disabledTools })).toMatchObject(refused("work is switched off by disabled_tools"));
  expect(await call({ alwaysEnabled: true }, { disabledTools })).toMatchObject({ output: "ran" });
});

test("enabling a tool does not override other reasons why it is unavailable", async () => {
  const both = { enabledTools: ["work"], disabledTools: ["work"] };
  expect(await call({ gated: true }, both)).toMatchObject({ success: false });
  expect(await call({ status: "disabled", alwaysEnabled: true }, both)).toMatchObject({ success: false });
});

test("the engine reports in advance whether a tool could be called", () => {
  const engine = createEngine({ disabledTools: ["off"] });
  expect(engine.isAvailable(sampleTool(() => 1))).toBe(true);
  expect(engine.isAvailable(sampleTool(() => 1, { name: "off" }))).toBe(false);
  expect(engine.isAvailable(sampleTool(() => 1, { status: "draft" }))).toBe(false);
  const broken = { ...sampleTool(() => 1), broken: failure("executor_not_found", "gone") };
  expect(engine.isAvailable(broken)).toBe(false);
});

test("availability is decided before the arguments are validated", async () => {
  const input = { json: { type: "object" }, validate: () => ({ issues: [{ path: [], code: "x", message: "bad" }] }) };
  expect(await call({ status: "draft", input })).toMatchObject({ error: { code: "not_available" } });
});

test("settings apply to the name of the tool, even if it is called by an alias", async () => {
  const tool = sampleTool(() => 1, { aliases: ["alias"] });
  const engine = createEngine({ tools: [tool], disabledTools: ["work"] });
  expect(await engine.call("alias", {})).toMatchObject({ error: { code: "not_available" } });
});
