import { isMap, put, showValue } from "../../schema/index.ts";
import { stripUnsafe } from "../../text/index.ts";
import type { SkillReport } from "./skill-report.ts";

/** The `metadata` of a skill: texts by key. Numbers and truth values become texts, anything deeper is left out. */
export function readMetadata(value: unknown, report: SkillReport): Readonly<Record<string, string>> {
  if (value === undefined) return {};
  if (!isMap(value)) {
    const message = `"metadata" must be a map of texts, got ${showValue(value)}`;
    report.add("must", ["metadata"], { code: "wrong_type", message });
    return {};
  }
  const metadata: Record<string, string> = {};
  for (const [key, item] of Object.entries(value)) {
    const text = typeof item === "string" || typeof item === "number" || typeof item === "boolean";
    if (text) put(metadata, key, stripUnsafe(String(item)));
    if (typeof item === "string") continue;
    const message = `"${key}" of metadata must be text, got ${showValue(item)}`;
    const hint = text ? "put quotes around it" : "write it as text";
    report.add("must", ["metadata", key], { code: "wrong_type", message, hint });
  }
  return metadata;
}
