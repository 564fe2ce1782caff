import { formatPath } from "../../base/index.ts";
import { isRecord } from "../../schema/index.ts";
import { showUnsafe } from "../../text/index.ts";
import { pinnedParts } from "./check-definition.ts";
import type { McpToolDefinition } from "./mcp-port.ts";

/** One difference between two definitions, each side on one line. */
export interface DefinitionChange {
  /** Such as `inputSchema.properties.to.description`. */
  readonly path: string;
  readonly before?: string;
  readonly after?: string;
}

/**
 * Maximum length of a description: the text to approve is shown completely, and longer text is shown with the number of
 * omitted characters.
 */
const maxLength = 10_000;
const lead = 60;

/** Differences of a definition for the approver; the whole definition if there is no earlier one. */
export function definitionDiff(
  before: McpToolDefinition | undefined,
  after: McpToolDefinition | undefined,
): DefinitionChange[] {
  const old = before === undefined ? undefined : pinnedParts(before);
  const now = after === undefined ? undefined : pinnedParts(after);
  return differences(old, now, []);
}

function differences(before: unknown, after: unknown, path: readonly string[]): DefinitionChange[] {
  if (isRecord(before) && isRecord(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...keys].flatMap((key) => differences(ownProperty(before, key), ownProperty(after, key), [...path, key]));
  }
  // A definition that is new or removed is listed part by part.
  if (path.length === 0) {
    const whole = isRecord(before) ? before : isRecord(after) ? after : {};
    return Object.keys(whole).flatMap((key) => differences(ownProperty(before, key), ownProperty(after, key), [key]));
  }
  const [old, now] = [written(before), written(after)];
  if (old === now) return [];
  const from = firstDifference(old ?? "", now ?? "");
  return [
    {
      path: showUnsafe(formatPath(path)),
      ...(old !== undefined && { before: excerpt(old, from) }),
      ...(now !== undefined && { after: excerpt(now, from) }),
    },
  ];
}

function ownProperty(value: unknown, key: string): unknown {
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function written(value: unknown): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}

function firstDifference(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return at;
}

/** Longer texts are shown from the first difference on. */
function excerpt(text: string, from: number): string {
  if (text.length <= maxLength) return showUnsafe(text);
  const start = Math.max(0, Math.min(from - lead, text.length - maxLength));
  const part = text.slice(start, start + maxLength).toWellFormed();
  return `${showUnsafe(part)} (${text.length - maxLength} more characters)`;
}
