import { join } from "node:path";
import type { Engine } from "../engine/index.ts";
import {
  ContractFolder,
  type FolderEvent,
  Hub,
  type ReloadMode,
  type ResultShelf,
  type Synthesiser,
  hubOffers,
} from "../hub/index.ts";
import { type Model, generateText } from "../model/index.ts";
import type { Redactor } from "../text/index.ts";
import type { AnyTool, ToolRegistry } from "../tool/index.ts";
import type { OpenedServices } from "./open-services.ts";
import type { WorkspaceConfig } from "./workspace-config.ts";

/** What {@link openHub} takes. */
export interface HubSetting {
  /** The workspace. */
  readonly dir: string;
  readonly config: WorkspaceConfig;
  readonly mode: ReloadMode;
  readonly services: OpenedServices;
  readonly registry: ToolRegistry;
  readonly redactor: Redactor;
  /** There by the time that something is called. */
  readonly engine: () => Engine;
  readonly whyMissing: (tool: string) => string | undefined;
  /** Told of contracts that cannot be used. */
  readonly onEvent: (event: FolderEvent) => void;
}

/** What chooses among the tools of a workspace. */
export interface OpenedHub {
  readonly resolver: Hub;
  readonly contracts: ContractFolder;
  readonly shelf: ResultShelf;
}

/** Chooses among the tools of a workspace, and offers the tools that find others and read large results. */
export function openHub(setting: HubSetting): OpenedHub {
  const { dir, config, mode, services, registry, redactor, engine, whyMissing, onEvent } = setting;
  const isAvailable = (tool: AnyTool): boolean => engine().isAvailable(tool);
  const { model } = services;
  const resolver = new Hub({
    registry,
    keywords: config.capabilities.keywords,
    declared: config.capabilities.declared,
    limits: config.hub,
    redactor,
    isAvailable,
    whyMissing,
    ...(model !== undefined && { synthesiser: asking(model) }),
  });
  const shelf = services.shelf(redactor.known);
  registry.offer(hubOffers({ registry, shelf, isOffered: isAvailable }), { owner: "builtin" });
  const contracts = new ContractFolder({
    dir: join(dir, config.capabilities.directory),
    root: dir,
    hub: resolver,
    mode,
    onEvent,
  });
  return { resolver, contracts, shelf };
}

function asking(model: Model): Synthesiser {
  return async (prompt, signal) => (await generateText(model, { prompt, signal })).text;
}
