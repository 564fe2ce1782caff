import type { CapabilityInfo } from "../../../hub/index.ts";

/** Describes how the tools of a capability are used; empty if there is only one. */
export function howUsed({ tools, strategy }: CapabilityInfo): string {
  return tools.length < 2 ? "" : strategyTexts[strategy];
}

const strategyTexts: Readonly<Record<CapabilityInfo["strategy"], string>> = {
  pick_best: "several in parallel, first success wins",
  synthesise: "several in parallel, results merged",
  in_turn: "one after another",
};

/** Location of a capability's contract: its file, or `built in`; undefined if it has none. */
export function contractOf({ contract }: CapabilityInfo): string | undefined {
  return contract === undefined ? undefined : (contract.file ?? "built in");
}

/** A capability in JSON output. */
export function toWireCapability(info: CapabilityInfo): Record<string, unknown> {
  const { name, tools, unfit, strategy, contract } = info;
  return {
    name: `capability:${name}`,
    ...(contract !== undefined && { description: contract.description, aliases: contract.aliases }),
    tools,
    strategy,
    contract: contractOf(info) ?? null,
    ...(contract?.broken !== undefined && { broken: contract.broken.message }),
    unfit,
  };
}
