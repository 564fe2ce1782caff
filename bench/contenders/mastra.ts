import { createTool } from "@mastra/core/tools";
import type { Answering, CallContender } from "../contender.ts";
import { type Found, type Parsed, description, find, findAsync, name, schema } from "./workload.ts";

export function create(answering: Answering): CallContender {
  const execute = answering === "sync" ? async (args: Parsed) => find(args) : findAsync;
  const search = createTool({ id: name, description, inputSchema: schema, execute });
  // Outside an agent there is no observability; the tool fills in missing context.
  const context = {} as Parameters<NonNullable<typeof search.execute>>[1];
  const run = search.execute;
  if (run === undefined) throw new Error("the tool has no execute");
  return {
    // The type is that of the schema's output, but the defaults are filled in by the call.
    call: (args: Parsed) => run(args, context),
    outputOf: (answer) => {
      const output = answer as Found | { error: true; message: string };
      if ("error" in output) throw new Error(output.message);
      return output;
    },
  };
}
