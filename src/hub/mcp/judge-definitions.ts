import { nameGlob, plainJsonSize } from "../../base/index.ts";
import { showUnsafe } from "../../text/index.ts";
import { type Pin, checkDefinition, definitionFault, definitionHash, pinnedParts } from "./check-definition.ts";
import { toolNames } from "./mcp-names.ts";
import type { McpDefinition } from "./mcp-port.ts";
import type { McpServer } from "./server-config.ts";
import { changedFrom } from "./server-identity.ts";
import type { McpSourceLimits } from "./source-limits.ts";
import type { McpSourceReason } from "./source-reasons.ts";
import type { KeptPins } from "./state-files.ts";

/** A tool of a server, and whether it can be used. */
export interface JudgedTool {
  readonly definition: McpDefinition;
  /** The full name, `server/tool`. */
  readonly name: string;
  readonly short: string;
  readonly hash: string;
  readonly refused?: { readonly reason: McpSourceReason; readonly message: string };
}

/** What became of the definitions of a server. */
export interface Judged {
  /** All that are small enough to be kept, whether they are offered or not. */
  readonly definitions: readonly McpDefinition[];
  readonly tools: readonly JudgedTool[];
  /** What is approved from now on, where that is not what was approved before. */
  readonly pins?: KeptPins;
  /** Tools that cannot even be listed, and why. */
  readonly notes: readonly string[];
}

/** By what definitions are judged. */
export interface Judging {
  readonly server: McpServer;
  /** What was approved; undefined for a server that was never seen. */
  readonly kept: KeptPins | undefined;
  readonly limits: McpSourceLimits;
}

/**
 * Decides which tools of a server can be used. The definitions that a server has when it is first seen are taken, since
 * somebody has just written it into the configuration; from then on, what nobody approved is refused.
 */
export function judgeDefinitions(definitions: readonly McpDefinition[], judging: Judging): Judged {
  const { server, kept, limits } = judging;
  const sane = saneDefinitions(definitions, limits);
  const { named, notes } = nameTools(definitions.slice(0, limits.tools), server);
  const dropped = definitions.length - limits.tools;
  if (dropped > 0) notes.push(`${dropped} tools are left out: a server may have ${limits.tools}`);
  const known = kept?.pins ?? new Map<string, Pin>();
  const changed = changedFrom(server, kept) !== undefined;
  const takesAll = kept === undefined ? server.trust !== "ask" : server.trust === "all" && !changed;
  const pins = takesAll ? withPins(known, sane, limits) : known;
  const judged = { definitions: sane, notes, tools: judgeTools(named, { ...judging, pins, sane: new Set(sane) }) };
  const { identity, shown, parts, trust } = server;
  // A server that is seen for the first time is known from now on, also where nothing of it is approved.
  const isNew = kept === undefined || (!changed && (kept.trust !== trust || !samePins(known, pins)));
  return isNew ? { ...judged, pins: { identity, shown, parts, trust, pins } } : judged;
}

interface ToolJudging extends Judging {
  readonly pins: ReadonlyMap<string, Pin>;
  readonly sane: ReadonlySet<McpDefinition>;
}

function judgeTools(named: readonly NamedTool[], { server, kept, limits, pins, sane }: ToolJudging): JudgedTool[] {
  const ofServer = new Map([[server.name, pins]]);
  const before = changedFrom(server, kept);
  const changed = before && changedServer(server, before);
  return named.map((tool) => {
    const fault = definitionFault(tool.definition, limits) ?? (sane.has(tool.definition) ? undefined : tooMuch);
    // What is refused at any rate is not worth the work of telling it from others.
    if (fault !== undefined) return { ...tool, hash: "", refused: fault };
    const verdict = checkDefinition(ofServer, server.name, tool.definition);
    const judged = { ...tool, hash: verdict.hash ?? "" };
    if (changed !== undefined) return { ...judged, refused: changed };
    return verdict.ok ? judged : { ...judged, refused: verdict };
  });
}

const tooMuch = { reason: "tool_too_large", message: "the definitions of the server are too large together" } as const;

/** Those that can be kept: in number, and in size, each and together. */
function saneDefinitions(definitions: readonly McpDefinition[], limits: McpSourceLimits): readonly McpDefinition[] {
  let left = limits.serverChars;
  return definitions.slice(0, limits.tools).filter((definition) => {
    const size = plainJsonSize(pinnedParts(definition), limits.definitionChars);
    if (!Number.isFinite(size) || size < 0) return false;
    left -= size;
    return left >= 0;
  });
}

function withPins(
  known: ReadonlyMap<string, Pin>,
  definitions: readonly McpDefinition[],
  limits: McpSourceLimits,
): ReadonlyMap<string, Pin> {
  const pins = new Map(known);
  for (const definition of definitions) {
    if (definitionFault(definition, limits) !== undefined) continue;
    pins.set(definition.name, { definition: pinnedParts(definition), hash: definitionHash(definition) });
  }
  return pins;
}

/** The refusal of everything that a server offers in another form than was approved. */
export function changedServer({ identity }: McpServer, kept: KeptPins): NonNullable<JudgedTool["refused"]> {
  const reason = "server_changed";
  if (kept.identity === undefined) return { reason, message: "what was approved of the server cannot be read" };
  const message =
    kept.identity === identity
      ? 'the server is to be trusted with every change ("trust": "all"), which nobody has approved'
      : "the command line, the environment or the address of the server changed since it was approved";
  return { reason, message };
}

type NamedTool = Pick<JudgedTool, "definition" | "name" | "short">;

/** The tools that are offered, each under a name of its own. */
function nameTools(definitions: readonly McpDefinition[], server: McpServer): { named: NamedTool[]; notes: string[] } {
  const notes: string[] = [];
  const named = new Map<string, NamedTool>();
  const offered = definitions.filter(({ name }) => isOffered(name, server));
  // Those whose names can stay as they are go first: a clash is the fault of the other.
  for (const definition of offered.toSorted((a, b) => Number(isRenamed(a)) - Number(isRenamed(b)))) {
    const shown = JSON.stringify(showUnsafe(definition.name.slice(0, 100)));
    const names = toolNames(server.name, definition.name);
    if (names === undefined) notes.push(`the tool ${shown} is left out: it cannot be registered under its name`);
    else if (named.has(names.full)) notes.push(`the tool ${shown} is left out: another one is called ${names.full}`);
    else named.set(names.full, { definition, name: names.full, short: names.short });
  }
  return { named: [...named.values()], notes };
}

function isRenamed({ name }: McpDefinition): boolean {
  return !/^[A-Za-z_][\w.-]*$/.test(name);
}

function isOffered(name: string, { tools: { allow, deny } }: McpServer): boolean {
  const isIn = (globs: readonly string[]): boolean => globs.some((glob) => nameGlob(glob)(name));
  return (allow === undefined || isIn(allow)) && !isIn(deny);
}

function samePins(a: ReadonlyMap<string, Pin>, b: ReadonlyMap<string, Pin>): boolean {
  return a.size === b.size && [...a].every(([name, { hash }]) => b.get(name)?.hash === hash);
}
