import type { CapabilityInfo } from "../hub/index.ts";

/** How the tools of a capability are used, for people; empty where there is only one. */
export function howUsed({ tools, strategy }: CapabilityInfo): string {
  return tools.length < 2 ? "" : strategyWords[strategy];
}

const strategyWords: Readonly<Record<CapabilityInfo["strategy"], string>> = {
  pick_best: "several at once, the first that succeeds",
  synthesise: "several at once, put together",
  in_turn: "one after another",
};

/** Where the contract of a capability is: its file, or `built in`; undefined where it has none. */
export function contractOf({ contract }: CapabilityInfo): string | undefined {
  return contract === undefined ? undefined : (contract.file ?? "built in");
}

/** A capability as it is written for programs. */
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
