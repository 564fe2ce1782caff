import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type JsonSchema, fromJsonSchema, isRecord, subSchemas } from "../../schema/index.ts";
import { parseYaml } from "../../text/index.ts";
import { chainFileSchema } from "./chain-file-schema.ts";
import { parseChain } from "./parse-chain.ts";

const schema = fromJsonSchema(chainFileSchema);

function both(text: string): { editor: boolean; reader: boolean } {
  const { value } = parseYaml(text, { file: "a.yaml" });
  const editor = schema.validate(value).issues === undefined;
  return { editor, reader: parseChain(text, { file: "a.yaml" }).spec !== undefined };
}

const step = "steps: [{ id: x, tool: y }]";

test("editors and the parser agree on the format of a chain file", () => {
  const good = [
    `name: a\n${step}`,
    `name: a\nversion: "1"\ninput: { a: string, b: { type: string } }\nenv: [HOME]\nmax_parallel: 2\ntimeout: 2m\ndurable: true\n${step}\noutput: [1]\nmetadata: { x: 1 }`,
    "name: a\nsteps: [{ id: x, tool: y, condition: true, for_each: [1], tolerate: 10%, concurrency: 2, approval: { message: m, expires: 1d } }]",
    "name: a\nsteps: [{ id: x, tool: y, retry: { max: 0, delay: 0 }, repeat: { until: x }, cache: { ttl: 0.5 }, compensate: { tool: z } }]",
    `name: a\n${step}\nerror_handling: { strategy: retry|abort, max_retries: 0, fallback: [{ tool: z, output: { select: $ } }] }`,
  ];
  const bad = [
    "name: a",
    step,
    `name: 5\n${step}`,
    `name: a\n${step}\nfoo: 1`,
    "name: a\nsteps: []",
    "name: a\nsteps: [{ id: x }]",
    "name: a\nsteps: [{ id: x, tool: y, timeout: soon }]",
    "name: a\nsteps: [{ id: x, tool: y, timeout: 0 }]",
    "name: a\nsteps: [{ id: x, tool: y, tolerate: many }]",
    "name: a\nsteps: [{ id: x, tool: y, tolerate: -1 }]",
    "name: a\nsteps: [{ id: x, tool: y, approval: { text: m } }]",
    "name: a\nsteps: [{ id: x, tool: y, repeat: { max: 2 } }]",
    "name: a\nsteps: [{ id: x, tool: y, retry: { max: -1 } }]",
    "name: a\nsteps: [{ id: x, tool: y, concurrency: 0 }]",
    "name: a\nsteps: [{ id: x, tool: y, params: [1] }]",
    `name: a\n${step}\nmax_parallel: 0`,
    `name: a\n${step}\nerror_handling: { fallback: [{ params: {} }] }`,
  ];
  for (const text of good) expect({ text, ...both(text) }).toEqual({ text, editor: true, reader: true });
  for (const text of bad) expect({ text, ...both(text) }).toEqual({ text, editor: false, reader: false });
});

test("every key of a chain file is described for editors", () => {
  const undescribed: string[] = [];
  const open: (readonly [string, JsonSchema])[] = [["", chainFileSchema]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [name, node] = next;
    for (const { schema: inner, path } of subSchemas(node)) {
      if (!isRecord(inner)) continue;
      const key = path[0] === "properties" ? `${name}.${String(path[1])}` : name;
      if (path[0] === "properties" && inner["description"] === undefined && inner["properties"] === undefined)
        undescribed.push(key);
      open.push([key, inner]);
    }
  }
  expect(undescribed).toEqual([]);
});

test("the sample with mistakes is invalid for editors, too", () => {
  const text = readFileSync(new URL("../../../test/fixtures/chains/ten-mistakes.yaml", import.meta.url), "utf8");
  expect(both(text)).toEqual({ editor: false, reader: false });
});
