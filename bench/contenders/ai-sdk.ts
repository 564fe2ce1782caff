import { executeTool, safeValidateTypes } from "@ai-sdk/provider-utils";
import { tool } from "ai";
import type { Answering, Arguments, CallContender } from "../contender.ts";
import { description, find, findAsync, schema } from "./workload.ts";

/** The two steps that the AI SDK's loop takes for a tool call: validate the input, run the tool. */
export function create(answering: Answering): CallContender {
  const search = tool({ description, inputSchema: schema, execute: answering === "sync" ? find : findAsync });
  // The tool needs no context, so none is passed.
  const options = { toolCallId: "call", messages: [], context: undefined as never };
  return {
    async call(args: Arguments) {
      const valid = await safeValidateTypes({ value: args, schema: search.inputSchema });
      if (!valid.success) throw valid.error;
      let output: unknown;
      for await (const part of executeTool({ tool: search, input: valid.value, options })) output = part.output;
      return output;
    },
    outputOf: (answer) => answer,
  };
}
