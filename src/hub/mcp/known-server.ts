import { fail, isFailureError, cliCommand, definedOnly, errorMessage } from "../../base/index.ts";
import type { Problem } from "../../text/index.ts";
import type { Effect } from "../../tool/index.ts";
import {
  type JudgedDefinitions,
  type JudgedTool,
  changedServerRefusal,
  judgeDefinitions,
} from "./judge-definitions.ts";
import { mapOutcome } from "./map-outcome.ts";
import type { McpConnection, McpToolDefinition, McpResource } from "./mcp-port.ts";
import type { McpReview, McpServerStatus } from "./mcp-status.ts";
import { approvedPins, reviewServer, usableTools, withUnapprovedHints } from "./review-server.ts";
import type { McpServer } from "./server-config.ts";
import { changedFrom } from "./server-identity.ts";
import { ServerLink } from "./server-link.ts";
import { ServerResources, rememberedUris } from "./server-resources.ts";
import { ServerTools, type ToolCall, serverOrigin, refusalFailure } from "./server-tools.ts";
import { mcpSourceFailure } from "../hub-reasons.ts";
import type { McpSourceDeps } from "./mcp-source-deps.ts";
import type { Catalogue, StoredPins } from "./server-state-files.ts";

/** A server of the workspace: its known tools, its approvals, and its connection. */
export class KnownServer {
  readonly server: McpServer;
  readonly #world: McpSourceDeps;
  readonly #link: ServerLink;
  readonly #shown: ServerTools;
  /** Aborted once its tools are no longer needed, so that none is registered any more. */
  readonly #left = new AbortController();
  #resources: ServerResources | undefined;
  #pins: StoredPins | undefined;
  #catalogue: Catalogue | undefined;
  #judged: JudgedDefinitions = { definitions: [], tools: [], notes: [] };
  /** Last state that was logged. */
  #reported: { readonly connection: McpConnection; readonly length: number } | undefined;
  /** Why the last connection could not be made. */
  #failure: string | undefined;

  constructor(server: McpServer, world: McpSourceDeps) {
    this.server = server;
    this.#world = world;
    const { registry, declared, connector, clock, random, limits, log } = world;
    this.#shown = new ServerTools({ registry, declared, call: (tool, args, call) => this.#call(tool, args, call) });
    this.#link = new ServerLink({
      server,
      connector,
      clock,
      random,
      limits,
      log,
      lastProtocol: () => this.#catalogue?.protocol,
      listed: (definitions, connection) => this.#listed(definitions, connection),
      failed: (error) => this.#failed(error),
    });
  }

  /** Its tools were listed, now or at some time. */
  get isKnown(): boolean {
    return this.#catalogue !== undefined;
  }

  get hasResources(): boolean {
    return (this.#catalogue?.resources ?? 0) > 0;
  }

  /** Resources of the server, for the tools that read them. */
  get resources(): ServerResources {
    this.#resources ??= new ServerResources({
      server: this.server.name,
      use: (signal, work) => this.use(signal, work),
      listed: (resources) => this.#keepResources(resources),
      isListed: (uri) => this.#catalogue?.uris.includes(uri) === true,
      adopt: (tool) => this.#world.registry.setOrigin(tool, serverOrigin(this.server.name)),
    });
    return this.#resources;
  }

  /** Loads the catalogue of earlier connections and the current approvals, without connecting. */
  loadCatalogue(): void {
    const { files, limits } = this.#world;
    this.#pins = files.pins(this.server.name);
    this.#catalogue ??= files.catalogue(this.server.name);
    // Without pins everything would be refused, instead of being taken as at first sight.
    if (this.#pins === undefined && this.server.trust !== "ask") this.#catalogue = undefined;
    const definitions = this.#catalogue?.definitions ?? [];
    this.#judged = judgeDefinitions(definitions, { server: this.server, stored: this.#pins, limits });
    this.#show();
  }

  /** Lists its tools, if they are not known. */
  async prepare(signal: AbortSignal): Promise<void> {
    if (this.isKnown || this.#isChanged) return;
    // An existing connection listed its tools when it was opened, but they have been forgotten since.
    const combined = AbortSignal.any([signal, this.#left.signal]);
    if (this.#link.state === "connected") await this.#link.refresh(combined);
    else await this.#link.use(combined, async () => {});
  }

  /** Connects and lists the tools, even if they are known, on explicit request. */
  refresh(signal: AbortSignal): Promise<void> {
    return this.#link.refresh(signal);
  }

  /** Works with a connection. */
  async use<T>(signal: AbortSignal, work: (connection: McpConnection) => Promise<T>): Promise<T> {
    const before = changedFrom(this.server, this.#pins);
    if (before !== undefined) {
      const { name } = this.server;
      const { message } = changedServerRefusal(this.server, before);
      const how = `run \`${cliCommand(`mcp approve ${name}`)}\``;
      throw mcpSourceFailure("server_changed", `${name} is refused: ${message}; ${how}`);
    }
    return this.#link.use(signal, work);
  }

  review(tool?: string): McpReview {
    return reviewServer(this.server, { judged: this.#judged, stored: this.#pins }, tool);
  }

  approve(review: McpReview): void {
    const { files, limits } = this.#world;
    if (review.identity !== this.server.identity)
      throw mcpSourceFailure(
        "server_changed",
        `${this.server.name} was changed just now; review it and approve it again`,
      );
    const stored = approvedPins(this.server, files.pins(this.server.name), review);
    files.savePins(this.server.name, stored);
    this.#pins = stored;
    const definitions = this.#catalogue?.definitions ?? [];
    this.#judged = judgeDefinitions(definitions, { server: this.server, stored, limits });
    this.#show();
  }

  status(): McpServerStatus {
    const { server } = this;
    const { lastFailure } = this.#link;
    const todo = this.#todo();
    const mistakes = this.#mistakes();
    return {
      name: server.name,
      state: this.#state(),
      transport: server.address.kind,
      display: server.display,
      ...(this.#catalogue !== undefined && { protocol: this.#catalogue.protocol, seenAt: this.#catalogue.at }),
      ...(this.#catalogue?.instructions !== undefined && { instructions: this.#catalogue.instructions }),
      ...usableTools(this.#judged.tools),
      resources: this.#catalogue?.resources ?? 0,
      ...(mistakes.length > 0 && { problems: mistakes }),
      ...definedOnly({ lastFailure, hint: todo }),
    };
  }

  problems(): Problem[] {
    const refused = this.#judged.tools.filter((tool) => tool.refused !== undefined);
    const [first] = refused;
    const found = this.#mistakes().map((message) => this.#problem("server_mistake", message));
    if (first?.refused !== undefined) {
      const many = refused.length > 1 ? ` (and ${refused.length - 1} more tools)` : "";
      const todo = this.#todo();
      const text = `${first.name} is refused: ${first.refused.message}${many}`;
      found.push({ ...this.#problem(first.refused.reason, text), ...(todo !== undefined && { hint: todo }) });
    }
    if (this.#failure !== undefined) found.push(this.#problem("server_failed", this.#failure));
    return found;
  }

  /** Tools that are omitted or renamed, and violations of the protocol. */
  #mistakes(): string[] {
    const { listProblems = [], callProblems = {} } = this.#catalogue ?? {};
    const calls = Object.entries(callProblems).map(([tool, problem]) => `${tool}: ${problem}`);
    return [...this.#judged.notes, ...listProblems, ...calls];
  }

  /** Takes its tools away, and ends the connection once the calls under way are done. */
  async disconnect(): Promise<void> {
    this.#shown.show(this.server, [], this.#world.change);
    this.#left.abort(mcpSourceFailure("tool_gone", `the MCP server "${this.server.name}" is not used any more`));
    await this.#link.disconnect();
  }

  close(): Promise<void> {
    return this.#link.close();
  }

  get #isChanged(): boolean {
    return changedFrom(this.server, this.#pins) !== undefined;
  }

  #state(): McpServerStatus["state"] {
    if (this.#isChanged) return "changed";
    if (this.#link.state !== "idle") return this.#link.state;
    if (this.#link.isDown || (!this.isKnown && this.#link.lastFailure !== undefined)) return "down";
    return this.isKnown ? "known" : "unknown";
  }

  #todo(): string | undefined {
    const fixable = this.#judged.tools.some(({ refused, hash }) => refused !== undefined && hash !== "");
    const approve = cliCommand(`mcp approve ${this.server.name}`);
    if (fixable || this.#isChanged) return `run \`${approve}\` to review and approve the changes`;
    const isUnapproved = withUnapprovedHints(this.#judged.tools, this.server).length > 0;
    return isUnapproved ? `its hints, such as read-only, do not count yet: run \`${approve}\`` : undefined;
  }

  async #call(tool: JudgedTool, args: unknown, { context, effect }: ToolCall): Promise<unknown> {
    return this.use(context.signal, async (connection) => {
      this.#checkNow(tool);
      const { signal, progress, elicit } = context;
      const options = { signal, onProgress: progress, elicit };
      const outcome = await connection.callTool(tool.definition.name, args, options).catch((error: unknown) => {
        if (isFailureError(error) && error.toFailure().reason === "bad_answer") this.#recordCall(tool, error.message);
        throw byEffect(error, effect);
      });
      this.#recordCall(tool, outcome.problem);
      return mapOutcome(outcome, tool.definition.outputSchema);
    });
  }

  /** Stores the problem of a tool's last result, so that another process can show it. */
  #recordCall({ name }: JudgedTool, problem: string | undefined): void {
    const before = this.#catalogue;
    const { [name]: known, ...others } = before?.callProblems ?? {};
    if (before === undefined || known === problem) return;
    const isRecorded = problem !== undefined && Object.keys(others).length < maxCallProblems;
    this.#catalogue = { ...before, callProblems: isRecorded ? { ...others, [name]: problem } : others };
    this.#save();
  }

  /** Saves the catalogue, and more. */
  #save(more: (files: McpSourceDeps["files"]) => void = () => {}): void {
    const { files, log } = this.#world;
    const { name } = this.server;
    try {
      more(files);
      if (this.#catalogue !== undefined) files.saveCatalogue(name, this.#catalogue);
    } catch (error) {
      // It still applies in this process.
      log(`${name}: its catalogue cannot be saved: ${errorMessage(error)}`);
    }
  }

  /** The connection may have listed other tools than those that the caller knows. */
  #checkNow({ name, hash }: JudgedTool): void {
    const now = this.#judged.tools.find((tool) => tool.name === name);
    if (now === undefined)
      throw mcpSourceFailure("tool_gone", `the MCP server "${this.server.name}" offers no ${name} any more`);
    if (now.refused !== undefined) {
      const { message, forModel } = refusalFailure(this.server.name, now);
      throw mcpSourceFailure(now.refused.reason, message, { forModel });
    }
    if (now.hash !== hash)
      throw mcpSourceFailure("pin_mismatch", `${name} was changed just now; review it and call it again`);
  }

  #listed(definitions: readonly McpToolDefinition[], connection: McpConnection): void {
    const { files, limits, clock } = this.#world;
    const { name, identity } = this.server;
    const { protocol, instructions } = connection;
    const text = instructions === undefined ? {} : { instructions };
    this.#failure = undefined;
    // Another process may have approved something.
    this.#pins = files.pins(name) ?? this.#pins;
    this.#judged = judgeDefinitions(definitions, { server: this.server, stored: this.#pins, limits });
    const { pins, definitions: stored } = this.#judged;
    const { resources = 0, uris = [], callProblems = {} } = this.#catalogue ?? {};
    const problems = { listProblems: [...(connection.listProblems ?? [])], callProblems };
    this.#catalogue = {
      identity,
      protocol,
      ...text,
      definitions: stored,
      resources,
      uris,
      ...problems,
      at: clock.now(),
    };
    this.#pins = pins ?? this.#pins;
    this.#save((files) => {
      if (pins !== undefined) files.savePins(name, pins);
    });
    this.#emit(connection);
    this.#show();
    void this.#countResources(connection);
  }

  /** Logs a connection once, and its tools again if their number changed. */
  #emit(connection: McpConnection): void {
    const { length } = this.#judged.tools;
    const tools = `${length} ${length === 1 ? "tool" : "tools"}`;
    const before = this.#reported;
    this.#reported = { connection, length };
    const text = `${this.server.name}: `;
    if (before?.connection !== connection)
      this.#world.log(`${text}connected (protocol ${connection.protocol}), ${tools}`);
    else if (before.length !== length) this.#world.log(`${text}offers ${tools} now`);
  }

  async #countResources(connection: McpConnection): Promise<void> {
    const late = new AbortController();
    const timer = this.#world.clock.after(this.#world.limits.listMs, () => late.abort());
    timer.hold(false);
    try {
      this.#keepResources(await connection.listResources(late.signal));
    } catch {
      // The tools matter more; a caller that reads the resources gets the failure.
    } finally {
      timer.cancel();
    }
  }

  #keepResources(listed: readonly McpResource[]): void {
    const before = this.#catalogue;
    const uris = rememberedUris(listed);
    if (before === undefined || (before.resources === listed.length && isSameList(before.uris, uris))) return;
    this.#catalogue = { ...before, resources: listed.length, uris };
    this.#world.files.saveCatalogue(this.server.name, this.#catalogue);
    if (before.resources !== listed.length) this.#world.resourcesChanged();
  }

  #show(): void {
    this.#shown.show(this.server, this.#judged.tools, this.#world.change);
  }

  #failed(error: unknown): void {
    const message = errorMessage(error);
    if (message === this.#failure) return;
    this.#failure = message;
    this.#world.broke(this.#problem("server_failed", message), this.server.name);
  }

  #problem(code: string, message: string): Problem {
    return { severity: "warning", code, message: `${this.server.name}: ${message}`, ...this.server.position };
  }
}

/** Maximum number of tools whose invalid results are stored. */
const maxCallProblems = 20;
function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, at) => item === b[at]);
}

/** A call whose connection died may have run; whether that matters is known here. */
function byEffect(error: unknown, effect: Effect): unknown {
  if (!isFailureError(error) || effect === "once") return error;
  const { code, reason, forModel, retry } = error.toFailure();
  if (retry !== "unsafe") return error;
  return fail(error.message, { code, forModel, retry: "safe", cause: error, ...(reason !== undefined && { reason }) });
}
