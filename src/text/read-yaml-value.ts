import type * as Yaml from "yaml";
import { reservedWords } from "./explain-yaml-slip.ts";
import type { Problem } from "./problem.ts";

/** A node of the library's tree. */
export type YamlNode = Yaml.Node | null | undefined;

/** An issue with its range in the text. */
export interface YamlIssue {
  readonly message: string;
  readonly hint?: string;
  readonly range: readonly [start: number, end: number, ...rest: number[]];
}

/** Reports one problem. */
export type ReportYamlIssue = (severity: Problem["severity"], code: string, details: YamlIssue) => void;

const forbidden = new Set(["__proto__", "constructor", "prototype"]);

/**
 * The plain data of a YAML tree. Depth was already checked; values that JSON cannot represent are reported and omitted.
 * Undefined if an item of a list probably lacks its dash: everything else that is wrong then may be a consequence.
 */
export function readYamlValue(root: YamlNode, yaml: typeof Yaml, report: ReportYamlIssue): unknown {
  let lacksDash = false;
  const read = (node: YamlNode): unknown => {
    if (!node) return null;
    if (yaml.isAlias(node)) {
      const [message, hint] = reservedWords(`*${node.source}`);
      report("error", "alias", { message: `${message}; aliases are not supported`, hint, range: rangeOf(node) });
      // Probably meant as text, such as `*.md`.
      return `*${node.source}`;
    }
    if (checkAnchor(node, yaml, report) && yaml.isScalar(node) && node.value === null) return `&${node.anchor}`;
    if (!checkTag(node, report)) return null;
    if (yaml.isMap(node)) return readMap(node);
    if (yaml.isSeq(node)) return node.items.map((item) => read(item as YamlNode));
    return yaml.isScalar(node) ? readScalar(node, report) : null;
  };

  const readMap = (map: Yaml.YAMLMap): Record<string, unknown> => {
    const value: Record<string, unknown> = {};
    let isRepeated = false;
    for (const pair of map.items) {
      const key = pair.key as YamlNode;
      const written = yaml.isScalar(key) ? String(key.value) : undefined;
      if (key) checkAnchor(key, yaml, report);
      const isSplit = written !== undefined && !pair.value;
      const [name, text] = isSplit ? splitKey(written, rangeOf(key), report) : [written];
      const item = text ?? read(pair.value as YamlNode);
      if (name === undefined) read(key);
      else if (forbidden.has(name)) {
        const message = `the key ${JSON.stringify(name)} is not allowed`;
        report("error", "forbidden_key", { message, hint: "choose another name", range: rangeOf(key) });
      } else if (Object.hasOwn(value, name)) {
        // One report per map: the keys after the first are duplicates of the same slip.
        if (!isRepeated) report("error", "duplicate_key", { ...duplicate(map, name), range: rangeOf(key) });
        isRepeated = true;
      } else value[name] = item;
    }
    return value;
  };

  /** A repeated first key is the start of another item of a list. */
  const duplicate = (map: Yaml.YAMLMap, name: string): { message: string; hint: string } => {
    const first = map.items[0]?.key;
    const isFirst = map !== root && yaml.isScalar(first) && String(first.value) === name;
    lacksDash ||= isFirst;
    const hint = isFirst ? `keep one of them, or, for another item of a list, write - ${name}: …` : "keep one of them";
    return { message: `duplicate key ${JSON.stringify(name)}`, hint };
  };

  const value = read(root);
  return lacksDash ? undefined : value;
}

/** `{ message:hi }` has the key `message:hi`, without a value; it is reported, and read as if the space were there. */
function splitKey(name: string, range: YamlIssue["range"], report: ReportYamlIssue): readonly [string, unknown?] {
  const [, key, value] = /^([\w.-]+):([^\s:/].*)$/.exec(name) ?? [];
  if (key === undefined || value === undefined) return [name];
  const message = `a space is missing after "${key}:"`;
  report("error", "yaml_syntax", { message, hint: `write ${key}: ${value}`.slice(0, 100), range });
  return [key, value.replace(/^(["'])(.*)\1$/, "$2")];
}

const resolvedTags = new Set(
  ["binary", "omap", "pairs", "set", "timestamp"].map((name) => `tag:yaml.org,2002:${name}`),
);

/** Refuses tags that the library resolves to values that JSON cannot represent; it reports other unknown tags itself. */
function checkTag({ tag, range }: Yaml.Node, report: ReportYamlIssue): boolean {
  if (tag === undefined || !resolvedTags.has(tag)) return true;
  const shown = tag.replace(/^tag:yaml\.org,2002:/, "!!");
  const message = `the tag ${shown} is not supported`;
  report("error", "unknown_tag", { message, hint: "remove the tag", range: range ?? [0, 1] });
  return false;
}

/** Reports an anchor; true if there is one. */
function checkAnchor(node: Yaml.Node, yaml: typeof Yaml, report: ReportYamlIssue): boolean {
  if (!("anchor" in node) || typeof node.anchor !== "string") return false;
  const text =
    yaml.isScalar(node) && node.source !== undefined ? `&${node.anchor} ${node.source}`.trim() : `&${node.anchor}`;
  const [message, hint] = reservedWords(text);
  report("error", "alias", { message: `${message}; anchors are not supported`, hint, range: rangeOf(node) });
  return true;
}

function readScalar(node: Yaml.Scalar, report: ReportYamlIssue): unknown {
  const { value } = node;
  if (typeof value === "number") checkNumber(node, value, report);
  return value;
}

function checkNumber(node: Yaml.Scalar, value: number, report: ReportYamlIssue): void {
  const source = (node.source ?? String(value)).replaceAll("_", "");
  const range = rangeOf(node);
  if (!Number.isFinite(value)) {
    const message = `${source} is not a number that JSON can represent`;
    report("error", "not_json", { message, hint: "put quotes around it to make it text", range });
    return;
  }
  const lost = digitsLost(source, value);
  if (lost === undefined) return;
  const message = `${source} is read as the number ${value}: ${lost}`;
  report("warning", "digits_lost", { message, hint: `put quotes around it to keep it as written: "${source}"`, range });
}

/** `1.10` as a version, `0777` as a mode and long ids look like numbers and would be changed. */
function digitsLost(source: string, value: number): string | undefined {
  if (/^[-+]?0\d/.test(source)) return "its leading zeros are lost";
  if (/^[-+]?\d*\.\d+0$/.test(source)) return "its last zeros are lost";
  if (/^[-+]?\d+$/.test(source) && !Number.isSafeInteger(value)) return "its last digits are lost";
  return undefined;
}

function rangeOf(node: YamlNode): readonly [number, number, number] {
  return node?.range ?? [0, 1, 1];
}
