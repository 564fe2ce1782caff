import type { Plan } from "../../../chain/index.ts";
import { type JsonSchema, unknownKeys } from "../../../schema/index.ts";
import type { Invocation } from "../../program/invocation.ts";
import { UsageError } from "../../program/usage-error.ts";
import { type CliArguments, readArguments } from "../call/read-arguments.ts";

/** A chain, as far as its input is read. */
export interface ChainInput {
  readonly name: string;
  readonly input: { readonly json: JsonSchema };
}

/** The requested run. */
export interface RunRequest<Chain extends ChainInput = Plan> {
  readonly plan: Chain;
  readonly input: Readonly<Record<string, unknown>>;
  readonly context: Readonly<Record<string, unknown>>;
  readonly runId: string | undefined;
}

/** Reads the input of a chain, parsed according to its schema, and the other options of the run. */
export async function readRun<Chain extends ChainInput>(
  plan: Chain,
  invocation: Invocation,
): Promise<RunRequest<Chain>> {
  const [, ...pairs] = invocation.words;
  const words = [...invocation.texts("i"), ...pairs];
  const parsedInput = await readArguments(words, "--input", invocation.text("input"), plan.input.json);
  checkKeys(parsedInput, plan);
  checkForms(parsedInput, plan);
  const { args: context } = await readArguments(invocation.texts("context"), "--context", undefined, {});
  return { plan, input: parsedInput.args, context, runId: invocation.text("runId") };
}

/** Throws for a value that has to be written in another way. */
function checkForms({ forms }: CliArguments, plan: ChainInput): void {
  const [[key, form] = []] = forms ?? [];
  if (key === undefined || form === undefined) return;
  const kind = form.startsWith("write a list") ? "a list" : "an object";
  throw new UsageError(`input of ${plan.name}: ${key} must be ${kind}`, form);
}

/** Throws for an unknown key. */
function checkKeys({ args }: CliArguments, plan: ChainInput): void {
  const [unknown] = unknownKeys(plan.input.json, args);
  if (unknown === undefined) return;
  const { message, suggestion } = unknown;
  const near = suggestion === undefined || message.includes(suggestion) ? [] : [`did you mean "${suggestion}"?`];
  throw new UsageError(`input of ${plan.name}: ${message}`, ...near);
}
