import { isRecord } from "../../schema/index.ts";
import { type YamlPath, parseYaml } from "../../text/index.ts";
import { readChain } from "../save-chain.ts";
import type { WireCoded } from "../wire/to-wire.ts";
import type { Workspace } from "../workspace.ts";

/** A position in a file of the workspace. */
interface FilePosition {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/**
 * The position of the expression that a fact of an explanation is about, in the present file of the chain. Undefined if
 * it is about none, or the file has another text there.
 */
export async function locateExpression(
  workspace: Workspace,
  chain: string,
  { step, fact }: { readonly step: string; readonly fact: WireCoded },
): Promise<FilePosition | undefined> {
  const { path, expression } = fact.params;
  if (fact.code !== "expression_failed" || !Array.isArray(path) || !workspace.chains.has(chain)) return undefined;
  const source = await readChain(workspace, chain);
  if (source?.file === undefined) return undefined;
  const { value, locate } = parseYaml(source.text, { file: source.file });
  const steps = isRecord(value) && Array.isArray(value["steps"]) ? value["steps"] : [];
  const index = steps.findIndex((each) => isRecord(each) && each["id"] === step.replace(/\[\d+\]$/, ""));
  // The path is one of names and indexes.
  const at = ["steps", index, ...(path as YamlPath)];
  if (valueAt(value, at) !== expression) return undefined;
  const { line, column } = locate(at, "value");
  return { file: source.file, line, column };
}

function valueAt(value: unknown, path: YamlPath): unknown {
  return path.reduce<unknown>((at, key) => {
    if (Array.isArray(at)) return at[Number(key)] as unknown;
    return isRecord(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }, value);
}
