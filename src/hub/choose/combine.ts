import { canonicalJson } from "../../base/index.ts";
import type { ToolContext } from "../../tool/index.ts";
import type { MadeChoice } from "./choice-world.ts";
import { type Tried, hasShape } from "./judge-result.ts";
import { mergeLists } from "./merge-lists.ts";
import { synthesise } from "./synthesise.ts";

/** One output made of several. */
export interface Combined {
  readonly output: unknown;
  readonly synthesized: boolean;
  /** What made it. */
  readonly by?: "data" | "model" | "merge";
  /** Whose results are in it. */
  readonly used: readonly Tried[];
}

/**
 * Makes one output of the results that count: lists of one form are merged as data, what is equal stays as it is, and
 * texts become one text. Of all other data the best stands for all: nobody who reads a field of an object gets a text
 * only because a second tool answered.
 */
export async function combine(won: readonly Tried[], made: MadeChoice, context: ToolContext): Promise<Combined> {
  const outputs = won.map(({ verdict }) => (verdict.kind === "failed" ? null : verdict.output));
  const best: Combined = { output: outputs[0], synthesized: false, used: won.slice(0, 1) };
  if (won.length < 2) return best;
  const merged = mergedAsData(outputs, made);
  if (merged !== undefined) return { output: merged, synthesized: true, by: "data", used: won };
  const [first, ...others] = outputs.map(canonicalJson);
  if (others.every((other) => other === first)) return { ...best, used: won };
  if (!outputs.every((output) => typeof output === "string") || (await promisesMore(won, made))) return best;
  const { choice, world } = made;
  const { text, by } = await synthesise({
    ...world,
    request: { tool: choice.name, arguments: made.args },
    kind: choice.kind,
    results: won.map(({ entrant }, at) => ({ source: entrant.candidate.label, output: outputs[at] })),
    signal: context.signal,
    log: (message) => context.log(message),
  });
  return { output: text, synthesized: true, by, used: won };
}

/** Do callers expect something else than text, since the contract or every tool says so? */
async function promisesMore(won: readonly Tried[], { choice: { contract } }: MadeChoice): Promise<boolean> {
  const schemas =
    contract === undefined ? won.map(({ entrant }) => entrant.candidate.registration.tool.output) : [contract.output];
  for (const schema of schemas) {
    if (schema === undefined || (await schema.validate("text")).issues === undefined) return false;
  }
  return true;
}

function mergedAsData(outputs: readonly unknown[], { choice, args }: MadeChoice): unknown {
  const shape = choice.contract ?? choice.shape;
  if (shape?.merge === undefined || !outputs.every((output) => hasShape(output, shape))) return undefined;
  const merged = mergeLists(outputs, { rule: shape.merge, schema: shape.output?.json ?? {}, args });
  return hasShape(merged, shape) ? merged : undefined;
}
