import type { Failure } from "../base/index.ts";
import type { Schema } from "../schema/index.ts";
import type { CompositeContext, ToolContext } from "./context.ts";
import type { HandlerValue } from "./result.ts";

/**
 * States whether a tool may run again.
 * - `pure`: its output depends only on its arguments;
 * - `read`: it reads external state and changes nothing;
 * - `idempotent`: it writes, but running it twice has the same effect as once;
 * - `once`: it must not run twice. Unknown means `once`.
 */
export type Effect = "pure" | "read" | "idempotent" | "once";

/** Availability of a tool. A call of a `disabled` or `draft` tool fails with `not_available`. */
export type ToolStatus = "active" | "deprecated" | "draft" | "disabled";

/** The categories with a predefined meaning; any other word is allowed. */
export const knownCategories = ["http", "database", "file", "ai", "notification", "custom", "general"] as const;

/** Results of a `pure` or `read` tool may be reused for this long. */
export interface CachePolicy {
  readonly ttlMs: number;
}

/** Kinds of parameters that decide what a call concerns: a file or folder, an address, or a program. */
export const targetKinds = ["path", "url", "command"] as const;

export type TargetKind = (typeof targetKinds)[number];

/** The arguments of a tool from those of a contract, and the output of the contract from the tool's. */
export interface ContractMapping {
  readonly arguments?: unknown;
  readonly result?: unknown;
}

/** A call that a tool makes through others, such as a step of a chain. */
export interface CoveredCall {
  readonly tool: string;
  /** The step that makes it. */
  readonly step?: string;
}

/** Description of a tool besides its schemas and its handler. */
export interface ToolInfo {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  /** The name shown to people. Default: the name. */
  readonly displayName: string;
  readonly id: string;
  readonly status: ToolStatus;
  readonly category: string;
  readonly tags: readonly string[];
  /** Other names of the same tool, hidden from lists. */
  readonly aliases: readonly string[];
  /** Declared capabilities, such as `search`. */
  readonly capabilities: readonly string[];
  /** Always offered to models, even if a settings page disables it. */
  readonly alwaysEnabled: boolean;
  /** Runs without being shown to people step by step. */
  readonly background: boolean;
  /** Calls fail with `not_available` until the engine's `enabledTools` names it. */
  readonly gated: boolean;
  /** Calls other tools through `ctx.callTool`. */
  readonly composite: boolean;
  /**
   * True if the definition comes from a source that is not trusted, such as an MCP server whose definitions no person
   * has approved: a conversation in which a model can read it contains untrusted content.
   */
  readonly untrustedDefinition?: boolean;
  /** A hash of the tool's file, and of the modules of the workspace behind it. A tool defined in code has none. */
  readonly revision?: string;
}

/** A handler's return: a value, a promise of one, or an async generator whose yields are progress. */
export type HandlerReturn<Output> =
  | HandlerValue<Output>
  | Promise<HandlerValue<Output>>
  | AsyncGenerator<unknown, HandlerValue<Output>>;

/**
 * A tool: a named, versioned, described function with an input schema, an effect and limits. Made by `defineTool` or
 * from a YAML file; recognized by brand, never by class.
 */
export interface Tool<Input = unknown, Args = Input, Output = unknown> extends ToolInfo {
  readonly [toolBrand]: true;
  readonly input: Schema<Args, Input>;
  readonly output?: Schema<Output>;
  readonly effect: Effect | ((args: Args) => Effect);
  readonly destructive: boolean | ((args: Args) => boolean);
  /** Parameters that decide what a call acts on. A call whose target is decided by untrusted content needs approval. */
  readonly targets?: Readonly<Record<string, TargetKind>>;
  /** True if the tool sends data to others: permission rules can select it with `sends`. */
  readonly sends?: boolean;
  /**
   * True if its results contain what callers passed to it, now or in earlier conversations: a model may have composed the
   * URLs in them, so they are requested only with approval.
   */
  readonly callerContent?: boolean;
  /** The destructive calls that the tool makes: an approval of its call lists and covers them. For chains and agents. */
  readonly coveredCalls?: () => readonly CoveredCall[];
  /**
   * Returns why a call fails even if it is approved; undefined if it can run. Such a call fails before an approval is
   * requested. `canElicit`: approvals can be requested from the caller while the call runs.
   */
  readonly refuseApproval?: (canElicit: boolean) => Failure | undefined;
  /**
   * Returns a hash of the scripts that the tool's command runs, as they are now; undefined if there are none. An approval
   * of a call is bound to it.
   */
  readonly scripts?: () => string | undefined;
  /** Deadline of one attempt. Default: decided by the call's context. */
  readonly timeoutMs?: number | ((args: Args) => number);
  /** Names of the tool that a file delegates to: permission rules of `deny` and `ask` for them apply to this one, too. */
  readonly handlerNames?: readonly string[];
  /** `destructive` of what a file delegates to, if the file states another: the paths of such a tool are targets anyway. */
  readonly entryDestructive?: boolean | ((args: Args) => boolean);
  readonly cache?: CachePolicy;
  /** Set when the tool cannot run at all, for example because its executor is missing. */
  readonly broken?: Failure;
  /**
   * Returns why the tool cannot work here, such as a missing provider; undefined if it can. Such a tool is not offered
   * to models and is not a candidate of a capability. A call of it runs and fails with the reason.
   */
  readonly unavailable?: () => string | undefined;
  /** @internal Most prompts need it: if not all tools can be offered, the core tools with the lowest numbers come first. */
  readonly core?: number;
  /** @internal Its output contains only data of this program, no untrusted content. Counts for built-in tools. */
  readonly trusted?: boolean;
  /** @internal How it serves the contracts of capabilities, by capability. */
  readonly contracts?: Readonly<Record<string, ContractMapping>>;
  /** Aliases with their own input and output, such as names of earlier versions. A call of one is a call of the tool. */
  readonly forms?: Readonly<Record<string, AnyTool>>;
  /** The tool of a form: it has the same name and aliases. */
  readonly formOf?: AnyTool;
  run(args: Args, context: ToolContext & CompositeContext): HandlerReturn<Output>;
}

/** Any tool, with any input and output. */
// `any` in the argument position: a tool that accepts X is not a Tool<unknown>, because parameters are contravariant.
// oxlint-disable-next-line typescript/no-explicit-any
export type AnyTool = Tool<any, any, any>;

/** The type that a caller passes to tool `T`. */
export type InputOf<T> = T extends Tool<infer Input, infer _Args, infer _Output> ? Input : never;

/** The output type of a call of tool `T`, after its conversion to JSON. */
export type OutputOf<T> = T extends Tool<infer _Input, infer _Args, infer Output> ? Jsonify<Output> : never;

export const toolBrand: unique symbol = Symbol.for("windlass.tool") as never;

/**
 * True if this value was made by `defineTool`, of this or another copy of Windlass.
 *
 * @example
 * ```ts
 * const tools = Object.values(await import("./tools/harbour.js")).filter(isTool);
 * ```
 */
export function isTool(value: unknown): value is AnyTool {
  return typeof value === "object" && value !== null && toolBrand in value;
}

/** True if the tool is neither broken nor in need of something that is missing here. */
export function isUsable({ broken, unavailable }: AnyTool): boolean {
  return broken === undefined && unavailable?.() === undefined;
}

/** The effect in one word; `varies` if the arguments decide. */
export function effectLabel({ effect }: AnyTool): Effect | "varies" {
  return typeof effect === "function" ? "varies" : effect;
}

/**
 * A type after a round trip through JSON: dates become text, undefined becomes null, methods are removed. Outputs are
 * JSON, so callers get exactly this.
 */
export type Jsonify<T> = unknown extends T
  ? T
  : T extends string | number | boolean | null
    ? T
    : T extends undefined | void
      ? null
      : T extends { toJSON(): infer R }
        ? Jsonify<R>
        : T extends Unwritable
          ? never
          : T extends readonly unknown[]
            ? { [K in keyof T]: Jsonify<T[K]> }
            : T extends object
              ? { [K in keyof T as T[K] extends Unwritable ? never : K]: Member<T[K]> }
              : never;

/** A missing member stays missing; it does not become null. */
type Member<T> = undefined extends T ? Jsonify<Exclude<T, undefined>> | undefined : Jsonify<T>;

type Unwritable = symbol | bigint | ((...args: never[]) => unknown);
