import type { Failure } from "../base/index.ts";
import type { Schema } from "../schema/index.ts";
import type { CompositeContext, ToolContext } from "./context.ts";
import type { Jsonified } from "./jsonified.ts";
import type { Returned } from "./result.ts";

/**
 * May a tool run again?
 * - `pure`: its output depends only on its arguments;
 * - `read`: it reads the world and changes nothing;
 * - `idempotent`: it writes, but twice is once;
 * - `once`: a second run does harm. Unknown means `once`.
 */
export type Effect = "pure" | "read" | "idempotent" | "once";

/** Whether a tool is on offer. A `disabled` or `draft` tool answers `not_available`. */
export type ToolStatus = "active" | "deprecated" | "draft" | "disabled";

/** The categories that the YAML form knows by name; any other word is allowed. */
export const knownCategories = ["http", "database", "file", "ai", "notification", "custom", "general"] as const;

/** Results of a `pure` or `read` tool may be reused for this long. */
export interface CachePolicy {
  readonly ttlMs: number;
}

/** What describes a tool besides its schemas and its handler. */
export interface ToolInfo {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  /** The name people see; the name itself where none was given. */
  readonly displayName: string;
  readonly id: string;
  readonly status: ToolStatus;
  readonly category: string;
  readonly tags: readonly string[];
  /** Other names of the same tool, hidden from lists. */
  readonly aliases: readonly string[];
  /** Declared capabilities, such as `search`. */
  readonly capabilities: readonly string[];
  /** Offered to models whatever a settings page switches off. */
  readonly alwaysEnabled: boolean;
  /** Works without being shown to people step by step. */
  readonly background: boolean;
  /** Answers `not_available` until the engine's `enabledTools` names it. */
  readonly gated: boolean;
  /** Calls other tools through `ctx.callTool`. */
  readonly composite: boolean;
  /**
   * A hash of the file that the tool comes from, and of the modules of the workspace behind it. A tool that was made in
   * code has none.
   */
  readonly revision?: string;
}

/** A handler's return: a value, a promise of one, or an async generator whose yields are progress. */
export type HandlerReturn<Output> =
  | Returned<Output>
  | Promise<Returned<Output>>
  | AsyncGenerator<unknown, Returned<Output>>;

/**
 * A tool: a named, versioned, described function with an input schema, an effect and limits.
 * Made by `defineTool` or from a YAML file; recognised by brand, never by class.
 */
export interface Tool<Input = unknown, Args = Input, Output = unknown> extends ToolInfo {
  readonly [toolBrand]: true;
  readonly input: Schema<Args, Input>;
  readonly output?: Schema<Output>;
  readonly effect: Effect | ((args: Args) => Effect);
  readonly destructive: boolean | ((args: Args) => boolean);
  /** Deadline of one attempt; the call's context decides where this is absent. */
  readonly timeoutMs?: number | ((args: Args) => number);
  readonly cache?: CachePolicy;
  /** Set when the tool cannot run at all, for example because its executor is missing. */
  readonly broken?: Failure;
  run(args: Args, context: ToolContext & CompositeContext): HandlerReturn<Output>;
}

/** Any tool, whatever it takes and gives. */
// `any` in the argument position: a tool that takes X is no Tool<unknown>, parameters being contravariant.
// oxlint-disable-next-line typescript/no-explicit-any
export type AnyTool = Tool<any, any, any>;

/** What a caller passes to tool `T`. */
export type InputOf<T> = T extends Tool<infer Input, infer _Args, infer _Output> ? Input : never;

/** What a call of tool `T` gives: its output, as JSON leaves it. */
export type OutputOf<T> = T extends Tool<infer _Input, infer _Args, infer Output> ? Jsonified<Output> : never;

export const toolBrand: unique symbol = Symbol.for("windlass.tool") as never;

/** Was this value made by `defineTool`, of this or another copy of Windlass? */
export function isTool(value: unknown): value is AnyTool {
  return typeof value === "object" && value !== null && toolBrand in value;
}
