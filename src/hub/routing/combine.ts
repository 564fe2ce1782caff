import { canonicalJson } from "../../base/index.ts";
import type { ToolContext } from "../../tool/index.ts";
import type { ChoiceInvocation } from "./choice-deps.ts";
import { type CandidateAttempt, hasShape, pickContractFields } from "./judge-result.ts";
import { synthesizeResults } from "./synthesize-results.ts";
import { type JsonSchema, isRecord, listOf } from "../../schema/index.ts";
import { canonicalUrl } from "../../text/index.ts";
import type { MergeRule } from "./contract.ts";

/** One output combined from several. */
export interface CombinedOutput {
  readonly output: unknown;
  readonly synthesized: boolean;
  /** The method that combined it. */
  readonly by?: "data" | "model" | "merge";
  /** The candidates whose results it contains. */
  readonly used: readonly CandidateAttempt[];
}

/**
 * Combines the valid results to one output: lists of one shape are merged as data, equal results stay as they are, and
 * texts become one text. For all other data the best result is used: a caller that reads a field of an object must not
 * get a text only because a second tool responded.
 */
export async function combine(
  won: readonly CandidateAttempt[],
  made: ChoiceInvocation,
  context: ToolContext,
): Promise<CombinedOutput> {
  const outputs = won.map(({ verdict }) => (verdict.kind === "failed" ? null : verdict.output));
  const best: CombinedOutput = { output: outputs[0], synthesized: false, used: won.slice(0, 1) };
  if (won.length < 2) return best;
  const merged = mergedAsData(outputs, made);
  if (merged !== undefined) return { output: merged, synthesized: true, by: "data", used: won };
  const [first, ...others] = outputs.map(canonicalJson);
  if (others.every((other) => other === first)) return { ...best, used: won };
  if (!outputs.every((output) => typeof output === "string") || (await promisesMore(won, made))) return best;
  const { choice, world } = made;
  const { text, by } = await synthesizeResults({
    ...world,
    request: { tool: choice.name, arguments: made.args },
    kind: choice.kind,
    results: won.map(({ entrant }, at) => ({ source: entrant.candidate.label, output: outputs[at] })),
    signal: context.signal,
    log: (message) => context.log(message),
  });
  return { output: text, synthesized: true, by, used: won };
}

/** True if callers expect something other than text, by the contract or by every tool's schema. */
async function promisesMore(
  won: readonly CandidateAttempt[],
  { choice: { contract } }: ChoiceInvocation,
): Promise<boolean> {
  const schemas =
    contract === undefined ? won.map(({ entrant }) => entrant.candidate.registration.tool.output) : [contract.output];
  for (const schema of schemas) {
    if (schema === undefined || (await schema.validate("text")).issues === undefined) return false;
  }
  return true;
}

function mergedAsData(outputs: readonly unknown[], { choice, args }: ChoiceInvocation): unknown {
  const shape = choice.contract ?? choice.shape;
  if (shape?.merge === undefined || !outputs.every((output) => hasShape(output, shape))) return undefined;
  const merged = mergeLists(outputs, { rule: shape.merge, schema: shape.output?.json ?? {}, args });
  return hasShape(merged, shape) ? merged : undefined;
}

/** Options of {@link mergeLists}. */
interface MergeOptions {
  readonly rule: MergeRule;
  /** Schema of the outputs; fields that it does not name are specific to one tool, and omitted. */
  readonly schema: JsonSchema;
  /** Arguments, which may have the requested number of items. */
  readonly args: unknown;
}

/** Maximum number of items, even if more are requested. */
const maxItems = 1_000;

/** One output with the items of all: first the best of each, then the second best, each item once. */
export function mergeLists(outputs: readonly unknown[], { rule, schema, args }: MergeOptions): unknown {
  const records = outputs.filter(isRecord);
  const lists = records.map((output) => listOf(output[rule.list]));
  const limit = requestedCount(args, rule);
  const found = new Map<string, unknown>();
  const maxLength = Math.max(0, ...lists.map(({ length }) => length));
  for (let rank = 0; rank < maxLength && found.size < limit; rank++) {
    for (const list of lists) {
      if (rank >= list.length || found.size >= limit) continue;
      const item = list[rank];
      const key = keyOf(item, rule);
      if (!found.has(key)) found.set(key, item);
    }
  }
  // The fields of the first output take precedence; missing ones come from the next.
  const rest = Object.assign({}, ...records.toReversed().map((output) => pickContractFields(output, schema))) as object;
  return { ...rest, [rule.list]: [...found.values()] };
}

function requestedCount(args: unknown, { maxItems: limit }: MergeRule): number {
  const requested = limit !== undefined && isRecord(args) ? args[limit] : undefined;
  return typeof requested === "number" && requested >= 1 ? Math.min(Math.floor(requested), maxItems) : maxItems;
}

function keyOf(item: unknown, { key }: MergeRule): string {
  const value = isRecord(item) ? item[key] : undefined;
  return typeof value === "string" ? canonicalUrl(value) : canonicalJson(item);
}
