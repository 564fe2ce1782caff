import { canonicalJson } from "../../base/index.ts";
import { type JsonSchema, isRecord } from "../../schema/index.ts";
import { canonicalUrl } from "../../text/index.ts";
import type { MergeRule } from "./contract.ts";
import { namedOnly } from "./named-only.ts";

/** What {@link mergeLists} goes by. */
export interface MergeOptions {
  readonly rule: MergeRule;
  /** Of the outputs; what it does not name is somebody's own, and left out. */
  readonly schema: JsonSchema;
  /** May say how many items are wanted. */
  readonly args: unknown;
}

/** More items are not kept, whatever is asked for. */
const mostItems = 1_000;

/** One output with the items of all: first the best of each, then the second best, each item once. */
export function mergeLists(outputs: readonly unknown[], { rule, schema, args }: MergeOptions): unknown {
  const records = outputs.filter(isRecord);
  const lists = records.map((output) => listOf(output[rule.list]));
  const most = wanted(args, rule);
  const found = new Map<string, unknown>();
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  for (let rank = 0; rank < longest && found.size < most; rank++) {
    for (const list of lists) {
      if (rank >= list.length || found.size >= most) continue;
      const item = list[rank];
      const key = keyOf(item, rule);
      if (!found.has(key)) found.set(key, item);
    }
  }
  // What the first has counts; where it has something not at all, the next that does.
  const rest = Object.assign({}, ...records.toReversed().map((output) => namedOnly(output, schema))) as object;
  return { ...rest, [rule.list]: [...found.values()] };
}

function wanted(args: unknown, { most }: MergeRule): number {
  const asked = most !== undefined && isRecord(args) ? args[most] : undefined;
  return typeof asked === "number" && asked >= 1 ? Math.min(Math.floor(asked), mostItems) : mostItems;
}

function keyOf(item: unknown, { key }: MergeRule): string {
  const value = isRecord(item) ? item[key] : undefined;
  return typeof value === "string" ? canonicalUrl(value) : canonicalJson(item);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
