import { expect, test } from "vitest";
import { builtinTools } from "../../src/builtin/index.ts";
import { formerFingerprints } from "../../src/chain/stored-plan.ts";
import { planChain } from "../../src/chain/index.ts";
import { changedTools } from "../../src/chain/stored-plan.ts";
import { createHttpClient } from "../../src/net/index.ts";
import { ToolRegistry, fingerprintShape } from "../../src/tool/index.ts";

const tools = builtinTools({ http: createHttpClient() });

test("every former fingerprint leads to a built-in tool of the same shape", () => {
  const all = tools.flatMap((tool) => [tool, ...Object.values(tool.forms ?? {})]);
  const shapes = new Set(all.map((tool) => fingerprintShape(tool)));
  expect(Object.values(formerFingerprints).filter((shape) => !shapes.has(shape))).toEqual([]);
});

test("a run continues if only the texts of its tool have changed", () => {
  const registry = new ToolRegistry();
  for (const tool of tools) registry.register(tool);
  const steps = [{ id: "a", tool: "web_search", params: { query: "tide mills" } }];
  const { plan } = planChain({ spec: { name: "c", steps } }, { tools: registry });
  if (plan === undefined) throw new Error("no plan");
  const search = tools.find(({ name }) => name === "web_search")!;
  const [before = ""] =
    Object.entries(formerFingerprints).find(([, shape]) => shape === fingerprintShape(search)) ?? [];
  expect(before).not.toBe("");
  expect(changedTools({ fingerprints: JSON.stringify({ web_search: before }) }, plan)).toEqual([]);
  const other = Object.keys(formerFingerprints).find((hash) => hash !== before) ?? "";
  expect(changedTools({ fingerprints: JSON.stringify({ web_search: other }) }, plan)).toEqual(["web_search"]);
});
