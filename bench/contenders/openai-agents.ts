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
    // It takes the model's text; writing that text is not its work, reading it is.
    prepare: (args) => JSON.stringify(args),
    call: (text: string) => search.invoke(context, text),
    outputOf: (answer) => {
      if (typeof answer === "string") throw new Error(answer);
      return answer;
    },
  };
}
