import { showUnsafe } from "../../text/index.ts";
import { type Pin, definitionHash, pinnedParts } from "./check-definition.ts";
import { definitionDiff } from "./definition-diff.ts";
import type { Judged, JudgedTool } from "./judge-definitions.ts";
import type { McpReview, McpServerStatus, RefusedTool } from "./mcp-status.ts";
import { schemaProblem } from "./mcp-tool.ts";
import type { McpServer } from "./server-config.ts";
import { changedFrom, identityChanges } from "./server-identity.ts";
import type { KeptPins } from "./state-files.ts";

/** What somebody has to decide about a server, or about one of its tools by full name. */
export function reviewServer(
  server: McpServer,
  { judged, kept }: { readonly judged: Judged; readonly kept: KeptPins | undefined },
  only?: string,
): McpReview {
  const { tools, definitions } = judged;
  const before = changedFrom(server, kept);
  const wanted = tools.filter(({ name }) => only === undefined || name === only);
  const open = wanted.filter(({ refused, hash }) => refused !== undefined && hash !== "");
  // By what the server says: a tool that the workspace leaves out is not gone.
  const offered = new Set(definitions.map(({ name }) => name));
  return {
    server: server.name,
    identity: server.identity,
    ...(before !== undefined && {
      address: { before: before.shown, after: server.shown, parts: identityChanges(server, before) },
    }),
    tools: open.flatMap(({ name, definition, hash }) => {
      const pin = kept?.pins.get(definition.name);
      // The tool itself is as it was: only its server has to be approved.
      if (pin?.hash === hash) return [];
      return [{ name, isNew: pin === undefined, changes: definitionDiff(pin?.definition, definition), definition }];
    }),
    gone: only === undefined ? [...(kept?.pins.keys() ?? [])].filter((name) => !offered.has(name)) : [],
    refused: refusedTools(wanted.filter(({ hash }) => hash === "")),
  };
}

/** What is approved once a review is: what was, with these changes. */
export function approvedPins(server: McpServer, kept: KeptPins | undefined, review: McpReview): KeptPins {
  const pins = new Map<string, Pin>(kept?.pins ?? []);
  for (const name of review.gone) pins.delete(name);
  for (const { definition } of review.tools) {
    pins.set(definition.name, { definition: pinnedParts(definition), hash: definitionHash(definition) });
  }
  const { identity, shown, parts, trust } = server;
  return { identity, shown, parts, trust, pins };
}

/** The refused ones among tools. */
export function refusedTools(tools: readonly JudgedTool[]): RefusedTool[] {
  return tools.flatMap(({ name, refused }) => (refused === undefined ? [] : [{ name, ...pick(refused) }]));
}

/** The tools that can be called, by name, and the others, those among them whose schemas nobody can use. */
export function usableTools(tools: readonly JudgedTool[]): Pick<McpServerStatus, "tools" | "refused"> {
  const unusable = tools.flatMap(({ name, definition, refused }): RefusedTool[] => {
    const problem = refused === undefined ? schemaProblem(definition) : undefined;
    return problem === undefined ? [] : [{ name, reason: "bad_schema", message: showUnsafe(problem) }];
  });
  const refused = [...refusedTools(tools), ...unusable];
  const left = new Set(refused.map(({ name }) => name));
  return { tools: tools.map(({ name }) => name).filter((name) => !left.has(name)), refused };
}

function pick({ reason, message }: NonNullable<JudgedTool["refused"]>): Omit<RefusedTool, "name"> {
  return { reason, message };
}
