import { readFile } from "node:fs/promises";
import { fail, errorMessage } from "../base/index.ts";
import type { Resolver } from "../engine/index.ts";
import { hasErrors } from "../text/index.ts";
import { ChainError } from "./plan/chain-error.ts";
import type { ChainLibrary } from "./chain-library.ts";
import { ChainReport } from "./plan/chain-report.ts";
import { checkUntrusted } from "./plan/check-untrusted.ts";
import { planChain } from "./plan/plan-chain.ts";
import type { PlanContext, Plan } from "./plan/plan.ts";
import type { ChainSpec, TaintPolicy } from "./plan/chain-spec.ts";

/** A chain: the path of its file, its text, or its data. */
export type ChainInput = string | { readonly text: string; readonly file: string } | ChainSpec;

/** Options of {@link loadPlan} besides the chain. */
export interface LoadPlanOptions {
  readonly tools: Resolver;
  readonly chains?: ChainLibrary | undefined;
  /** `strict` rejects a chain, or a plan, that violates it although the chain itself is not strict. */
  readonly taint?: TaintPolicy | undefined;
}

/**
 * Plans a chain, or throws with all its problems. A plan is returned as it is.
 *
 * @example
 * ```ts
 * const plan = await loadPlan("chains/invoice.yaml", { tools: engine.resolver });
 * ```
 */
export async function loadPlan(chain: ChainInput | Plan, options: LoadPlanOptions): Promise<Plan> {
  const { tools, chains, taint } = options;
  if (typeof chain === "object" && "byId" in chain) return taint === "strict" ? trustworthy(chain) : chain;
  const source = typeof chain === "string" ? await readSource(chain) : chain;
  const context: PlanContext = chains === undefined ? { tools } : chains.context;
  const { plan, problems } = planChain(source, taint === "strict" ? { ...context, taint } : context);
  if (plan === undefined || hasErrors(problems))
    throw new ChainError(problems, "text" in source ? source.text : undefined);
  return plan;
}

/** Checks a plan that was created under looser settings; positions in its file are no longer known. */
function trustworthy(plan: Plan): Plan {
  const report = ChainReport.ofSpec(plan.name);
  checkUntrusted(plan, report, "strict");
  if (report.failed) throw new ChainError(report.problems, undefined);
  return plan;
}

async function readSource(file: string): Promise<{ text: string; file: string }> {
  try {
    return { text: await readFile(file, "utf8"), file };
  } catch (cause) {
    throw fail(`the chain ${file} cannot be read: ${errorMessage(cause)}`, {
      code: "file_invalid",
      cause,
    });
  }
}
