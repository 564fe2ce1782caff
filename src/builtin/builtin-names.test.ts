import { expect, test } from "vitest";
import { createDoor } from "../net/index.ts";
import { builtinToolNames } from "./builtin-names.ts";
import { builtinTools } from "./builtin-tools.ts";

test("the names of the built-in tools are those of the tools", async () => {
  const door = createDoor({});
  const names = builtinTools({ door }).flatMap(({ name, aliases }) => [name, ...aliases]);
  expect([...builtinToolNames].sort()).toEqual(names.sort());
  await door.close();
});
