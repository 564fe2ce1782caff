import type { AnyTool, ToolOffer, ToolRegistry } from "../tool/index.ts";
import { findToolsName, findToolsTool } from "./tool-search/find-tools-tool.ts";
import { toolFinderOf } from "./tool-search/tool-finder.ts";
import { readResultName, readResultTool } from "./result-view/read-result-tool.ts";
import type { ResultStore } from "./result-view/result-store.ts";

/** Dependencies of {@link hubOffers}. */
export interface HubOffersDeps {
  /** Registry that `find_tools` searches. */
  readonly registry: ToolRegistry;
  /** Store of large results. */
  readonly resultStore: ResultStore;
  /** True if a tool could be called. Default: all tools. */
  readonly isOffered?: (tool: AnyTool) => boolean;
}

/** The tools that every workspace has for its other tools. */
export const hubToolNames: readonly string[] = [findToolsName, readResultName];

/** The tools that find others and read large results, created on demand. */
export function hubOffers({ registry, resultStore, isOffered }: HubOffersDeps): ToolOffer[] {
  return [
    {
      name: findToolsName,
      aliases: [],
      make: () => findToolsTool({ finder: toolFinderOf(registry), isOffered }),
    },
    { name: readResultName, aliases: [], make: () => readResultTool(resultStore) },
  ];
}
