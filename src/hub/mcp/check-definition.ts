import { canonicalJson, formatPath, nodeCrypto, plainJsonSize, definedOnly } from "../../base/index.ts";
import { showUnsafe, stripUnsafe } from "../../text/index.ts";
import type { McpToolDefinition } from "./mcp-port.ts";
import { type McpSourceLimits, defaultMcpSourceLimits } from "./mcp-source-limits.ts";

/** A definition that was approved, or that was there first. */
export interface Pin {
  readonly hash: string;
  readonly definition: McpToolDefinition;
}

/** The approved definitions of one server, by its own names of the tools. */
export type ServerPins = ReadonlyMap<string, Pin>;

/** Why a definition is refused. */
export type DefinitionReason = "tool_too_large" | "hidden_text" | "unpinned" | "pin_mismatch";

/** Verdict on a definition. */
export type DefinitionVerdict =
  | { readonly ok: true; readonly hash: string }
  | { readonly ok: false; readonly reason: DefinitionReason; readonly message: string; readonly hash?: string };

/**
 * Checks whether this definition can be used: first whether it may be approved at all, then whether it was approved for
 * this server, since a tool of the same name on another server is another tool.
 */
export function checkPinnedDefinition(
  pins: ReadonlyMap<string, ServerPins>,
  server: string,
  definition: McpToolDefinition,
): DefinitionVerdict {
  const fault = definitionProblem(definition);
  if (fault !== undefined) return { ok: false, ...fault };
  const hash = definitionHash(definition);
  const pin = pins.get(server)?.get(definition.name);
  if (pin?.hash === hash) return { ok: true, hash };
  if (pin === undefined) return { ok: false, reason: "unpinned", hash, message: "it is not approved yet" };
  const changed = changedParts(pin.definition, definition).join(", ");
  const message = `its definition has changed since it was approved (${changed})`;
  return { ok: false, reason: "pin_mismatch", hash, message };
}

/** Returns the reason why this definition cannot be approved. */
export function definitionProblem(
  definition: McpToolDefinition,
  limits: Pick<McpSourceLimits, "descriptionChars" | "definitionChars"> = defaultMcpSourceLimits,
): { readonly reason: DefinitionReason; readonly message: string } | undefined {
  const size = plainJsonSize(pinnedParts(definition), limits.definitionChars);
  if (size === Infinity || size < 0) {
    const reason = size < 0 ? "is nested too deep" : `has more than ${limits.definitionChars} characters`;
    return { reason: "tool_too_large", message: `its definition ${reason}` };
  }
  const length = definition.description?.length ?? 0;
  if (length > limits.descriptionChars) {
    const message = `its description has ${length} characters, ${limits.descriptionChars} are allowed`;
    return { reason: "tool_too_large", message };
  }
  const hidden = hiddenText(pinnedParts(definition), []);
  if (hidden === undefined) return undefined;
  return { reason: "hidden_text", message: `it contains invisible characters: ${hidden}` };
}

/** Identifies a definition, independent of the order of its keys. */
export function definitionHash(definition: McpToolDefinition): string {
  return nodeCrypto()
    .createHash("sha256")
    .update(canonicalJson(pinnedParts(definition)))
    .digest("hex");
}

/** The relevant parts of a definition: all that a model sees, and all that decides how a call is made. */
export function pinnedParts(definition: McpToolDefinition): McpToolDefinition {
  const { name, title, description, inputSchema, outputSchema, annotations } = definition;
  return {
    name,
    ...definedOnly({ title, description }),
    inputSchema,
    ...definedOnly({ outputSchema, annotations }),
  };
}

/** The names of the parts in which two definitions differ. */
function changedParts(before: McpToolDefinition, after: McpToolDefinition): string[] {
  const [old, now] = [new Map(Object.entries(pinnedParts(before))), new Map(Object.entries(pinnedParts(after)))];
  const keys = new Set([...old.keys(), ...now.keys()]);
  return [...keys].filter((key) => canonicalJson(old.get(key) ?? null) !== canonicalJson(now.get(key) ?? null));
}

/** Finds the position of hidden characters in a string or key of the value, whose size and depth were checked. */
function hiddenText(value: unknown, path: readonly (string | number)[]): string | undefined {
  if (typeof value === "string") {
    const plain = value.replaceAll(/\r\n?/g, "\n");
    if (stripUnsafe(plain) === plain) return undefined;
    return `${formatPath(path)}: ${JSON.stringify(showUnsafe(aroundHidden(plain)))}`;
  }
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, item] of Object.entries(value)) {
    const step = Array.isArray(value) ? Number(key) : key;
    const shown = showUnsafe(key);
    const found = hiddenText(key, [...path, "(key)"]) ?? hiddenText(item, [...path, shown === key ? step : shown]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * The part of a text with its first hidden character; its beginning if the characters are suspicious only by their
 * number.
 */
function aroundHidden(text: string): string {
  let at = 0;
  for (const character of text) {
    if (!/[\n\t]/.test(character) && showUnsafe(character) !== character) break;
    at += character.length;
  }
  const start = at === text.length ? 0 : Math.max(0, at - 20);
  return text.slice(start, start + 40);
}
