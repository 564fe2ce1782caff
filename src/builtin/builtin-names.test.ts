import { expect, test } from "vitest";
import { createHttpClient } from "../net/index.ts";
import { builtinToolNames } from "./builtin-names.ts";
import { builtinTools } from "./builtin-tools.ts";

test("the names of the built-in tools match the tools", async () => {
  const http = createHttpClient({});
  const names = builtinTools({ http }).flatMap(({ name, aliases }) => [name, ...aliases]);
  expect([...builtinToolNames].sort()).toEqual(names.sort());
  await http.close();
});
