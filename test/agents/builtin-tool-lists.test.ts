import { expect, test } from "vitest";
import { hubTools } from "../../scripts/docs/hub-tools.ts";
import { builtinTools } from "../../src/builtin/index.ts";
import { createHttpClient } from "../../src/net/index.ts";

const tools = [...builtinTools({ http: createHttpClient() }), ...hubTools()];

test("[E01] the core tools are offered in this order", () => {
  const core = tools.filter((tool) => tool.core !== undefined).toSorted((a, b) => a.core! - b.core!);
  expect(core.map(({ name }) => name)).toEqual([
    "find_tools",
    "read_result",
    "local_search",
    "web_search",
    "web_fetch",
    "calculator",
    "get_current_time",
    "get_time_range_ms",
    "get_conversation_history",
  ]);
});

test("[E01] only these built-in tools return nothing untrusted", () => {
  const trusted = tools.filter((tool) => tool.trusted === true).map(({ name }) => name);
  expect(trusted.toSorted()).toEqual(["find_tools", "get_current_time", "get_time_range_ms"]);
});
