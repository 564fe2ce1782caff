import { basename, extname } from "node:path";
import { failure } from "../../base/index.ts";
import { fromJsonSchema } from "../../schema/index.ts";
import type { Problem } from "../../text/index.ts";
import type { ChooseReason } from "./choose-reasons.ts";
import type { Contract } from "./contract.ts";
import { capabilityName } from "./derive-capabilities.ts";
import { kindOf } from "./tool-kind.ts";

/** What is known of a file of a contract that cannot be used. */
interface BrokenFile {
  readonly file: string;
  /** Empty where it could not be read. */
  readonly source: string;
}

/** Why it cannot be, and what there is without it. */
interface Breakage {
  readonly problems: readonly Problem[];
  readonly known: ReadonlyMap<string, Contract>;
}

/**
 * A contract that keeps the names of one whose file cannot be used: calls are refused and say why, and no tool is called
 * with arguments that were meant to be mapped for it.
 */
export function brokenContract({ file, source }: BrokenFile, { problems, known }: Breakage): Contract {
  const name = capabilityName(nameIn(source) ?? basename(file, extname(file)));
  const base = known.get(name);
  const first = problems.find(({ severity }) => severity === "error");
  const where = first === undefined ? file : `${first.file}:${first.line}:${first.column}: ${first.message}`;
  const aliases = aliasesIn(source).map(capabilityName);
  return {
    description: `Cannot be used: ${file} is not in order.`,
    kind: kindOf([name, ...aliases]),
    input: fromJsonSchema({ type: "object" }),
    tools: [],
    ...base,
    name,
    aliases: [...new Set([...(base?.aliases ?? []), ...aliases])],
    file,
    broken: failure("not_available", `capability:${name} cannot be used: ${where}`, {
      reason: "broken_contract" satisfies ChooseReason,
      retry: "never",
      forModel: `Nothing can serve capability:${name} at present. Use another tool.`,
    }),
  };
}

/** As far as a text tells that may be no YAML. */
function nameIn(source: string): string | undefined {
  return /^name:[ \t]*(["']?)([^"'#\s{}[\]:]+)\1[ \t]*(?:#.*)?$/m.exec(source)?.[2];
}

function aliasesIn(source: string): readonly string[] {
  const list = /^aliases:[ \t]*(?:\[([^\]\n]*)\]|((?:\n[ \t]*-[ \t]+\S.*)+))/m.exec(source);
  const parts = list?.[1]?.split(",") ?? list?.[2]?.split(/\n[ \t]*-[ \t]+/) ?? [];
  return parts.map((part) => part.replaceAll(/^["'\s]+|["'\s]+$/g, "")).filter((part) => part !== "");
}
