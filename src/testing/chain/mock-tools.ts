import { type FailureError, fail, isFailureError, definedOnly } from "../../base/index.ts";
import { type JsonSchema, fromJsonSchema } from "../../schema/index.ts";
import { suggest } from "../../text/index.ts";
import { type AnyTool, type Effect, type ToolContext, defineTool } from "../../tool/index.ts";
import type { Plan, ChainSpec, ErrorHandlingSpec, StepSpec } from "../../chain/index.ts";

/** Computes an answer; the tool returns or throws the same. */
export type MockHandler = (args: Readonly<Record<string, unknown>>, context: ToolContext) => unknown;

/** An output, a failure made by `fail()`, a function that returns one, or a result of {@link mock}. */
export type MockAnswer =
  | MockHandler
  | FailureError
  | Mock
  | Readonly<Record<string, unknown>>
  | readonly unknown[]
  | string
  | number
  | boolean
  | null
  | undefined;

/** A mock with more than an answer; made by {@link mock}. */
export interface MockOptions {
  /** The answer to every call. */
  readonly answer?: MockAnswer;
  /** One answer for each call, in order; a call beyond the last one fails. */
  readonly answers?: readonly MockAnswer[];
  /** Default: `pure`. */
  readonly effect?: Effect | ((args: unknown) => Effect);
  /** Default: any object. */
  readonly input?: JsonSchema;
  /** The output schema that the plan may rely on; a dry run generates its stub from it. */
  readonly output?: JsonSchema;
  readonly destructive?: boolean;
  readonly timeoutMs?: number;
}

/** One call that a mock received. */
export interface MockCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly idempotencyKey: string;
}

/** Mock tools for an engine, and the calls that they received. */
export interface MockTools extends Iterable<AnyTool> {
  /** In the order in which they began. */
  readonly calls: readonly MockCall[];
  /** The arguments of every call of one tool. */
  argsOf(tool: string): readonly Readonly<Record<string, unknown>>[];
}

const mockBrand: unique symbol = Symbol.for("windlass.mock") as never;

/** Made by {@link mock}. */
export interface Mock extends MockOptions {
  readonly [mockBrand]: true;
}

/**
 * A mock with an effect, schemas, or one answer for each call.
 *
 * @example
 * ```ts
 * mock({ effect: "read", answers: [fail("the service is down"), { results: [] }] });
 * ```
 */
export function mock(options: MockOptions): Mock {
  return { ...options, [mockBrand]: true };
}

/**
 * Creates tools for tests of chains: one for each tool that a chain names, answering by `behaviours` and recording
 * its arguments. A behavior is an output, a failure, a function of the arguments, or a {@link mock}; the one under
 * `*` applies to all others. A tool without any fails when it is called.
 *
 * @example
 * ```ts
 * const tools = mockTools(["web_search", "llm_summarize"], {
 *   web_search: { results: [{ url: "https://example.com/" }] },
 *   llm_summarize: ({ content }) => `about ${String(content)}`,
 * });
 * const engine = createEngine({ tools });
 * ```
 *
 * @see docs/how-to/test-a-chain.md
 */
export function mockTools(
  of: Plan | ChainSpec | Iterable<string>,
  behaviours: Readonly<Record<string, MockAnswer>> = {},
): MockTools {
  const calls: MockCall[] = [];
  const named = [...toolNames(of)];
  const names = new Set([...named, ...Object.keys(behaviours).filter((name) => name !== "*")]);
  const tools = [...names].map((name) => mockTool(name, behaviourOf(behaviours, name), calls));
  return {
    calls,
    argsOf: (tool) => {
      if (!names.has(tool)) throw unknownMock(tool, names);
      return calls.filter((call) => call.tool === tool).map(({ args }) => args);
    },
    [Symbol.iterator]: () => tools.values(),
  };
}

function mockTool(name: string, behaviour: Mock, calls: MockCall[]): AnyTool {
  let count = 0;
  const { effect = "pure", destructive, timeoutMs, output } = behaviour;
  return defineTool({
    name,
    description: `Mock of ${name}.`,
    effect,
    input: fromJsonSchema<Record<string, unknown>>(behaviour.input ?? anyObject),
    ...(output !== undefined && { output: fromJsonSchema(output) }),
    ...definedOnly({ destructive, timeoutMs }),
    run: (args, context): unknown => {
      calls.push({ tool: name, args, idempotencyKey: context.idempotencyKey });
      const answer = answerOf(name, behaviour, count++);
      return typeof answer === "function" ? answer(args, context) : copyOf(answer);
    },
  });
}

const anyObject: JsonSchema = { type: "object", additionalProperties: true };

function answerOf(name: string, { answer, answers }: Mock, count: number): MockAnswer {
  if (answers === undefined) return answer;
  if (count < answers.length) return answers[count];
  return fail(`the mock of ${name} has ${answers.length} answers, and was called once more`, { retry: "never" });
}

/** Copies the answer, because a chain must not change a value that its test still compares with. */
function copyOf(answer: MockAnswer): unknown {
  return typeof answer === "object" && answer !== null && !isFailureError(answer) ? structuredClone(answer) : answer;
}

function behaviourOf(behaviours: Readonly<Record<string, MockAnswer>>, name: string): Mock {
  const key = [name, "*"].find((key) => Object.hasOwn(behaviours, key));
  if (key === undefined) return { answer: unanswered(name), [mockBrand]: true };
  const behaviour = behaviours[key];
  return isMock(behaviour) ? behaviour : { answer: behaviour, [mockBrand]: true };
}

function isMock(behaviour: MockAnswer): behaviour is Mock {
  return typeof behaviour === "object" && behaviour !== null && mockBrand in behaviour;
}

function unanswered(name: string): FailureError {
  return fail(`the mock of ${name} has no answer: name ${name} (or "*") in the behaviors of mockTools()`, {
    code: "not_available",
    retry: "never",
  });
}

function unknownMock(tool: string, names: Iterable<string>): FailureError {
  const suggestion = suggest(tool, names);
  return fail(`there is no mock of ${tool}${suggestion === undefined ? "" : `; did you mean ${suggestion}?`}`, {
    code: "tool_not_found",
  });
}

/** Every tool that a chain names: of its steps, fallbacks and compensations. */
function toolNames(of: Plan | ChainSpec | Iterable<string>): Set<string> {
  if (typeof of === "string") return new Set([of]);
  if (Symbol.iterator in of) return new Set(of);
  const spec = "spec" in of ? of.spec : of;
  return new Set([...spec.steps.flatMap(namesOf), ...fallbackNames(spec.error_handling)]);
}

function namesOf(step: StepSpec): string[] {
  const undo = step.compensate?.tool;
  return [
    ...(step.tool === undefined ? [] : [step.tool]),
    ...fallbackNames(step.error_handling),
    ...(undo === undefined ? [] : [undo]),
  ];
}

function fallbackNames(handling: ErrorHandlingSpec | undefined): string[] {
  return (handling?.fallback ?? []).map(({ tool }) => tool);
}
