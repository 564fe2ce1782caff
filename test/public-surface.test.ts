import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { publicNames } from "../scripts/docs/public-names.ts";
import { failureKinds } from "../src/base/index.ts";
import { calculatorReasons } from "../src/builtin/index.ts";
import { expressionFaults } from "../src/expr/index.ts";
import * as agent from "../src/agent.ts";
import * as chain from "../src/chain.ts";
import * as hub from "../src/hub.ts";
import * as mcp from "../src/mcp.ts";
import * as windlass from "../src/index.ts";
import * as tools from "../src/tools.ts";

describe.each([
  ["windlass", "src/index.ts", windlass],
  ["windlass/agent", "src/agent.ts", agent],
  ["windlass/chain", "src/chain.ts", chain],
  ["windlass/hub", "src/hub.ts", hub],
  ["windlass/mcp", "src/mcp.ts", mcp],
  ["windlass/tools", "src/tools.ts", tools],
] as const)("%s", (_name, entry, module) => {
  const names = publicNames(entry);

  test("every exported name says in a comment what it is", () => {
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter(({ doc }) => doc === "").map(({ name, file }) => `${name} in ${file}`)).toEqual([]);
  });

  test("the list of exports is the one that was promised", () => {
    expect(names.map(({ name, kind }) => `${kind} ${name}`)).toMatchSnapshot();
  });

  test("the reader of exports sees every value that the module has", () => {
    const values = names.filter(({ kind }) => kind !== "interface" && kind !== "type").map(({ name }) => name);
    expect(values.toSorted()).toEqual(Object.keys(module).toSorted());
  });
});

test("the failure table of the docs and the code have the same codes and reasons, both ways", async () => {
  const page = readFileSync("docs/reference/failures.md", "utf8");
  const rows = [...page.matchAll(/^\| `(\w+)` \|/gm)].map(([, code = ""]) => code);
  const tables: object[] = [failureKinds, expressionFaults, calculatorReasons];
  for (const file of globSync("src/**/*-reasons.ts")) {
    const module = (await import(resolve(file))) as Record<string, object>;
    tables.push(...Object.entries(module).flatMap(([name, table]) => (name.endsWith("Reasons") ? [table] : [])));
  }
  const known = tables.flatMap((table) => Object.keys(table));
  expect(rows.toSorted()).toEqual(known.toSorted());
});

test("the failure codes are the ones that were promised", () => {
  expect(Object.keys(failureKinds)).toMatchSnapshot();
});
