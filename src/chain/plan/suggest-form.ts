import { withCliCommands } from "../../base/index.ts";
import { isRecord } from "../../schema/index.ts";
import type { YamlPath } from "../../text/index.ts";

/** A part of a file that does not have the required form. */
export interface FormFault {
  readonly code: string;
  readonly path: YamlPath;
  readonly message: string;
  /** Value at the path. */
  readonly value: unknown;
  readonly file: string;
}

/** Suggests what a newcomer probably intended, if the value shows that. */
export function formHint(fault: FormFault): string | undefined {
  switch (fault.code) {
    case "missing_key":
      return missingKeyHint(fault);
    case "unknown_key":
      return unknownKeyHint(fault);
    case "wrong_type":
    case "bad_value":
      return kindHint(fault);
    default:
      return undefined;
  }
}

/** Keys that other tools use for the keys of a step. */
const stepKeyAliases: ReadonlyMap<string, string> = aliasesOf({
  id: "name key step label",
  tool: "uses action function call run",
  params: "args arguments with input inputs parameters",
  condition: "if when only_if",
  depends_on: "needs after requires",
  for_each: "loop with_items each items map",
  retry: "retries max_retries attempts",
  error_handling: "on_error on_failure catch rescue",
  compensate: "undo rollback revert",
  approval: "confirm ask approve",
  timeout: "deadline",
});

const chainKeyAliases: ReadonlyMap<string, string> = aliasesOf({
  name: "id title",
  input: "inputs params parameters args arguments",
  output: "outputs result results returns",
  steps: "tasks jobs actions nodes stages",
  max_parallel: "parallel concurrency",
  error_handling: "on_error on_failure",
});

function aliasesOf(known: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(known).flatMap(([key, others]) => others.split(" ").map((word) => [word, key])));
}

/** True if this is the path of a step. */
function isStep([first, index, ...rest]: YamlPath): boolean {
  return first === "steps" && typeof index === "number" && rest.length === 0;
}

function unknownKeyHint({ path }: FormFault): string | undefined {
  const owner = path.slice(0, -1);
  const key = String(path.at(-1));
  const resolved = isStep(owner) ? stepKeyAliases.get(key) : owner.length === 0 ? chainKeyAliases.get(key) : undefined;
  if (resolved !== undefined) return `did you mean "${resolved}"?`;
  if (isStep(owner) && (key === "as" || key === "select")) return `it belongs under "output": { ${key}: … }`;
  return undefined;
}

function missingKeyHint({ path, message, value, file }: FormFault): string | undefined {
  const key = /the key "(\w+)"$/.exec(message)?.[1] ?? "";
  const known = isStep(path) ? stepKeyAliases : chainKeyAliases;
  const instead =
    isStep(path) || path.length === 0
      ? Object.keys(isRecord(value) ? value : {}).find((word) => known.get(word) === key)
      : undefined;
  if (instead !== undefined) return `write "${key}" instead of "${instead}"`;
  if (key === "id") return `name the step, so that other steps can refer to it: id: ${idOf(value)}`;
  if (key === "name") return `add name: ${chainNameFromFile(file)}`;
  const hint = missing.get(key);
  return hint === undefined ? undefined : withCliCommands(hint);
}

const missing: ReadonlyMap<string, string> = new Map([
  ["tool", "add the tool to call: tool: NAME; `windlass tools` and `windlass chains` list the names"],
  ["steps", "add the steps: steps: [{ id: first, tool: NAME }]"],
  ["until", "add the condition that ends the loop: until: ${steps.ID.output.done}"],
  ["ttl", "add the lifetime in seconds: ttl: 3600"],
  ["message", "add a message for the approver: message: Continue?"],
]);

function idOf(step: unknown): string {
  const tool = isRecord(step) ? step["tool"] : undefined;
  return (typeof tool === "string" ? suggestName(tool) : undefined) ?? "first";
}

/** `chains/morning report.yaml` is probably the chain `morning-report`. */
function chainNameFromFile(file: string): string {
  const stem = /([^/\\<>]+?)(?:\.ya?ml)?$/i.exec(file)?.[1] ?? "";
  return suggestName(stem, "chain-") ?? "my-chain";
}

const durationKeys: ReadonlySet<unknown> = new Set([
  "timeout",
  "delay",
  "max_delay",
  "max_duration",
  "ttl",
  "expires",
  "wait",
]);

function kindHint({ path, value }: FormFault): string | undefined {
  const key = path.at(-1);
  if (durationKeys.has(key)) return durationHint(value);
  const scalar = typeof value === "number" || typeof value === "string" || value === true ? value : undefined;
  if (key === "approval" && typeof value === "boolean") {
    return value
      ? 'write a message for the approver: approval: "Continue?"'
      : "remove it: without it, no approval is requested";
  }
  if (key === "steps" && isRecord(value)) return 'write a list, each step beginning with "- id: NAME"';
  return scalar === undefined || typeof key !== "string" ? undefined : longForm(key, scalar, path);
}

/** Suggests `retry: { max: 3 }` for `retry: 3`, and the like. */
function longForm(key: string, value: string | number | true, path: YamlPath): string | undefined {
  switch (key) {
    case "retry":
      return `write retry: { max: ${Number.isInteger(value) ? value : 3} }`;
    case "cache":
      return `write cache: { ttl: ${value === true ? 3600 : value} }, in seconds or as a duration such as "1h"`;
    case "repeat":
      return `write repeat: { until: "\${…}", max: ${Number.isInteger(value) ? value : 10} }, with the condition that ends the loop`;
    default:
      return typeof value === "string" ? wordForm(key, shorten(value), path) : undefined;
  }
}

/** The same for a word in place of a map. */
function wordForm(key: string, word: string, path: YamlPath): string | undefined {
  if (key === "error_handling") return `write error_handling: { strategy: ${word} }`;
  if (key === "compensate") return `write compensate: { tool: ${word} }`;
  if (key !== "output" || !isStep(path.slice(0, -1))) return undefined;
  return `write output: { ${word.startsWith("$") ? `select: "${word}"` : `as: ${word}`} }`;
}

const units: ReadonlyMap<string, string> = aliasesOf({
  ms: "ms msec msecs millis millisecond milliseconds",
  s: "s sec secs second seconds",
  m: "m min mins minute minutes",
  h: "h hr hrs hour hours",
  d: "d day days",
});

function durationHint(value: unknown): string | undefined {
  const [, count, word = ""] = /^\s*(\d{1,9}(?:\.\d{1,9})?)\s*([a-z]*)\s*$/i.exec(String(value)) ?? [];
  if (typeof value !== "string" || count === undefined) return undefined;
  const unit = word === "" ? "s" : units.get(word.toLowerCase());
  if (unit === undefined) return undefined;
  return unit === "s" ? `write ${count} or "${count}s"` : `write "${count}${unit}"`;
}

function shorten(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

/**
 * A valid name similar to an invalid one: characters other than letters, digits and `_` become `-`. Undefined if
 * nothing remains.
 */
export function suggestName(name: string, before = ""): string | undefined {
  const words = name
    .slice(0, 200)
    .normalize("NFC")
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "")
    .replaceAll(/[^\p{L}\p{M}\p{N}_]+/gu, "-")
    .replaceAll(/^-+|-+$/g, "");
  if (words === "") return undefined;
  return (/^[\p{L}_]/u.test(words) ? words : `${before}${words}`).slice(0, 64).replace(/-+$/, "");
}
