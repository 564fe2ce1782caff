import { compileSelect, compileValue } from "../../expr/index.ts";
import { type JsonSchema, fromJsonSchema } from "../../schema/index.ts";
import { compileResult } from "./compile-result.ts";
import { type Contract, type ToolMapping, matcherOf } from "./contract.ts";

const text = { type: "string" };

function object(properties: Readonly<Record<string, unknown>>, required: readonly string[]): JsonSchema {
  return { type: "object", properties, required };
}

/** A mapping that is known to be right. */
function served(pattern: string, message: { readonly arguments?: unknown; readonly result?: unknown }): ToolMapping {
  return {
    pattern,
    matches: matcherOf(pattern),
    ...(message.arguments !== undefined && { arguments: compileValue(message.arguments, { missing: "drop" }).value }),
    ...(message.result !== undefined && { result: compileResult(message.result).mapping }),
  };
}

function search(): Contract {
  return {
    name: "search",
    description:
      "Searches with every available search tool, and returns { results: [{ title, url, snippet }] }, each page once.",
    aliases: ["搜索"],
    kind: "search",
    input: fromJsonSchema(
      object(
        {
          query: { ...text, minLength: 1, maxLength: 2000, description: "The search query." },
          count: { type: "integer", minimum: 1, maximum: 50, description: "Number of results." },
        },
        ["query"],
      ),
    ),
    output: fromJsonSchema(
      object(
        {
          results: {
            type: "array",
            items: object({ title: text, url: text, snippet: text }, ["title", "url", "snippet"]),
          },
        },
        ["results"],
      ),
    ),
    nonEmpty: compileSelect("$.results"),
    merge: { list: "results", key: "url", maxItems: "count" },
    tools: [
      served("local_search", {
        arguments: { query: "${input.query}", limit: "${input.count}" },
        result: {
          results: {
            each: "${item.documents}",
            as: { title: "${item.title}", url: "vault:${item.cite}", snippet: "${item.snippet}" },
          },
        },
      }),
    ],
  };
}

function calculate(): Contract {
  return {
    name: "calculate",
    description: "Computes an arithmetic expression and returns { result }.",
    aliases: ["计算"],
    kind: "calculate",
    input: fromJsonSchema(
      object({ expression: { ...text, minLength: 1, description: 'For example "2 * (3 + 4)".' } }, ["expression"]),
    ),
    output: fromJsonSchema(object({ result: { type: "number" } }, ["result"])),
    tools: [],
  };
}

function time(): Contract {
  return {
    name: "time",
    description: "Returns the current date and time as { text }, and as { iso, epoch_ms, timezone } if they are known.",
    aliases: ["时间"],
    kind: "time",
    input: fromJsonSchema(object({ timezone: { ...text, description: "Such as Asia/Shanghai." } }, [])),
    output: fromJsonSchema(
      object(
        {
          text: { ...text, minLength: 1 },
          iso: text,
          epoch_ms: { type: "integer" },
          timezone: text,
        },
        ["text"],
      ),
    ),
    nonEmpty: compileSelect("$.text"),
    tools: [
      served("get_current_time", {
        result: {
          text: "${item.human}",
          iso: "${item.iso}",
          epoch_ms: "${item.epochMs}",
          timezone: "${item.timezone}",
        },
      }),
      served("get_time", { result: { text: "${item}" } }),
    ],
  };
}

let builtInContractCache: ReadonlyMap<string, Contract> | undefined;

/** The contracts that every workspace has, by name; built on first use. */
export function builtInContracts(): ReadonlyMap<string, Contract> {
  builtInContractCache ??= new Map([search(), calculate(), time()].map((contract) => [contract.name, contract]));
  return builtInContractCache;
}
