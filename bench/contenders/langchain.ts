import { tool } from "@langchain/core/tools";
import type { Answering, Arguments, CallContender } from "../contender.ts";
import { deadlineMs, description, find, findAsync, name, schema } from "./workload.ts";

export function create(answering: Answering, variant?: "deadline"): CallContender {
  const search = tool(answering === "sync" ? find : findAsync, { name, description, schema });
  const config = variant === "deadline" ? { timeout: deadlineMs } : undefined;
  return { call: (args: Arguments) => search.invoke(args, config), outputOf: (answer) => answer };
}
