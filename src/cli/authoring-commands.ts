import type { CommandSpec } from "./command-spec.ts";
import { jsonOption as json } from "./json-option.ts";

/** `windlass init`. */
export const init: CommandSpec = {
  name: "init",
  summary: "make a workspace with sample tools and a chain that run at once",
  args: [{ name: "DIR", about: "where; this folder where absent", optional: true, completes: "folder" }],
  options: [json],
  examples: ["windlass init my-tools"],
  load: async () => (await import("./commands/init.ts")).initWorkspace,
};

/** `windlass validate`. */
export const validate: CommandSpec = {
  name: "validate",
  summary: "check chains, tool files, capabilities and windlass.yaml, and show what is wrong where",
  args: [
    {
      name: "FILE",
      about: "what to check; the whole workspace where absent",
      optional: true,
      several: true,
      completes: "file",
    },
  ],
  options: [json],
  examples: ["windlass validate", "windlass validate chains/report.yaml tools/search.yaml"],
  load: async () => (await import("./commands/validate.ts")).validateFiles,
};

/** `windlass chains`. */
export const chains: CommandSpec = {
  name: "chains",
  summary: "list the chains there are: what they take, do, and lack",
  options: [json],
  examples: ["windlass chains"],
  load: async () => (await import("./commands/chains.ts")).showChains,
};

/** `windlass graph`. */
export const graph: CommandSpec = {
  name: "graph",
  summary: "draw a chain",
  details: "A chain whose tools are missing is drawn too.",
  args: [{ name: "CHAIN", about: "the chain's name, or the path of its file", completes: "chain" }],
  options: [
    { flags: "--format FORMAT", about: "mermaid where absent", choices: ["mermaid", "svg", "json"] },
    {
      flags: "--theme THEME",
      about: "of the svg: auto, where absent, follows the reader's system",
      choices: ["light", "dark", "auto"],
    },
  ],
  examples: ["windlass graph research-chain", "windlass graph chains/report.yaml --format svg > report.svg"],
  load: async () => (await import("./commands/graph.ts")).drawGraph,
};

/** `windlass schema`. */
export const schema: CommandSpec = {
  name: "schema",
  summary: "print the JSON Schema of a file format, for editors",
  args: [
    {
      name: "FORMAT",
      about: "chain, tool, capability or workspace",
      choices: ["chain", "tool", "capability", "workspace"],
    },
  ],
  examples: ["windlass schema chain > chain.schema.json"],
  load: async () => (await import("./commands/schema.ts")).printSchema,
};
