import { findToolsName, readResultName, toolFinderOf } from "../../hub/index.ts";
import { estimateTokens } from "../../text/index.ts";
import { type AnyTool, type Registration, isUsable, isWorkspaceTool } from "../../tool/index.ts";
import type { AgentRun } from "../run/agent-run.ts";
import { isToolAllowed } from "../run/is-tool-allowed.ts";
import type { AgentPrompt } from "../run/runner.ts";
import { OfferedTools } from "../run/offered-tools.ts";

/** Tools offered to a model, and the number of the others. */
export interface ChosenTools {
  readonly offered: OfferedTools;
  /** Number of tools that were not offered. */
  readonly more: number;
}

/**
 * Chooses the tools for a prompt. A conversation starts with all tools that can work here if their definitions fit;
 * otherwise with the workspace's own tools, the core tools, and those that match the prompt. The others are found with
 * `find_tools`. Later prompts and rounds only append to the list, because services cache a prompt by its prefix.
 */
export function chooseTools(run: AgentRun, prompt: Pick<AgentPrompt, "text" | "offered">): ChosenTools {
  const all = offerableTools(run);
  const costs = new ToolCosts(all, run.spec.toolDefinitionTokens);
  if (run.offered === undefined) {
    // The tools that earlier prompts of the conversation were offered, in the same order.
    const earlier = (prompt.offered ?? []).flatMap((name) => {
      const tool = run.engine.tools.resolve(name)?.tool;
      return tool !== undefined && isToolAllowed(run, tool) ? [tool.formOf ?? tool] : [];
    });
    const first = earlier.length > 0 ? earlier : firstTools(run, { all, costs, text: prompt.text });
    run.offered = new OfferedTools(first, run.family.name);
    run.offered.seen = { version: run.engine.tools.version, names: new Set(all.map(({ tool }) => tool.name)) };
    if (earlier.length > 0) appendTools(run, run.offered, { all, costs, text: prompt.text });
  } else appendTools(run, run.offered, { all, costs, text: prompt.text });
  const { offered } = run;
  const more = costs.fitsAll ? 0 : all.filter(({ tool }) => !offered.has(tool.name)).length;
  return { offered, more };
}

/** Offers the tools that were registered since the last request, and the current definitions of those that changed. */
export function offerRegisteredTools(run: AgentRun, offered: OfferedTools | undefined): void {
  const { version } = run.engine.tools;
  if (offered?.seen === undefined || offered.seen.version === version) return;
  const all = offerableTools(run);
  const { names } = offered.seen;
  for (const { tool } of ownFirst(all)) {
    const isNew = !names.has(tool.name) && offered.tokens < run.spec.toolDefinitionTokens * 2;
    if (isNew || offered.has(tool.name)) offered.add(tool);
  }
  offered.seen = { version, names: new Set([...names, ...all.map(({ tool }) => tool.name)]) };
}

/** The tools that a model may be offered: it may call them, and they can work here. */
export function offerableTools(run: AgentRun): readonly Registration[] {
  return run.engine.tools.list().filter(({ tool }) => isUsable(tool) && isToolAllowed(run, tool));
}

/** Tools in the order in which a prompt may need them: the workspace's own, then the core tools, then by relevance. */
export function rankTools(run: AgentRun, text: string): readonly AnyTool[] {
  const all = offerableTools(run);
  const hits = matchingTools(run, { all, text, limit: maxRelevant });
  const own = all.filter(isWorkspaceTool).map(({ tool }) => tool);
  const isHit = new Set(hits);
  const ranked = [...own.filter((tool) => isHit.has(tool)), ...own, ...coreOf(all), ...hits];
  return [...new Set([...ranked, ...all.map(({ tool }) => tool)])];
}

/** Offers a tool that `find_tools` found, if its definition fits. */
export function offerFoundTool(run: AgentRun, offered: OfferedTools, name: string): void {
  const tool = run.engine.resolver.resolve(name)?.tool;
  if (tool === undefined || !isUsable(tool) || !isToolAllowed(run, tool)) return;
  if (offered.tokens < run.spec.toolDefinitionTokens * 2) offered.add(tool);
}

interface Selection {
  readonly all: readonly Registration[];
  readonly costs: ToolCosts;
  readonly text: string;
}

/** Maximum number of tools that are offered because they match a prompt. */
const maxRelevant = 10;

/** Share of the space for definitions that the workspace's own tools take if not all of them fit. */
const ownShare = 0.75;

/** The tools of the first request of a conversation. */
function firstTools(run: AgentRun, { all, costs, text }: Selection): readonly AnyTool[] {
  // `find_tools` is useless if all tools are offered.
  if (costs.fitsAll) return ownFirst(all).flatMap(({ tool }) => (tool.name === findToolsName ? [] : [tool]));
  const hits = matchingTools(run, { all, text, limit: maxRelevant });
  const own = all.filter(isWorkspaceTool).map(({ tool }) => tool);
  const basics = all.filter(({ tool }) => tool.alwaysEnabled || tool.name === readResultName);
  for (const { tool } of basics) costs.take(tool);
  if (costs.total(own) <= costs.left) for (const tool of own) costs.take(tool);
  else {
    const minLeft = costs.left * (1 - ownShare);
    for (const tool of [...hits.filter((hit) => own.includes(hit)), ...own]) costs.take(tool, minLeft);
  }
  for (const tool of [...coreOf(all), ...hits]) costs.take(tool);
  const isOwn = new Set(own);
  return [...costs.taken.filter((tool) => isOwn.has(tool)), ...costs.taken.filter((tool) => !isOwn.has(tool))];
}

/** Appends to the tools of a conversation: new tools of the workspace, and the best match of the prompt. */
function appendTools(run: AgentRun, offered: OfferedTools, { all, costs, text }: Selection): void {
  const own = all.filter(isWorkspaceTool).map(({ tool }) => tool);
  const max = run.spec.toolDefinitionTokens;
  const added = costs.fitsAll ? all.map(({ tool }) => tool) : costs.total(own) <= max ? own : [];
  for (const tool of [...added, ...matchingTools(run, { all, text, limit: 1 })]) {
    if (tool.name !== findToolsName && offered.tokens < max * 2) offered.add(tool);
  }
}

/** Length of the beginning of a prompt that is compared with the tools. */
const maxComparedLength = 4000;

interface MatchRequest extends Pick<Selection, "all" | "text"> {
  readonly limit: number;
}

/** The offerable tools that match a prompt best, best first. */
function matchingTools(run: AgentRun, { all, text, limit }: MatchRequest): readonly AnyTool[] {
  const tools = new Set(all.map(({ tool }) => tool));
  const where = (tool: AnyTool): boolean => tool.name !== findToolsName && tools.has(tool);
  const hits = toolFinderOf(run.engine.tools).search(text.slice(0, maxComparedLength), { limit, where });
  return hits.map(({ registration }) => registration.tool);
}

function coreOf(all: readonly Registration[]): AnyTool[] {
  const core = all.flatMap(({ tool }) => (tool.core === undefined ? [] : [{ tool, rank: tool.core }]));
  return core.toSorted((a, b) => a.rank - b.rank).map(({ tool }) => tool);
}

function ownFirst(all: readonly Registration[]): readonly Registration[] {
  return [...all.filter(isWorkspaceTool), ...all.filter((registration) => !isWorkspaceTool(registration))];
}

/** Chooses tools as long as their definitions fit into a number of tokens. */
class ToolCosts {
  readonly #taken = new Set<AnyTool>();
  readonly fitsAll: boolean;
  left: number;

  constructor(all: readonly Registration[], tokens: number) {
    this.left = tokens;
    this.fitsAll = this.total(all.map(({ tool }) => tool)) <= tokens;
  }

  get taken(): readonly AnyTool[] {
    return [...this.#taken];
  }

  total(tools: readonly AnyTool[]): number {
    return tools.reduce((sum, tool) => sum + costOf(tool), 0);
  }

  /** Takes a tool if at least `minLeft` tokens remain. */
  take(tool: AnyTool, minLeft = 0): void {
    const cost = costOf(tool);
    if (this.#taken.has(tool) || this.left - cost < minLeft) return;
    this.left -= cost;
    this.#taken.add(tool);
  }
}

const known = new WeakMap<AnyTool, number>();

/** Estimated tokens of a tool definition in a request. */
function costOf(tool: AnyTool): number {
  const before = known.get(tool);
  if (before !== undefined) return before;
  const cost = estimateTokens(tool.name + tool.description + JSON.stringify(tool.input.json)) + 12;
  known.set(tool, cost);
  return cost;
}
