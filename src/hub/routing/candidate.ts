import { isExpressionError } from "../../expr/index.ts";
import type { Issue } from "../../base/index.ts";
import { type AnyTool, type Registration, isUsable } from "../../tool/index.ts";
import { type Contract, type ToolMapping, mappingFor } from "./contract.ts";
import { knownArguments, contractMismatch } from "./contract-mismatch.ts";
import type { ToolKind } from "./tool-kind.ts";

/** One tool from one source, under a name or a capability. */
export interface Candidate {
  readonly registration: Registration;
  /** Label in results and failures: its name, with its source if another one has the same name. */
  readonly label: string;
  /**
   * True if it may run concurrently with others. MCP servers that share a name and have no declaration in the
   * workspace are called one after another.
   */
  readonly joins: boolean;
  readonly mapping?: ToolMapping | undefined;
}

/** The candidates under one name. */
export interface Choice {
  /** As it is called: `web_search`, `capability:search`. */
  readonly name: string;
  readonly candidates: readonly Candidate[];
  readonly kind: ToolKind;
  /** Input and output of the choice; without a contract, arguments and outputs are the candidates' own. */
  readonly contract?: Contract | undefined;
  /** Results that have the form of this one are merged as data. */
  readonly shape?: Contract | undefined;
  readonly byCapability: boolean;
  /** Tools that have the capability and cannot serve its contract, and why. */
  readonly unfit: readonly string[];
}

/** The candidates among these registrations, best first, and those that cannot serve the contract. */
export function candidatesOf(
  registrations: readonly Registration[],
  contract: Contract | undefined,
  mayJoin: (registration: Registration) => boolean,
): Pick<Choice, "candidates" | "unfit"> {
  const unfit: string[] = [];
  const names = registrations.map(({ tool }) => tool.name);
  const candidates = registrations.flatMap((registration): Candidate[] => {
    const { tool, source, owner, priority } = registration;
    const isShared = names.filter((name) => name === tool.name).length > 1;
    const label = isShared ? `${source}/${tool.name}` : tool.name;
    const mapping = contract && mappingFor(contract, registration);
    // A mapping that names a form of a tool is made for the arguments and the output of that form.
    const form = mapping === undefined ? undefined : tool.forms?.[mapping.pattern];
    const why = contract === undefined || mapping !== undefined ? undefined : contractMismatch(tool, contract);
    if (why !== undefined) unfit.push(`${label}: ${why}`);
    if (why !== undefined) return [];
    const served = form === undefined ? registration : { tool: form, source, owner, priority };
    return [{ registration: served, label, joins: mayJoin(registration), mapping }];
  });
  return { candidates, unfit };
}

/** Arguments for a candidate, or the issues why it cannot be called. */
export type CandidateArguments = { readonly args: unknown } | { readonly issues: readonly Issue[] };

/** The arguments of a choice as one candidate takes them. */
export function argumentsFor(
  { mapping, registration: { tool } }: Candidate,
  contract: Contract | undefined,
  args: unknown,
): CandidateArguments {
  if (contract === undefined) return { args };
  if (mapping?.arguments === undefined) return { args: knownArguments(tool, args) };
  try {
    return { args: mapping.arguments.evaluate({ input: args }) };
  } catch (error) {
    if (!isExpressionError(error)) throw error;
    const message = `the arguments of ${tool.name} cannot be derived from these: ${error.message}`;
    return { issues: [{ path: [], code: "mapping", message }] };
  }
}

/** True if this tool is broken, not offered, or cannot work here. */
export function isUnavailable(tool: AnyTool): boolean {
  return !isUsable(tool) || tool.status === "disabled" || tool.status === "draft";
}
