import { FailureError, isFailureError } from "../base/index.ts";
import {
  type AnySchema,
  type JsonSchema,
  type Schema,
  type SchemaInput,
  type SchemaOutput,
  fromJsonSchema,
  fromStandard,
  isStandardSchema,
  toSchema,
} from "../schema/index.ts";
import { checkDefinition, checkInput, checkInputJsonSchema } from "./check-definition.ts";
import type { CompositeContext, ToolContext } from "./context.ts";
import type { Ok } from "./result.ts";
import { type CachePolicy, type Effect, type HandlerReturn, type Tool, type ToolInfo, toolBrand } from "./tool.ts";

/** What a tool without parameters takes. */
export type NoInput = Record<string, never>;

/** What callers of a tool with input schema `S` pass. */
export type InputFor<S> = [S] extends [undefined] ? NoInput : SchemaInput<S, Record<string, unknown>>;

/** What the handler of a tool with input schema `S` gets. */
export type ArgsFor<S> = [S] extends [undefined] ? NoInput : SchemaOutput<S, Record<string, unknown>>;

/** The second parameter of a handler; only a composite tool can call others. */
export type ContextFor<Composite> = true extends Composite ? ToolContext & CompositeContext : ToolContext;

/** What a handler may return: anything, or what the output schema takes. */
export type ReturnFor<O> = [O] extends [undefined] ? unknown : HandlerReturn<SchemaInput<O>>;

type Settled<T> = T extends FailureError ? never : T extends Ok<infer Output> ? Output : T;
type Unwrapped<R> =
  R extends AsyncGenerator<unknown, infer T, infer _Next>
    ? Settled<T>
    : R extends Promise<infer T>
      ? Settled<T>
      : Settled<R>;

/** The output of a tool with output schema `O` whose handler returns `R`. */
export type OutputFor<O, R> = [O] extends [undefined] ? Unwrapped<R> : SchemaOutput<O>;

/** What `defineTool` takes. */
export interface ToolDefinition<S, O, Composite, R> extends Partial<
  Omit<ToolInfo, "name" | "description" | "composite" | "revision">
> {
  /** Letters of any script, digits, `_`, `-` and `.`; one `/` may follow a namespace. */
  readonly name: string;
  /** What the tool does and when to use it; a model chooses by it. */
  readonly description: string;
  /** What callers pass: any Standard Schema, JSON Schema, or the result of `fromJsonSchema`. Absent: no parameters. */
  readonly input?: S;
  /** The input side as JSON Schema, for a schema library that cannot produce it. */
  readonly inputJsonSchema?: JsonSchema;
  /** What the handler must return; checked after every call. */
  readonly output?: O;
  /** Gives the handler `ctx.callTool`. */
  readonly composite?: Composite;
  /** May it run again? `once` where nothing is said. */
  readonly effect?: Effect | ((args: ArgsFor<S>) => Effect);
  /** Should someone be asked first? By default, where the effect is `once`. */
  readonly destructive?: boolean | ((args: ArgsFor<S>) => boolean);
  readonly timeoutMs?: number | ((args: ArgsFor<S>) => number);
  /** For `pure` and `read` tools only. */
  readonly cache?: CachePolicy;
  /** Does the work. Yields of an async generator are progress, its return value is the output. */
  readonly run: (args: ArgsFor<S>, context: ContextFor<Composite>) => R;
}

/**
 * Defines a tool. The input schema gives the handler its argument types and callers theirs; what the handler returns,
 * or the output schema, gives the type of the result. Everything is checked here: a definition that cannot work
 * throws a `tool_invalid` failure that says what to change.
 *
 * @example
 * ```ts
 * const search = defineTool({
 *   name: "web_search",
 *   description: "Searches the web.",
 *   effect: "read",
 *   input: z.object({ query: z.string(), limit: z.number().max(100).default(10) }),
 *   run: async ({ query, limit }, { signal }) => findPages(query, limit, signal),
 * });
 * ```
 */
export function defineTool<
  S extends AnySchema | undefined = undefined,
  O extends AnySchema | undefined = undefined,
  const Composite extends boolean = false,
  R extends ReturnFor<O> = ReturnFor<O>,
>(definition: ToolDefinition<S, O, Composite, R>): Tool<InputFor<S>, ArgsFor<S>, OutputFor<O, R>> {
  checkDefinition(definition);
  const { name, effect = "once" } = definition;
  const input = inputSchema(name, definition.input, definition.inputJsonSchema);
  checkInput(name, input.json);
  const tool = {
    ...infoOf(definition),
    [toolBrand]: true,
    input,
    ...(definition.output !== undefined && { output: outputSchema(name, definition.output) }),
    effect,
    destructive: definition.destructive ?? destructiveBy(effect),
    ...(definition.timeoutMs !== undefined && { timeoutMs: definition.timeoutMs }),
    ...(definition.cache !== undefined && { cache: Object.freeze({ ttlMs: definition.cache.ttlMs }) }),
    run: definition.run,
  };
  // The compiler cannot follow the conditional types above; the type tests do.
  return Object.freeze(tool) as unknown as Tool<InputFor<S>, ArgsFor<S>, OutputFor<O, R>>;
}

/** What a definition need not say. */
const usual: Omit<ToolInfo, "name" | "description" | "displayName" | "id" | "revision"> = {
  version: "1.0.0",
  status: "active",
  category: "general",
  tags: [],
  aliases: [],
  capabilities: [],
  alwaysEnabled: false,
  background: false,
  gated: false,
  composite: false,
};

function infoOf(given: Partial<ToolInfo> & Pick<ToolInfo, "name" | "description">): ToolInfo {
  const { name, description, displayName = name, id = name } = given;
  const said = Object.entries(given).filter(([key, value]) => Object.hasOwn(usual, key) && value !== undefined);
  // The entries are the definition's own, already checked.
  const info = { ...usual, ...(Object.fromEntries(said) as Partial<ToolInfo>), name, description, displayName, id };
  return {
    ...info,
    tags: Object.freeze([...info.tags]),
    aliases: Object.freeze([...info.aliases]),
    capabilities: Object.freeze([...info.capabilities]),
  };
}

const harmless: ReadonlySet<Effect> = new Set(["pure", "read", "idempotent"]);

function destructiveBy<Args>(effect: Effect | ((args: Args) => Effect)): boolean | ((args: Args) => boolean) {
  // What is no effect counts as `once`: a function of somebody else's may answer anything.
  return typeof effect === "function" ? (args) => !harmless.has(effect(args)) : !harmless.has(effect);
}

function inputSchema(name: string, input: AnySchema | undefined, json: JsonSchema | undefined): Schema {
  if (json !== undefined) checkInputJsonSchema(name, input);
  return inTool(`tool ${JSON.stringify(name)}: \`input\``, () => {
    if (input === undefined) return fromJsonSchema(json ?? { type: "object", properties: {} });
    return isStandardSchema(input) ? fromStandard(input, json === undefined ? {} : { json }) : toSchema(input);
  });
}

function outputSchema(name: string, output: AnySchema): Schema {
  return inTool(`tool ${JSON.stringify(name)}: \`output\``, () =>
    isStandardSchema(output) ? fromStandard(output, { side: "output" }) : toSchema(output),
  );
}

/** Says in which tool a schema cannot be used. */
function inTool<T>(where: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!isFailureError(error)) throw error;
    throw new FailureError(`${where}: ${error.message}`, {
      code: error.code,
      ...(error.reason !== undefined && { reason: error.reason }),
      cause: error,
    });
  }
}
