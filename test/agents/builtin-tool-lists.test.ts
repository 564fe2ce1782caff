import { expect, test } from "vitest";
import { coreTools, trustedBuiltinTools } from "../../src/agent/run/builtin-tool-lists.ts";
import { builtinToolNames } from "../../src/builtin/index.ts";
import { findToolsName, readResultName } from "../../src/hub/index.ts";

test("[E01] the tools that agents know by name exist", () => {
  const names = new Set<string>([...builtinToolNames, findToolsName, readResultName]);
  expect([...coreTools, ...trustedBuiltinTools].filter((name) => !names.has(name))).toEqual([]);
});
