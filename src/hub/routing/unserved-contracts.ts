import type { Problem } from "../../text/index.ts";
import type { Registration } from "../../tool/index.ts";
import type { CapabilityInfo, Hub } from "./hub.ts";

/** What contracts are held against. */
export interface ServedContracts {
  readonly hub: Pick<Hub, "capabilities" | "withCapability">;
  /** Whether somebody may serve it whose tools nobody knows yet. */
  readonly mayBeServed: (capability: string) => boolean;
}

/**
 * Warns about contracts of the workspace that nobody serves, and about tools that say themselves that they have the
 * capability and are left out because they do not fit. Of what is built in nothing is said: nobody wrote that here.
 */
export function unservedContracts({ hub, mayBeServed }: ServedContracts): Problem[] {
  return hub.capabilities().flatMap((info): Problem[] => {
    const { name, tools, contract } = info;
    if (contract?.file === undefined || contract.broken !== undefined) return [];
    const warn = (said: Pick<Problem, "code" | "message" | "hint">): Problem => ({
      severity: "warning",
      ...said,
      file: contract.file ?? "",
      line: 1,
      column: 1,
    });
    const left = leftOut(info, hub.withCapability(name)).map((said) =>
      warn({ code: "unfit_tool", message: `${said}; it is left out`, hint: "write an entry for it under `tools`" }),
    );
    if (tools.length > 0 || left.length > 0 || mayBeServed(name)) return left;
    const hint = `give a tool capabilities: [${name}], or declare it under \`capabilities\` in windlass.yaml`;
    return [warn({ code: "unserved_capability", message: `no tool serves capability:${name}`, hint })];
  });
}

function leftOut({ unfit }: CapabilityInfo, registrations: readonly Registration[]): readonly string[] {
  const declaring = registrations.filter(({ tool, owner }) => owner !== "builtin" && tool.capabilities.length > 0);
  return unfit.filter((said) =>
    declaring.some(({ tool }) => said.split(": ", 1)[0]?.split("/").at(-1) === tool.name.split("/").at(-1)),
  );
}
