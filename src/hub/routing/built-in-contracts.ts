import { compileSelect } from "../../expr/index.ts";
import { type JsonSchema, fromJsonSchema } from "../../schema/index.ts";
import type { Contract } from "./contract.ts";

const text = { type: "string" };

function object(properties: Readonly<Record<string, unknown>>, required: readonly string[]): JsonSchema {
  return { type: "object", properties, required };
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
    tools: [],
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
    tools: [],
  };
}

let builtInContractCache: ReadonlyMap<string, Contract> | undefined;

/** The contracts that every workspace has, by name; built on first use. */
export function builtInContracts(): ReadonlyMap<string, Contract> {
  builtInContractCache ??= new Map([search(), calculate(), time()].map((contract) => [contract.name, contract]));
  return builtInContractCache;
}
