import { formatPath } from "../../base/index.ts";
import { isRecord } from "../../schema/index.ts";
import { showUnsafe } from "../../text/index.ts";
import { pinnedParts } from "./check-definition.ts";
import type { McpDefinition } from "./mcp-port.ts";

/** One difference between two definitions, each side on one line. */
export interface DefinitionChange {
  /** Such as `inputSchema.properties.to.description`. */
  readonly path: string;
  readonly before?: string;
  readonly after?: string;
}

/** As long as a description may be: what is to be approved is shown whole, and beyond this it is told how much is not. */
const longest = 10_000;
const lead = 60;

/** What is different about a definition, for a person to decide; all of it where there is no earlier one. */
export function definitionDiff(
  before: McpDefinition | undefined,
  after: McpDefinition | undefined,
): DefinitionChange[] {
  const old = before === undefined ? undefined : pinnedParts(before);
  const now = after === undefined ? undefined : pinnedParts(after);
  return differences(old, now, []);
}

function differences(before: unknown, after: unknown, path: readonly string[]): DefinitionChange[] {
  if (isRecord(before) && isRecord(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...keys].flatMap((key) => differences(own(before, key), own(after, key), [...path, key]));
  }
  // A definition that is new or gone is told part by part.
  if (path.length === 0) {
    const whole = isRecord(before) ? before : isRecord(after) ? after : {};
    return Object.keys(whole).flatMap((key) => differences(own(before, key), own(after, key), [key]));
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

function own(value: unknown, key: string): unknown {
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

/** Longer texts are shown from where they begin to differ. */
function excerpt(text: string, from: number): string {
  if (text.length <= longest) return showUnsafe(text);
  const start = Math.max(0, Math.min(from - lead, text.length - longest));
  const part = text.slice(start, start + longest).toWellFormed();
  return `${showUnsafe(part)} (${text.length - longest} more characters)`;
}
