import type { Clock, Failure } from "../base/index.ts";
import type { HttpClient } from "../net/index.ts";
import type { JsonSchema, Schema } from "../schema/index.ts";
import type { FileReport } from "../schema/index.ts";
import type { PromptSender } from "./entry-prompt.ts";
import type { AnyTool, CachePolicy } from "./tool.ts";
import type { ToolNeeds } from "./tool-needs.ts";

/** The resolved `entry` of a tool file: a handler, and defaults for settings that the file itself omits. */
export interface EntryPlan extends Pick<AnyTool, "run" | "effect"> {
  /** Undefined if it follows from the effect, as for a command: only `pure` and `read` are then not destructive. */
  readonly destructive?: AnyTool["destructive"] | undefined;
  readonly targets?: AnyTool["targets"] | undefined;
  readonly sends?: boolean | undefined;
  readonly timeoutMs?: AnyTool["timeoutMs"] | undefined;
  readonly cache?: CachePolicy | undefined;
  readonly output?: Schema | undefined;
  /** True if calls with undeclared parameters fail. */
  readonly closed?: boolean;
  readonly composite?: boolean;
  /** True if its results come from elsewhere than its arguments, so that a file cannot declare them pure. */
  readonly isExternal?: boolean;
  readonly callerContent?: boolean | undefined;
  /** Names of the tool that it delegates to: rules of `deny` and `ask` for them apply. */
  readonly handlerNames?: readonly string[];
  /** The file is fine, but what it names cannot run. */
  readonly broken?: Failure | undefined;
  /** True if that is one of the errors in the report. */
  readonly isReported?: boolean;
  /** Returns why the tool that it delegates to cannot work here. */
  readonly unavailable?: AnyTool["unavailable"] | undefined;
  /** Files besides the tool's own that define its behavior; it is reloaded when one of them changes. */
  readonly modules?: readonly string[];
  /** A hash of the scripts that its command runs, as they are now; undefined if there are none. */
  readonly scripts?: () => string | undefined;
  /** Files that its command names, absolute, existing or not; folders of its scripts end with a separator. */
  readonly commandFiles?: readonly string[];
}

/** Tools by name: a registry, or any other lookup that knows its names. */
export interface ToolDirectory {
  get(name: string): AnyTool | undefined;
  names(): Iterable<string>;
}

/** The HTTP client, as tool files use it. */
export type EntryHttpClient = Pick<HttpClient, "request">;

/** Environment of a tool file. */
export interface EntryDeps {
  /** Tools that `entry.handler` may name. */
  readonly executors: ToolDirectory;
  /** Without it, HTTP entries fail with `not_available`. */
  readonly http?: EntryHttpClient | undefined;
  /** Without it, entries with a prompt fail with `not_available`. */
  readonly prompts?: PromptSender | undefined;
  /** Names of models that an entry may use; undefined skips the check. */
  readonly modelNames?: Iterable<string> | undefined;
  /** The workspace: modules and working folders stay inside. */
  readonly root: string;
  /** Absolute; modules are relative to its folder. */
  readonly path: string;
  /** Names that `${secret.X}` may use; undefined skips the check. */
  readonly secretNames?: Iterable<string> | undefined;
  /** Source of PATH, HOME and LANG for commands. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  /** Why a tool with these needs is not used; undefined if it is. Without it, every tool is used. */
  readonly refuses?: RefuseNeeds | undefined;
}

/** Decides on the needs of a tool. */
export type RefuseNeeds = (needs: ToolNeeds) => Failure | undefined;

/** One `entry` to read. */
export interface EntryInput {
  /** The whole file. */
  readonly file: Readonly<Record<string, unknown>>;
  readonly entry: Readonly<Record<string, unknown>>;
  /** The input schema of the file. */
  readonly parameters: JsonSchema;
  /** The output that the file declares. */
  readonly output: Schema | undefined;
  /** Parameters for which the entry has a placeholder of another language; these are reported. */
  readonly placeholders: ReadonlySet<string>;
  readonly report: FileReport;
  readonly world: EntryDeps;
}
