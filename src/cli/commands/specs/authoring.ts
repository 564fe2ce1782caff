import { type CommandGroup, type CommandSpec, json } from "../../program/command-spec.ts";

const init: CommandSpec = {
  name: "init",
  remote: false,
  summary: "create a workspace with sample tools and a chain, ready to run",
  args: [{ name: "DIR", about: "target folder (default: current folder)", optional: true, completes: "folder" }],
  options: [json],
  examples: ["windlass init my-tools"],
  load: async () => (await import("../init/run.ts")).initWorkspace,
};

const validate: CommandSpec = {
  name: "validate",
  summary: "check chains, tool files, capabilities and windlass.yaml, and show problems with their position",
  args: [
    {
      name: "FILE",
      about: "files to check (default: the whole workspace)",
      optional: true,
      several: true,
      completes: "file",
    },
  ],
  options: [json],
  examples: ["windlass validate", "windlass validate chains/report.yaml tools/search.yaml"],
  load: async () => (await import("../validate/run.ts")).validateFiles,
};

const graph: CommandSpec = {
  name: "graph",
  summary: "draw a chain",
  details: "Chains with missing tools are drawn too.",
  args: [{ name: "CHAIN", about: "name of the chain, or path of its file", completes: "chain" }],
  options: [
    { flags: "--format FORMAT", about: "output format (default: mermaid)", choices: ["mermaid", "svg", "json"] },
    {
      flags: "--theme THEME",
      about: "SVG theme (default: auto, follows the system setting)",
      choices: ["light", "dark", "auto"],
    },
  ],
  examples: ["windlass graph research-chain", "windlass graph chains/report.yaml --format svg > report.svg"],
  load: async () => (await import("../graph/run.ts")).drawGraph,
};

const schema: CommandSpec = {
  name: "schema",
  remote: false,
  summary: "print the JSON Schema of a file format, for editors",
  args: [
    {
      name: "FORMAT",
      about: "chain, tool, capability or workspace",
      choices: ["chain", "tool", "capability", "workspace"],
    },
  ],
  examples: ["windlass schema chain > chain.schema.json"],
  load: async () => (await import("../schema/run.ts")).printSchema,
};

const test: CommandSpec = {
  name: "test",
  summary: "run a chain offline against a recorded run, and show the first difference",
  details: "Every call returns its recorded result. The exit code is 0 if the runs are equal, otherwise 1.",
  args: [{ name: "CHAIN", about: "name of the chain, or path of its file", completes: "chain" }],
  options: [{ flags: "--replay RUN", about: "the recorded run", completes: "run" }, json],
  examples: ["windlass test chains/report.yaml --replay k3j9x0q2ab5z-1"],
  load: async () => (await import("../test/run.ts")).testChain,
};

/** The group "Authoring" of the help. */
export const authoringGroup: CommandGroup = { title: "Authoring", commands: [init, validate, graph, schema, test] };
