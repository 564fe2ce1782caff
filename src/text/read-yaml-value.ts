import type * as Yaml from "yaml";
import type { Problem } from "./problem.ts";

/** A node of the library's tree. */
export type YamlNode = Yaml.Node | null | undefined;

/** What is reported about a range of the text. */
export interface Found {
  readonly message: string;
  readonly hint?: string;
  readonly range: readonly [start: number, end: number, ...rest: number[]];
}

/** Takes note of one problem. */
export type Report = (severity: Problem["severity"], code: string, details: Found) => void;

const forbidden = new Set(["__proto__", "constructor", "prototype"]);

/** The plain data of a YAML tree. Depth was checked before; what JSON cannot hold is reported and left out. */
export function readYamlValue(root: YamlNode, yaml: typeof Yaml, report: Report): unknown {
  const read = (node: YamlNode): unknown => {
    if (!node) return null;
    if (yaml.isAlias(node)) {
      const message = `aliases are not read: *${node.source}`;
      report("error", "alias", { message, hint: "write the value out", range: rangeOf(node) });
      return null;
    }
    checkAnchor(node, report);
    if (yaml.isMap(node)) return readMap(node);
    if (yaml.isSeq(node)) return node.items.map((item) => read(item as YamlNode));
    return yaml.isScalar(node) ? readScalar(node, report) : null;
  };

  const readMap = (map: Yaml.YAMLMap): Record<string, unknown> => {
    const value: Record<string, unknown> = {};
    for (const pair of map.items) {
      const key = pair.key as YamlNode;
      const name = yaml.isScalar(key) ? String(key.value) : undefined;
      if (key) checkAnchor(key, report);
      const item = read(pair.value as YamlNode);
      if (name === undefined) read(key);
      else if (forbidden.has(name)) {
        const message = `the key ${JSON.stringify(name)} is not allowed`;
        report("error", "forbidden_key", { message, hint: "choose another name", range: rangeOf(key) });
      } else if (Object.hasOwn(value, name)) {
        const message = `the key ${JSON.stringify(name)} is there twice`;
        report("error", "duplicate_key", { message, hint: "keep one of them", range: rangeOf(key) });
      } else value[name] = item;
    }
    return value;
  };

  return read(root);
}

function checkAnchor(node: Yaml.Node, report: Report): void {
  if (!("anchor" in node) || typeof node.anchor !== "string") return;
  const message = `anchors are not read: &${node.anchor}`;
  report("error", "alias", { message, hint: "remove the anchor and write the value out", range: rangeOf(node) });
}

function readScalar(node: Yaml.Scalar, report: Report): unknown {
  const { value } = node;
  if (typeof value === "number") checkNumber(node, value, report);
  return value;
}

function checkNumber(node: Yaml.Scalar, value: number, report: Report): void {
  const source = (node.source ?? String(value)).replaceAll("_", "");
  const range = rangeOf(node);
  if (!Number.isFinite(value)) {
    const message = `${source} is not a number that JSON can hold`;
    report("error", "not_json", { message, hint: "put quotes around it to make it text", range });
    return;
  }
  const lost = digitsLost(source, value);
  if (lost === undefined) return;
  const message = `${source} is read as the number ${value}: ${lost}`;
  report("warning", "digits_lost", { message, hint: `put quotes around it to keep it as written: "${source}"`, range });
}

/** `1.10` as a version, `0777` as a mode and long ids look like numbers and come out changed. */
function digitsLost(source: string, value: number): string | undefined {
  if (/^[-+]?0\d/.test(source)) return "its leading zeros are lost";
  if (/^[-+]?\d*\.\d+0$/.test(source)) return "its last zeros are lost";
  if (/^[-+]?\d+$/.test(source) && !Number.isSafeInteger(value)) return "its last digits are lost";
  return undefined;
}

function rangeOf(node: YamlNode): readonly [number, number, number] {
  return node?.range ?? [0, 1, 1];
}
