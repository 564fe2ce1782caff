import type { AnyTool, ToolOffer, ToolRegistry } from "../tool/index.ts";
import { findToolsName, findToolsTool } from "./find/find-tools-tool.ts";
import { ToolFinder } from "./find/tool-finder.ts";
import { readResultName, readResultTool } from "./view/read-result-tool.ts";
import type { ResultShelf } from "./view/result-shelf.ts";

/** What {@link hubOffers} needs. */
export interface HubOffering {
  /** Where tools are found. */
  readonly registry: ToolRegistry;
  /** Where results are read. */
  readonly shelf: ResultShelf;
  /** Could a tool be called? All could where absent. */
  readonly isOffered?: (tool: AnyTool) => boolean;
}

/** The tools that every workspace has for its other tools. */
export const hubToolNames: readonly string[] = [findToolsName, readResultName];

/** The tools that find others and read large results; made when somebody wants them. */
export function hubOffers({ registry, shelf, isOffered }: HubOffering): ToolOffer[] {
  return [
    {
      name: findToolsName,
      aliases: [],
      make: () => findToolsTool({ finder: new ToolFinder(registry), isOffered }),
    },
    { name: readResultName, aliases: [], make: () => readResultTool(shelf) },
  ];
}
