import type { Problem } from "../../text/index.ts";
import type { Registration } from "../../tool/index.ts";
import type { CapabilityInfo, Hub } from "./hub.ts";

/** Dependencies of {@link unservedContracts}. */
export interface ServedContracts {
  readonly hub: Pick<Hub, "capabilities" | "withCapability">;
  /** True if a tool that is not known yet may serve it. */
  readonly mayBeServed: (capability: string) => boolean;
}

/**
 * Warns about contracts of the workspace that no tool serves, and about tools that declare the capability but are
 * omitted because they do not match. Built-in contracts and tools cause no warnings: the user did not write them.
 */
export function unservedContracts({ hub, mayBeServed }: ServedContracts): Problem[] {
  return hub.capabilities().flatMap((info): Problem[] => {
    const { name, tools, contract } = info;
    if (contract?.file === undefined || contract.broken !== undefined) return [];
    const warn = (text: Pick<Problem, "code" | "message" | "hint">): Problem => ({
      severity: "warning",
      ...text,
      file: contract.file ?? "",
      line: 1,
      column: 1,
    });
    const left = omittedTools(info, hub.withCapability(name)).map((text) =>
      warn({ code: "unfit_tool", message: `${text}; it is omitted`, hint: "write an entry for it under `tools`" }),
    );
    if (tools.length > 0 || left.length > 0 || mayBeServed(name)) return left;
    const hint = `give a tool capabilities: [${name}], or declare it under \`capabilities\` in windlass.yaml`;
    return [warn({ code: "unserved_capability", message: `no tool serves capability:${name}`, hint })];
  });
}

function omittedTools({ unfit }: CapabilityInfo, registrations: readonly Registration[]): readonly string[] {
  const declaring = registrations.filter(({ tool, owner }) => owner !== "builtin" && tool.capabilities.length > 0);
  return unfit.filter((text) =>
    declaring.some(({ tool }) => text.split(": ", 1)[0]?.split("/").at(-1) === tool.name.split("/").at(-1)),
  );
}
