import type { Clock, Failure } from "../base/index.ts";
import type { Door } from "../net/index.ts";
import type { JsonSchema, Schema } from "../schema/index.ts";
import type { FileReport } from "../schema/index.ts";
import type { AnyTool, CachePolicy } from "./tool.ts";

/** What the `entry` of a tool file comes to: a handler, and what holds where the file itself states nothing. */
export interface EntryPlan extends Pick<AnyTool, "run" | "effect" | "destructive"> {
  readonly timeoutMs?: AnyTool["timeoutMs"] | undefined;
  readonly cache?: CachePolicy | undefined;
  readonly output?: Schema | undefined;
  readonly composite?: boolean;
  /** The file is fine, but what it names cannot run. */
  readonly broken?: Failure | undefined;
  /** Files besides the tool's own that decide what it does; it is read anew when one of them changes. */
  readonly modules?: readonly string[];
}

/** Tools by name: a registry, or any other lookup that knows its names. */
export interface ToolLookup {
  get(name: string): AnyTool | undefined;
  names(): Iterable<string>;
}

/** The door to the network, as tool files use it. */
export type HttpPort = Pick<Door, "request">;

/** What surrounds a tool file. */
export interface EntryWorld {
  /** What `entry.handler` may name. */
  readonly executors: ToolLookup;
  /** Without it, HTTP entries answer `not_available`. */
  readonly http?: HttpPort | undefined;
  /** The workspace: modules and working folders stay inside. */
  readonly root: string;
  /** Absolute; modules are relative to its folder. */
  readonly path: string;
  /** Names that `${secret.X}` may use; undefined skips the check. */
  readonly secretNames?: Iterable<string> | undefined;
  /** Where commands find PATH, HOME and LANG. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
}

/** One `entry` to read. */
export interface EntrySource {
  readonly entry: Readonly<Record<string, unknown>>;
  /** The input schema of the file. */
  readonly parameters: JsonSchema;
  readonly report: FileReport;
  readonly world: EntryWorld;
}
