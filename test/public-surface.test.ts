import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { publicNames } from "../scripts/docs/public-names.ts";
import { failureKinds } from "../src/base/index.ts";
import { calculatorReasons } from "../src/builtin/index.ts";
import { agentTexts } from "../src/agent/texts/agent-texts.ts";
import { chainTexts } from "../src/chain/texts/chain-texts.ts";
import { agentFactTexts } from "../src/app/runs/agent-facts.ts";
import { expressionFaults } from "../src/expr/index.ts";
import * as agent from "../src/agent.ts";
import * as aiSdk from "../src/ai-sdk.ts";
import * as chain from "../src/chain.ts";
import * as client from "../src/client.ts";
import * as hub from "../src/hub.ts";
import * as langchain from "../src/langchain.ts";
import * as mcp from "../src/mcp.ts";
import * as otel from "../src/otel.ts";
import * as server from "../src/server.ts";
import * as testing from "../src/testing.ts";
import * as windlass from "../src/index.ts";
import * as tools from "../src/tools.ts";

describe.each([
  ["windlass", "src/index.ts", windlass],
  ["windlass/agent", "src/agent.ts", agent],
  ["windlass/ai-sdk", "src/ai-sdk.ts", aiSdk],
  ["windlass/chain", "src/chain.ts", chain],
  ["windlass/client", "src/client.ts", client],
  ["windlass/hub", "src/hub.ts", hub],
  ["windlass/langchain", "src/langchain.ts", langchain],
  ["windlass/mcp", "src/mcp.ts", mcp],
  ["windlass/otel", "src/otel.ts", otel],
  ["windlass/server", "src/server.ts", server],
  ["windlass/testing", "src/testing.ts", testing],
  ["windlass/tools", "src/tools.ts", tools],
] as const)("%s", (_name, entry, module) => {
  const names = publicNames(entry);

  test("every exported name says in a comment what it is", () => {
    expect(names.length).toBeGreaterThan(1);
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

/** Every failure code and reason in the code. */
async function knownReasons(): Promise<string[]> {
  const tables: object[] = [failureKinds, expressionFaults, calculatorReasons];
  for (const file of globSync("src/**/*-reasons.ts")) {
    const module = (await import(resolve(file))) as Record<string, object>;
    tables.push(...Object.entries(module).flatMap(([name, table]) => (name.endsWith("Reasons") ? [table] : [])));
  }
  return tables.flatMap((table) => Object.keys(table)).toSorted();
}

test("the failure table of the docs and the code have the same codes and reasons, both ways", async () => {
  const page = readFileSync("docs/reference/failures.md", "utf8");
  const rows = [...page.matchAll(/^\| `(\w+)` \|/gm)].map(([, code = ""]) => code);
  expect(rows.toSorted()).toEqual(await knownReasons());
});

test("the reasons of failures are the ones that were promised", async () => {
  expect(await knownReasons()).toMatchSnapshot();
});

test.each([
  ["the engine", "src/engine/events.ts"],
  ["a run of a chain", "src/chain/interpreter/run-events.ts"],
  ["a run of an agent", "src/agent/events/agent-event.ts"],
])("the events of %s are the ones that were promised", (_of, file) => {
  const types = [...readFileSync(file, "utf8").matchAll(/readonly type: ((?:"[\w-]+"(?: \| )?)+)(?:;| \})/g)];
  const names = types.flatMap(([, union = ""]) => union.split(" | ").map((name) => name.slice(1, -1)));
  expect(names.length).toBeGreaterThan(5);
  expect(names.toSorted()).toMatchSnapshot();
});

test.each([
  ["notices of agents", agentTexts.en.notices],
  ["notices of chain runs", chainTexts.en.notices],
  ["explanations of chain runs", chainTexts.en.facts],
  ["explanations of agent runs", agentFactTexts.en],
])("the codes of %s are the ones that were promised", (_of, texts) => {
  expect(Object.keys(texts).toSorted()).toMatchSnapshot();
});

test("the settings of windlass.yaml are the ones that were promised", () => {
  const page = readFileSync("docs/reference/workspace.md", "utf8");
  const settings = [...page.matchAll(/^\| `([\w.[\]<>*]+)` \|/gm)].map(([, key = ""]) => key);
  expect(settings.length).toBeGreaterThan(50);
  expect(settings).toMatchSnapshot();
});

test("the failure codes are the ones that were promised", () => {
  expect(Object.keys(failureKinds)).toMatchSnapshot();
});
