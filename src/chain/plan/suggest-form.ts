import { isMap } from "../../schema/index.ts";
import type { YamlPath } from "../../text/index.ts";
import { correctedName } from "./corrected-name.ts";

/** Something of a file that has not the form it should have. */
export interface FormFault {
  readonly code: string;
  readonly path: YamlPath;
  readonly message: string;
  /** What stands at the path. */
  readonly value: unknown;
  readonly file: string;
}

/** What somebody who is new to chains probably meant, where that can be told from what is there. */
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

/** Keys by which other tools know what a step has. */
const stepWords: ReadonlyMap<string, string> = words({
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

const chainWords: ReadonlyMap<string, string> = words({
  name: "id title",
  input: "inputs params parameters args arguments",
  output: "outputs result results returns",
  steps: "tasks jobs actions nodes stages",
  max_parallel: "parallel concurrency",
  error_handling: "on_error on_failure",
});

function words(known: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(known).flatMap(([key, others]) => others.split(" ").map((word) => [word, key])));
}

/** Is this the path of a step? */
function isStep([first, index, ...rest]: YamlPath): boolean {
  return first === "steps" && typeof index === "number" && rest.length === 0;
}

function unknownKeyHint({ path }: FormFault): string | undefined {
  const owner = path.slice(0, -1);
  const key = String(path.at(-1));
  const meant = isStep(owner) ? stepWords.get(key) : owner.length === 0 ? chainWords.get(key) : undefined;
  if (meant !== undefined) return `did you mean "${meant}"?`;
  if (isStep(owner) && (key === "as" || key === "select")) return `it belongs into "output": { ${key}: … }`;
  return undefined;
}

function missingKeyHint({ path, message, value, file }: FormFault): string | undefined {
  const key = /the key "(\w+)"$/.exec(message)?.[1] ?? "";
  const known = isStep(path) ? stepWords : chainWords;
  const instead =
    isStep(path) || path.length === 0
      ? Object.keys(isMap(value) ? value : {}).find((word) => known.get(word) === key)
      : undefined;
  if (instead !== undefined) return `write "${key}" instead of "${instead}"`;
  if (key === "id") return `name the step, so that others can read it: id: ${idOf(value)}`;
  if (key === "name") return `add name: ${nameOf(file)}`;
  return missing.get(key);
}

const missing: ReadonlyMap<string, string> = new Map([
  ["tool", "say what is called: tool: NAME; `windlass tools` and `windlass chains` list the names"],
  ["steps", "list what is done: steps: [{ id: first, tool: NAME }]"],
  ["until", "say when it is enough: until: ${steps.ID.output.done}"],
  ["ttl", "say for how long: ttl: 3600"],
  ["message", "add the question: message: Go on?"],
]);

function idOf(step: unknown): string {
  const tool = isMap(step) ? step["tool"] : undefined;
  return (typeof tool === "string" ? correctedName(tool) : undefined) ?? "first";
}

/** `chains/morning report.yaml` is probably the chain `morning-report`. */
function nameOf(file: string): string {
  const stem = /([^/\\<>]+?)(?:\.ya?ml)?$/i.exec(file)?.[1] ?? "";
  return correctedName(stem, "chain-") ?? "my-chain";
}

const durationKeys: ReadonlySet<unknown> = new Set(["timeout", "delay", "max_delay", "max_duration", "ttl", "expires"]);

function kindHint({ path, value }: FormFault): string | undefined {
  const key = path.at(-1);
  if (durationKeys.has(key)) return durationHint(value);
  const scalar = typeof value === "number" || typeof value === "string" || value === true ? value : undefined;
  if (key === "approval" && typeof value === "boolean") {
    return value ? 'write the question: approval: "Go on?"' : "remove it: nobody is asked then";
  }
  if (key === "steps" && isMap(value)) return 'write a list, each step beginning with "- id: NAME"';
  return scalar === undefined || typeof key !== "string" ? undefined : longForm(key, scalar, path);
}

/** `retry: 3` for `retry: { max: 3 }`, and the like. */
function longForm(key: string, value: string | number | true, path: YamlPath): string | undefined {
  switch (key) {
    case "retry":
      return `write retry: { max: ${Number.isInteger(value) ? value : 3} }`;
    case "cache":
      return `write cache: { ttl: ${value === true ? 3600 : value} }, the time in seconds or such as "1h"`;
    case "repeat":
      return `say until when: repeat: { until: "\${…}", max: ${Number.isInteger(value) ? value : 10} }`;
    default:
      return typeof value === "string" ? wordForm(key, shorten(value), path) : undefined;
  }
}

/** The same where a word stands for a map. */
function wordForm(key: string, word: string, path: YamlPath): string | undefined {
  if (key === "error_handling") return `write error_handling: { strategy: ${word} }`;
  if (key === "compensate") return `write compensate: { tool: ${word} }`;
  if (key !== "output" || !isStep(path.slice(0, -1))) return undefined;
  return `write output: { ${word.startsWith("$") ? `select: "${word}"` : `as: ${word}`} }`;
}

const units: ReadonlyMap<string, string> = words({
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
