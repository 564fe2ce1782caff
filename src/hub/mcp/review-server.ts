import { showUnsafe } from "../../text/index.ts";
import { type Pin, definitionHash, pinnedParts } from "./check-definition.ts";
import { definitionDiff, type McpReview, type McpServerStatus, type RefusedTool } from "./mcp-status.ts";
import type { JudgedDefinitions, JudgedTool } from "./judge-definitions.ts";
import { hasHints, schemaProblem } from "./mcp-tool.ts";
import type { McpServer } from "./server-config.ts";
import { changedFrom, identityChanges } from "./server-identity.ts";
import type { StoredPins } from "./server-state-files.ts";

/** Pending decisions about a server, or about one of its tools by full name. */
export function reviewServer(
  server: McpServer,
  { judged, stored }: { readonly judged: JudgedDefinitions; readonly stored: StoredPins | undefined },
  only?: string,
): McpReview {
  const before = changedFrom(server, stored);
  const requested = judged.tools.filter(({ name }) => only === undefined || name === only);
  const hinted = new Set(withUnapprovedHints(requested, server));
  const open = requested.filter((tool) => (tool.refused !== undefined && tool.hash !== "") || hinted.has(tool));
  // Compared with the server's list: a tool that the workspace excludes is not gone.
  const offered = new Set(judged.definitions.map(({ name }) => name));
  return {
    server: server.name,
    identity: server.identity,
    ...(before !== undefined && {
      address: { before: before.shown, after: server.display, parts: identityChanges(server, before) },
    }),
    tools: open.flatMap(({ name, definition, hash, isApproved }) => {
      const first = stored?.pins.get(definition.name);
      // The tool itself is as it was: only its server has to be approved.
      if (first?.hash === hash && (isApproved || !hasHints(definition, server))) return [];
      // A definition that was accepted at first sight is shown in full.
      const pin = first?.hash === hash ? undefined : first;
      return [{ name, isNew: pin === undefined, changes: definitionDiff(pin?.definition, definition), definition }];
    }),
    gone: only === undefined ? [...(stored?.pins.keys() ?? [])].filter((name) => !offered.has(name)) : [],
    refused: refusedTools(requested.filter(({ hash }) => hash === "")),
  };
}

/** Usable tools whose hints do not count, because no person has approved them. */
export function withUnapprovedHints(tools: readonly JudgedTool[], server: McpServer): readonly JudgedTool[] {
  return tools.filter(
    ({ definition, isApproved, refused }) => !isApproved && refused === undefined && hasHints(definition, server),
  );
}

/** The pins after a review is approved: the stored ones with these changes. */
export function approvedPins(server: McpServer, stored: StoredPins | undefined, review: McpReview): StoredPins {
  const pins = new Map<string, Pin>(stored?.pins ?? []);
  for (const name of review.gone) pins.delete(name);
  for (const { definition } of review.tools) {
    pins.set(definition.name, { definition: pinnedParts(definition), hash: definitionHash(definition) });
  }
  const { identity, display, parts, trust } = server;
  const reviewed = review.tools.map(({ definition }) => definitionHash(definition));
  const known = new Set([...pins.values()].map(({ hash }) => hash));
  const approved = new Set([...(stored?.approved ?? []), ...reviewed].filter((hash) => known.has(hash)));
  const scripts = server.scripts();
  return { identity, shown: display, parts, trust, pins, approved, ...(scripts !== undefined && { scripts }) };
}

/** The refused ones among tools. */
export function refusedTools(tools: readonly JudgedTool[]): RefusedTool[] {
  return tools.flatMap(({ name, refused }) => (refused === undefined ? [] : [{ name, ...pick(refused) }]));
}

/** The names of callable tools, and the other tools, including those with unusable schemas. */
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
