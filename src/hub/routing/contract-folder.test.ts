import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { worldOf } from "../../../test/support/candidates.ts";
import { sampleTool } from "../../../test/support/sample-tool.ts";
import { ChainLibrary } from "../../chain/index.ts";
import type { ToolFolderEvent } from "../tool-folder/folder-event-emitter.ts";
import { ContractFolder } from "./contract-folder.ts";

const pay = `name: pay
aliases: [付款]
kind: other
input: { type: object, properties: { cents: { type: integer } }, required: [cents] }
tools:
  bank: { arguments: { amount: "\${input.cents}", unit: cents } }
`;

/** A bank that records its calls, with a folder of contracts. */
async function bankWith(files: Readonly<Record<string, string>>) {
  const root = mkdtempSync(join(tmpdir(), "windlass-contracts-"));
  const dir = join(root, "capabilities");
  mkdirSync(dir);
  const write = (name: string, text: string): void => writeFileSync(join(dir, name), text);
  for (const [name, text] of Object.entries(files)) write(name, text);
  const calls: unknown[] = [];
  const bank = sampleTool((args) => (calls.push(args), "paid"), {
    name: "bank",
    effect: "once",
    capabilities: ["pay"],
  });
  const world = worldOf([bank]);
  const events: ToolFolderEvent[] = [];
  const folder = new ContractFolder({ dir, root, hub: world.hub, onEvent: (event) => events.push(event) });
  await folder.load();
  return { ...world, dir, write, calls, events, folder };
}

describe("[N10] a contract that is edited", () => {
  test("a half-saved contract keeps its last valid version, and the error is reported once", async () => {
    const { call, write, calls, folder, events } = await bankWith({ "pay.yaml": pay });
    for (const half of [pay.slice(0, 60), pay.replace("integer", "intger"), "", "name: other\ninput: ["]) {
      write("pay.yaml", half);
      await folder.reload();
      expect(await call("capability:pay", { cents: 5 })).toMatchObject({ success: true });
      expect(folder.problems().length).toBeGreaterThan(0);
    }
    expect(calls).toEqual(Array.from({ length: 4 }, () => ({ amount: 5, unit: "cents" })));
    await folder.reload();
    expect(events.map(({ type }) => type)).toEqual(Array.from({ length: 4 }, () => "load_error"));
    write("pay.yaml", pay.replace("unit: cents", "unit: ct"));
    await folder.reload();
    await call("capability:pay", { cents: 5 });
    expect([calls.at(-1), folder.problems()]).toEqual([{ amount: 5, unit: "ct" }, []]);
  });

  test("a removed contract is gone: the tool is called with its own arguments", async () => {
    const { call, calls, dir, folder } = await bankWith({ "pay.yaml": pay });
    rmSync(join(dir, "pay.yaml"));
    await folder.reload();
    expect(await call("capability:pay", { cents: 5 })).toMatchObject({ success: true });
    expect(calls).toEqual([{ cents: 5 }]);
  });
});

describe("[N10] a contract that never worked", () => {
  const broken = pay.replace("integer", "intger");

  test("keeps its name, so that no tool is called without its mapping", async () => {
    for (const text of [broken, pay.slice(0, 60), `${pay}tools: [`, "nam"]) {
      const { call, calls } = await bankWith({ "pay.yaml": text });
      expect(await call("capability:pay", { cents: 5 })).toMatchObject({
        error: {
          code: "not_available",
          reason: "broken_contract",
          retry: "never",
          message: expect.stringMatching(/^capability:pay cannot be used: capabilities\/pay\.yaml:\d+:\d+: ./),
        },
      });
      expect(calls).toEqual([]);
    }
  });

  test("keeps its other names as well", async () => {
    const { call, calls } = await bankWith({ "money.yaml": broken });
    expect(await call("capability:付款", {})).toMatchObject({ error: { reason: "broken_contract" } });
    const list = await bankWith({ "money.yaml": broken.replace("[付款]", "\n  - settle\n  - '付款'") });
    expect(await list.call("capability:settle", {})).toMatchObject({ error: { reason: "broken_contract" } });
    expect([...calls, ...list.calls]).toEqual([]);
  });

  test("hides a built-in contract: its changes are not silently ignored", async () => {
    const { call, hub } = await bankWith({ "search.yaml": "name: search\ntools: { x: { argumnts: {} } }" });
    for (const name of ["capability:search", "capability:搜索"])
      expect(await call(name, { query: "x" })).toMatchObject({ error: { reason: "broken_contract" } });
    expect(hub.resolve("capability:search")?.tool.broken).toBeDefined();
  });

  test("yields to a valid file of the same name", async () => {
    const { call, calls } = await bankWith({ "a.yaml": broken, "b.yaml": pay });
    expect(await call("capability:pay", { cents: 5 })).toMatchObject({ success: true });
    expect(calls).toEqual([{ amount: 5, unit: "cents" }]);
  });

  test("is reported when a chain that needs it is planned", async () => {
    const { hub } = await bankWith({ "pay.yaml": broken });
    const chains = new ChainLibrary({ tools: hub });
    chains.add({ name: "c", spec: { name: "c", steps: [{ id: "p", tool: "capability:pay", params: { cents: 5 } }] } });
    expect(chains.problems("c")).toMatchObject([
      { code: "unavailable_tool", message: expect.stringContaining("pay.yaml:4") },
    ]);
  });
});
