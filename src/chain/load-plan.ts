import { readFile } from "node:fs/promises";
import { fail } from "../base/index.ts";
import type { Resolver } from "../engine/index.ts";
import { hasErrors } from "../text/index.ts";
import { ChainError } from "./chain-error.ts";
import type { ChainLibrary } from "./library.ts";
import { planChain } from "./plan/plan-chain.ts";
import type { Plan } from "./plan/plan.ts";
import type { ChainSpec } from "./plan/spec.ts";

/** A chain: the path of its file, its text, or its data. */
export type ChainSource = string | { readonly text: string; readonly file: string } | ChainSpec;

/** Plans a chain, or throws with everything that is wrong with it. A plan is given back as it is. */
export async function loadPlan(
  chain: ChainSource | Plan,
  { tools, chains }: { readonly tools: Resolver; readonly chains?: ChainLibrary | undefined },
): Promise<Plan> {
  if (isPlan(chain)) return chain;
  const source = typeof chain === "string" ? await readSource(chain) : "text" in chain ? chain : { spec: chain };
  const { plan, problems } = planChain(source, chains === undefined ? { tools } : chains.context);
  if (plan === undefined || hasErrors(problems))
    throw new ChainError(problems, "text" in source ? source.text : undefined);
  return plan;
}

function isPlan(chain: ChainSource | Plan): chain is Plan {
  return typeof chain === "object" && "byId" in chain;
}

async function readSource(file: string): Promise<{ text: string; file: string }> {
  try {
    return { text: await readFile(file, "utf8"), file };
  } catch (cause) {
    throw fail(`the chain ${file} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`, {
      code: "file_invalid",
      cause,
    });
  }
}
