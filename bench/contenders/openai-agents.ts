import { RunContext, tool } from "@openai/agents";
import type { Answering, CallContender } from "../contender.ts";
import { deadlineMs, description, find, findAsync, name, schema } from "./workload.ts";

export function create(answering: Answering, variant?: "deadline"): CallContender {
  const search = tool({
    name,
    description,
    parameters: schema,
    execute: answering === "sync" ? async (args) => find(args) : findAsync,
    ...(variant === "deadline" && { timeoutMs: deadlineMs }),
  });
  const context = new RunContext();
  return {
    // The input is the text from the model: parsing it is part of the call, creating it is not.
    prepare: (args) => JSON.stringify(args),
    call: (text: string) => search.invoke(context, text),
    outputOf: (answer) => {
      if (typeof answer === "string") throw new Error(answer);
      return answer;
    },
  };
}
