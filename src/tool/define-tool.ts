import { FailureError, isFailureError } from "../base/index.ts";
import {
  type AnySchema,
  type JsonSchema,
  type Schema,
  type SchemaInput,
  type SchemaOutput,
  type StandardSchema,
  fromJsonSchema,
  fromStandard,
  isStandardSchema,
  toSchema,
  type JsonOutput,
} from "../schema/index.ts";
import { checkToolDefinition, checkInputSchema, checkInputJsonSchema } from "./check-definition.ts";
import type { CompositeContext, ToolContext } from "./context.ts";
import type { Ok } from "./result.ts";
import {
  type CachePolicy,
  type ContractMapping,
  type CoveredCall,
  type Effect,
  type HandlerReturn,
  type TargetKind,
  type Tool,
  type ToolInfo,
  toolBrand,
} from "./tool.ts";

/** Input type of a tool without parameters. */
export type NoInput = Record<string, never>;

/** The type that callers pass to a tool with input schema `S`. */
export type InputFor<S> = [S] extends [undefined] ? NoInput : SchemaInput<S, Record<string, unknown>>;

/** The type that the handler of a tool with input schema `S` receives. */
export type ArgsFor<S> = [S] extends [undefined] ? NoInput : SchemaOutput<S, Record<string, unknown>>;

/** The second parameter of a handler; only a composite tool can call others. */
export type ContextFor<Composite> = true extends Composite ? ToolContext & CompositeContext : ToolContext;

/** Return type of a handler: anything, or the type that the output schema accepts. */
export type ReturnFor<O> = [O] extends [undefined] ? unknown : HandlerReturn<SchemaInput<O>>;

type Settled<T> = T extends FailureError ? never : T extends Ok<infer Output> ? Output : T;
type Unwrapped<R> =
  R extends AsyncGenerator<unknown, infer T, infer _Next>
    ? Settled<T>
    : R extends Promise<infer T>
      ? Settled<T>
      : Settled<R>;

/**
 * The output of a tool with output schema `O` whose handler returns `R`. A JSON Schema converts nothing, so the type of the
 * handler, which is checked against it, is the more precise one.
 */
export type OutputFor<O, R> = [O] extends [StandardSchema | Schema] ? SchemaOutput<O> : Unwrapped<R>;

/** A tool whose input is a literal JSON Schema. */
export type ToolFor<S, Output> = Tool<InputFor<S>, ArgsFor<S>, Output>;

/** A tool whose input and output are literal JSON Schemas. */
export type ToolOf<S, O> = ToolFor<S, JsonOutput<O>>;

/** Argument of `defineTool`. */
export interface ToolDefinition<S, O, Composite, R> extends Partial<
  Omit<ToolInfo, "name" | "description" | "composite" | "revision">
> {
  /** Letters of any script, digits, `_`, `-` and `.`; one `/` may follow a namespace. */
  readonly name: string;
  /** States what the tool does and when to use it; a model chooses by it. */
  readonly description: string;
  /**
   * Input schema: any Standard Schema, JSON Schema, or the result of `fromJsonSchema`. The types of a literal JSON Schema
   * are inferred. Default: no parameters.
   */
  readonly input?: S;
  /** The input side as JSON Schema, for a schema library that cannot produce it. */
  readonly inputJsonSchema?: JsonSchema;
  /** Output schema of the handler; checked after every call. */
  readonly output?: O;
  /** Provides `ctx.callTool` to the handler. */
  readonly composite?: Composite;
  /** States whether the tool may run again. Default: `once`. */
  readonly effect?: Effect | ((args: ArgsFor<S>) => Effect);
  /** States whether calls need approval first. Default: true if the effect is `once`. */
  readonly destructive?: boolean | ((args: ArgsFor<S>) => boolean);
  /**
   * The parameters that decide what a call concerns, such as `{ file: "path" }`. A call whose target untrusted content
   * decides needs approval.
   */
  readonly targets?: Readonly<Record<string, TargetKind>>;
  /** Set to true if the tool sends data to others: permission rules can select it with `sends`. */
  readonly sends?: boolean;
  /** Set to true if its results contain what callers passed to it, now or earlier: URLs in them do not count as known. */
  readonly callerContent?: boolean;
  /** The destructive calls that the tool makes: an approval of its call lists and covers them. */
  readonly coveredCalls?: () => readonly CoveredCall[];
  readonly timeoutMs?: number | ((args: ArgsFor<S>) => number);
  /** For `pure` and `read` tools only. */
  readonly cache?: CachePolicy;
  /** Returns why the tool cannot work here, such as a missing program; undefined if it can. Such a tool is not offered. */
  readonly unavailable?: () => string | undefined;
  /** @internal Most prompts need it: if not all tools can be offered, the core tools with the lowest numbers come first. */
  readonly core?: number;
  /** @internal Its output contains only data of this program, no untrusted content. Counts for built-in tools. */
  readonly trusted?: boolean;
  /** @internal How it serves the contracts of capabilities, by capability. */
  readonly contracts?: Readonly<Record<string, ContractMapping>>;
  /** Does the work. Yields of an async generator are progress, its return value is the output. */
  readonly run: (args: ArgsFor<S>, context: ContextFor<Composite>) => R;
}

/**
 * Defines a tool. The input schema determines the argument types of the handler and of callers; the return type of
 * the handler, or the output schema, determines the type of the result. Everything is checked here: an unusable
 * definition throws a `tool_invalid` failure with a suggested change.
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
 *
 * @see docs/guide/tools.md
 */
export function defineTool<
  const S extends AnySchema | undefined = undefined,
  const O extends AnySchema | undefined = undefined,
  const Composite extends boolean = false,
  R extends ReturnFor<O> = ReturnFor<O>,
>(definition: ToolDefinition<S, O, Composite, R>): Tool<InputFor<S>, ArgsFor<S>, OutputFor<O, R>> {
  checkToolDefinition(definition);
  const { name, effect = "once" } = definition;
  const input = inputSchema(name, definition.input, definition.inputJsonSchema);
  checkInputSchema(name, input.json);
  const tool = {
    ...infoOf(definition),
    [toolBrand]: true,
    input,
    ...(definition.output !== undefined && { output: outputSchema(name, definition.output) }),
    effect,
    destructive: definition.destructive ?? destructiveBy(effect),
    ...(definition.targets !== undefined && { targets: Object.freeze({ ...definition.targets }) }),
    ...Object.fromEntries(
      optionalFactNames.flatMap((name) => (definition[name] === undefined ? [] : [[name, definition[name]]])),
    ),
    ...(definition.cache !== undefined && { cache: Object.freeze({ ttlMs: definition.cache.ttlMs }) }),
    run: definition.run,
  };
  // The compiler cannot resolve the conditional types above; the type tests cover them.
  return Object.freeze(tool) as unknown as Tool<InputFor<S>, ArgsFor<S>, OutputFor<O, R>>;
}

/** Facts that are copied from the definition, where it states them. */
const optionalFactNames = [
  "sends",
  "callerContent",
  "coveredCalls",
  "timeoutMs",
  "unavailable",
  "core",
  "trusted",
  "contracts",
] as const;

/** Defaults of a definition. */
const toolDefaults: Omit<ToolInfo, "name" | "description" | "displayName" | "id" | "revision"> = {
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

function infoOf(provided: Partial<ToolInfo> & Pick<ToolInfo, "name" | "description">): ToolInfo {
  const { name, description, displayName = name, id = name } = provided;
  const text = Object.entries(provided).filter(
    ([key, value]) => Object.hasOwn(toolDefaults, key) && value !== undefined,
  );
  // The entries come from the definition and are already checked.
  const info = {
    ...toolDefaults,
    ...(Object.fromEntries(text) as Partial<ToolInfo>),
    name,
    description,
    displayName,
    id,
  };
  return {
    ...info,
    tags: Object.freeze([...info.tags]),
    aliases: Object.freeze([...info.aliases]),
    capabilities: Object.freeze([...info.capabilities]),
  };
}

const harmless: ReadonlySet<Effect> = new Set(["pure", "read", "idempotent"]);

function destructiveBy<Args>(effect: Effect | ((args: Args) => Effect)): boolean | ((args: Args) => boolean) {
  // An unknown value counts as `once`: a user-supplied function may return anything.
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

/** Names the tool in the error of an unusable schema. */
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
