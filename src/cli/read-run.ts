import type { Plan } from "../chain/index.ts";
import { type JsonSchema, unknownKeys } from "../schema/index.ts";
import { oneLine } from "./format-table.ts";
import type { Invocation } from "./invocation.ts";
import { type GivenArguments, readArguments } from "./read-arguments.ts";
import { UsageError } from "./usage-error.ts";

/** The run that a person asked for. */
export interface AskedRun {
  readonly plan: Plan;
  readonly input: Readonly<Record<string, unknown>>;
  readonly context: Readonly<Record<string, unknown>>;
  readonly runId: string | undefined;
}

/** Says nothing about any value. */
const anything: JsonSchema = {};

/** Reads the input of a chain, typed as its schema says, and what goes with it. */
export async function readRun(plan: Plan, invocation: Invocation): Promise<AskedRun> {
  const [, ...pairs] = invocation.words;
  const given = await readArguments({
    pairs: [...invocation.texts("i"), ...pairs],
    text: invocation.text("input"),
    option: "--input",
    schema: plan.input.json,
  });
  checkKeys(given, { plan, invocation });
  const context = { pairs: invocation.texts("context"), text: undefined, option: "--context", schema: anything };
  return { plan, input: given.args, context: (await readArguments(context)).args, runId: invocation.text("runId") };
}

/** What a person typed and the chain does not know is a mistake; in a program's JSON it is worth a word. */
function checkKeys(given: GivenArguments, { plan, invocation }: { plan: Plan; invocation: Invocation }): void {
  const { terminal } = invocation;
  const unknown = unknownKeys(plan.input.json, given.args);
  const typed = unknown.find(({ path }) => given.typed.has(String(path[0])));
  if (typed !== undefined) {
    const { message, suggestion } = typed;
    const near = suggestion === undefined || message.includes(suggestion) ? [] : [`did you mean "${suggestion}"?`];
    throw new UsageError(`input of ${plan.name}: ${message}`, ...near);
  }
  for (const { message } of unknown) {
    terminal.tell(`${terminal.tint("yellow", "warning:")} ignored: ${oneLine(message)}`);
  }
}
