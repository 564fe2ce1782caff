import { foldedNameGlob, plainJsonSize } from "../../base/index.ts";
import { showUnsafe } from "../../text/index.ts";
import { type Pin, checkPinnedDefinition, definitionProblem, definitionHash, pinnedParts } from "./check-definition.ts";
import { toolNames } from "./mcp-names.ts";
import type { McpToolDefinition } from "./mcp-port.ts";
import type { McpServer } from "./server-config.ts";
import { changedFrom } from "./server-identity.ts";
import type { McpSourceLimits } from "./mcp-source-limits.ts";
import type { McpSourceReason } from "../hub-reasons.ts";
import type { StoredPins } from "./server-state-files.ts";

/** A tool of a server, and whether it can be used. */
export interface JudgedTool {
  readonly definition: McpToolDefinition;
  /** The full name, `server/tool`. */
  readonly name: string;
  readonly short: string;
  /** Hash of the definition, by which a resumed run notices that the tool has changed. */
  readonly hash: string;
  /** True if a person has approved this definition: then its hints count. */
  readonly isApproved: boolean;
  readonly refused?: { readonly reason: McpSourceReason; readonly message: string };
}

/** Verdicts on the definitions of a server. */
export interface JudgedDefinitions {
  /** All that are small enough to be stored, whether they are offered or not. */
  readonly definitions: readonly McpToolDefinition[];
  readonly tools: readonly JudgedTool[];
  /** New pins, if they differ from the stored ones. */
  readonly pins?: StoredPins;
  /** Tools that cannot even be listed, and why. */
  readonly notes: readonly string[];
}

/** Options of judging definitions. */
export interface JudgeOptions {
  readonly server: McpServer;
  /** Stored pins; undefined for a server that was never seen. */
  readonly stored: StoredPins | undefined;
  readonly limits: McpSourceLimits;
}

/**
 * Decides which tools of a server can be used. The definitions of a server at first sight are accepted, since the user
 * has just added it to the configuration; from then on, definitions without approval are refused.
 */
export function judgeDefinitions(definitions: readonly McpToolDefinition[], judging: JudgeOptions): JudgedDefinitions {
  const { server, stored, limits } = judging;
  const sane = saneDefinitions(definitions, limits);
  const { named, notes } = nameTools(definitions.slice(0, limits.tools), server);
  const dropped = definitions.length - limits.tools;
  if (dropped > 0) notes.push(`${dropped} tools are omitted: a server may have ${limits.tools}`);
  const { pins: known = new Map<string, Pin>(), approved = new Set<string>() }: Partial<StoredPins> = stored ?? {};
  const changed = changedFrom(server, stored) !== undefined;
  const takesAll = stored === undefined ? server.trust !== "ask" : server.trust === "all" && !changed;
  const pins = takesAll ? withPins(known, sane, limits) : known;
  const judged = { definitions: sane, notes, tools: judgeTools(named, { ...judging, pins, sane: new Set(sane) }) };
  const { identity, display, parts, trust } = server;
  // A server seen for the first time is known from now on, even if none of its tools is approved.
  const isNew = stored === undefined || (!changed && (stored.trust !== trust || !samePins(known, pins)));
  return isNew ? { ...judged, pins: { ...stored, identity, shown: display, parts, trust, pins, approved } } : judged;
}

interface ToolJudging extends JudgeOptions {
  readonly pins: ReadonlyMap<string, Pin>;
  readonly sane: ReadonlySet<McpToolDefinition>;
}

function judgeTools(named: readonly NamedTool[], { server, stored, limits, pins, sane }: ToolJudging): JudgedTool[] {
  const ofServer = new Map([[server.name, pins]]);
  const before = changedFrom(server, stored);
  const changed = before && changedServerRefusal(server, before);
  return named.map((tool) => {
    const fault = definitionProblem(tool.definition, limits) ?? (sane.has(tool.definition) ? undefined : tooMuch);
    // A definition that is refused anyway needs no hash.
    if (fault !== undefined) return { ...tool, hash: "", isApproved: false, refused: fault };
    const verdict = checkPinnedDefinition(ofServer, server.name, tool.definition);
    const hash = verdict.hash ?? "";
    const judged = { ...tool, hash, isApproved: stored?.approved.has(hash) === true };
    if (changed !== undefined) return { ...judged, refused: changed };
    return verdict.ok ? judged : { ...judged, refused: verdict };
  });
}

const tooMuch = { reason: "tool_too_large", message: "the definitions of the server are too large together" } as const;

/** Definitions within the limits of number and size, each and together. */
function saneDefinitions(
  definitions: readonly McpToolDefinition[],
  limits: McpSourceLimits,
): readonly McpToolDefinition[] {
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
  definitions: readonly McpToolDefinition[],
  limits: McpSourceLimits,
): ReadonlyMap<string, Pin> {
  const pins = new Map(known);
  for (const definition of definitions) {
    if (definitionProblem(definition, limits) !== undefined) continue;
    pins.set(definition.name, { definition: pinnedParts(definition), hash: definitionHash(definition) });
  }
  return pins;
}

/** The refusal of everything that a server offers in another form than was approved. */
export function changedServerRefusal(
  { identity, scripts }: McpServer,
  stored: StoredPins,
): NonNullable<JudgedTool["refused"]> {
  const reason = "server_changed";
  if (stored.identity === undefined) return { reason, message: "the approvals of the server cannot be read" };
  if (stored.identity === identity && stored.scripts !== undefined && stored.scripts !== scripts()) {
    return { reason, message: "the script that the server runs changed since it was approved" };
  }
  const message =
    stored.identity === identity
      ? 'the server is to be trusted with every change ("trust": "all"), which is not approved'
      : "the command line, the environment or the address of the server changed since it was approved";
  return { reason, message };
}

type NamedTool = Pick<JudgedTool, "definition" | "name" | "short">;

/** The tools that are offered, each under a name of its own. */
function nameTools(
  definitions: readonly McpToolDefinition[],
  server: McpServer,
): { named: NamedTool[]; notes: string[] } {
  const notes: string[] = [];
  const named = new Map<string, NamedTool>();
  const offered = definitions.filter(({ name }) => isOffered(name, server));
  // Those whose names can stay as they are go first: a clash is the fault of the other.
  for (const definition of offered.toSorted((a, b) => Number(isRenamed(a)) - Number(isRenamed(b)))) {
    const shown = JSON.stringify(showUnsafe(definition.name.slice(0, 100)));
    const names = toolNames(server.name, definition.name);
    if (names === undefined) notes.push(`the tool ${shown} is omitted: it cannot be registered under its name`);
    else if (named.has(names.full)) notes.push(`the tool ${shown} is omitted: another one is called ${names.full}`);
    else {
      named.set(names.full, { definition, name: names.full, short: names.short });
      if (hasBadCharacters(definition)) notes.push(`the tool ${shown} is called ${names.full} here: ${badCharacters}`);
    }
  }
  return { named: [...named.values()], notes };
}

function isRenamed({ name }: McpToolDefinition): boolean {
  return !/^[A-Za-z_][\w.-]*$/.test(name);
}

const badCharacters = "its name has characters that the protocol does not allow";

/** True for line breaks and the like; letters of any script and `/` are common and harmless. */
function hasBadCharacters({ name }: McpToolDefinition): boolean {
  return /[^\p{L}\p{M}\p{N}_./ -]/u.test(name);
}

function isOffered(name: string, { tools: { allow, deny } }: McpServer): boolean {
  const isIn = (globs: readonly string[]): boolean => globs.some((glob) => foldedNameGlob(glob)(name));
  return (allow === undefined || isIn(allow)) && !isIn(deny);
}

function samePins(a: ReadonlyMap<string, Pin>, b: ReadonlyMap<string, Pin>): boolean {
  return a.size === b.size && [...a].every(([name, { hash }]) => b.get(name)?.hash === hash);
}
