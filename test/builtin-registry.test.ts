import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { builtinRegistry } from "../scripts/docs/builtin-registry.ts";
import { builtinToolNames, builtinTools } from "../src/builtin/index.ts";
import { createHttpClient } from "../src/net/index.ts";

test("the list of built-in tools is derived from the files that declare them", async () => {
  expect(readFileSync("src/builtin/builtin-registry.ts", "utf8")).toBe(await builtinRegistry());
});

test("the names that are known without the tools match the tools", async () => {
  const http = createHttpClient({});
  const names = builtinTools({ http }).flatMap(({ name, aliases }) => [name, ...aliases]);
  expect([...builtinToolNames].sort()).toEqual(names.sort());
  await http.close();
});
