import { isRecord } from "../../schema/index.ts";
import type { AgentRun } from "../run/agent-run.ts";
import { mayUse } from "../run/may-use.ts";
import type { OfferedTools } from "./offered-tools.ts";

/** Tools that `find_tools` told of can be called by their definitions from now on, as far as they fit. */
export function offerFound(run: AgentRun, offered: OfferedTools, output: unknown): void {
  const { engine, spec } = run;
  for (const name of namesIn(output)) {
    const tool = engine.resolver.resolve(name)?.tool;
    if (tool === undefined || !mayUse(run, tool)) continue;
    if (offered.tokens < spec.toolTokens * 2) offered.add(tool);
  }
}

function namesIn(output: unknown): string[] {
  const found = isRecord(output) ? output["tools"] : undefined;
  if (!Array.isArray(found)) return [];
  return found.flatMap((one: unknown) => (isRecord(one) && typeof one["name"] === "string" ? [one["name"]] : []));
}
