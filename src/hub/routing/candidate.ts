import { isExpressionError } from "../../expr/index.ts";
import type { Issue } from "../../base/index.ts";
import type { AnyTool, Registration } from "../../tool/index.ts";
import { type Contract, type ToolMapping, mappingFor } from "./contract.ts";
import { knownArguments, misfit } from "./fits-contract.ts";
import type { ToolKind } from "./tool-kind.ts";

/** One tool from one source, under a name or a capability. */
export interface Candidate {
  readonly registration: Registration;
  /** What results and failures call it: its name, with its source where another has the same. */
  readonly label: string;
  /**
   * Whether it may run beside others. Of several MCP servers that have a name, those for which the workspace declared
   * nothing are called one after another.
   */
  readonly joins: boolean;
  readonly mapping?: ToolMapping | undefined;
}

/** What there is to choose from under one name. */
export interface Choice {
  /** As it is called: `web_search`, `capability:search`. */
  readonly name: string;
  readonly candidates: readonly Candidate[];
  readonly kind: ToolKind;
  /** What callers pass and get; without one, arguments and outputs are the candidates' own. */
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
    const { tool, source } = registration;
    const isShared = names.filter((name) => name === tool.name).length > 1;
    const label = isShared ? `${source}/${tool.name}` : tool.name;
    const mapping = contract && mappingFor(contract, registration);
    const why = contract === undefined || mapping !== undefined ? undefined : misfit(tool, contract);
    if (why !== undefined) unfit.push(`${label}: ${why}`);
    return why === undefined ? [{ registration, label, joins: mayJoin(registration), mapping }] : [];
  });
  return { candidates, unfit };
}

/** What a candidate is called with, or why it cannot be. */
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
    const message = `the arguments of ${tool.name} cannot be made of these: ${error.message}`;
    return { issues: [{ path: [], code: "mapping", message }] };
  }
}

/** Does this tool exist only to say that it cannot be used, or is it not on offer? */
export function isOff({ broken, status }: AnyTool): boolean {
  return broken !== undefined || status === "disabled" || status === "draft";
}
