import { expect, test } from "vitest";
import { coreTools, ownWordTools } from "../../src/agent/run/usual-tools.ts";
import { builtinToolNames } from "../../src/builtin/index.ts";
import { findToolsName, readResultName } from "../../src/hub/index.ts";

test("[E01] the tools that agents know by name are tools that there are", () => {
  const names = new Set<string>([...builtinToolNames, findToolsName, readResultName]);
  expect([...coreTools, ...ownWordTools].filter((name) => !names.has(name))).toEqual([]);
});
