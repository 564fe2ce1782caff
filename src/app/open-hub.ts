import { join } from "node:path";
import { toolAvailability } from "../engine/index.ts";
import {
  ContractFolder,
  type ToolFolderEvent,
  Hub,
  type HubOptions,
  type ResultStore,
  type Synthesizer,
  hubOffers,
} from "../hub/index.ts";
import { type Model, generateText } from "../model/index.ts";
import type { Redactor } from "../secrets/index.ts";
import { type AnyTool, type ToolRegistry, builtinOwner, isUsable } from "../tool/index.ts";
import type { OpenedServices } from "./open-services.ts";
import type { Opening } from "./opening.ts";

/** Options of {@link openHub}. */
export interface OpenHubOptions extends Pick<Opening, "dir" | "config" | "mode"> {
  readonly services: OpenedServices;
  readonly registry: ToolRegistry;
  readonly redactor: Redactor;
  readonly whyMissing: (tool: string) => string | undefined;
  readonly fileError: HubOptions["fileError"];
  /** Called for contracts that cannot be used. */
  readonly onEvent: (event: ToolFolderEvent) => void;
}

/** The hub of a workspace, which chooses among its tools. */
export interface OpenedHub {
  readonly resolver: Hub;
  readonly contracts: ContractFolder;
  readonly resultStore: ResultStore;
}

/** Creates the hub of a workspace, with the tools that find others and read large results. */
export function openHub(setting: OpenHubOptions): OpenedHub {
  const { dir, config, mode, services, registry, redactor, whyMissing, fileError, onEvent } = setting;
  const isAvailable = toolAvailability(config.engine);
  const { model } = services;
  const resolver = new Hub({
    registry,
    keywords: config.capabilities.keywords,
    declared: config.capabilities.declared,
    limits: config.hub,
    redactor,
    isAvailable,
    whyMissing,
    fileError,
    ...(model !== undefined && { synthesiser: createSynthesizer(model) }),
  });
  const resultStore = services.resultStore(redactor.known);
  const isOffered = (tool: AnyTool): boolean => isAvailable(tool) && isUsable(tool);
  registry.offer(hubOffers({ registry, resultStore, isOffered }), { owner: builtinOwner });
  const contracts = new ContractFolder({
    dir: join(dir, config.capabilities.directory),
    root: dir,
    hub: resolver,
    mode,
    onEvent,
  });
  return { resolver, contracts, resultStore };
}

function createSynthesizer(model: Model): Synthesizer {
  return async (prompt, signal) => (await generateText(model, { prompt, signal })).text;
}
