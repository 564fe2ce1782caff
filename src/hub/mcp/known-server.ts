import { fail, isFailureError } from "../../base/index.ts";
import type { Problem } from "../../text/index.ts";
import type { Effect } from "../../tool/index.ts";
import { type Judged, type JudgedTool, changedServer, judgeDefinitions } from "./judge-definitions.ts";
import { mapOutcome } from "./map-outcome.ts";
import type { McpConnection, McpDefinition, McpResource } from "./mcp-port.ts";
import type { McpReview, McpServerStatus } from "./mcp-status.ts";
import { approvedPins, reviewServer, usableTools } from "./review-server.ts";
import type { McpServer } from "./server-config.ts";
import { changedFrom } from "./server-identity.ts";
import { ServerLink } from "./server-link.ts";
import { ServerResources } from "./server-resources.ts";
import { ServerTools, type ToolCall, originOf, refusal } from "./server-tools.ts";
import { refuseMcp } from "./source-reasons.ts";
import type { SourceWorld } from "./source-world.ts";
import type { Catalogue, KeptPins } from "./state-files.ts";

/** A server of the workspace: what is known about it, what was approved of it, and the way to it. */
export class KnownServer {
  readonly server: McpServer;
  readonly #world: SourceWorld;
  readonly #link: ServerLink;
  readonly #shown: ServerTools;
  /** Its tools are wanted no more: what is made known of them is made known to nobody. */
  readonly #left = new AbortController();
  #resources: ServerResources | undefined;
  #kept: KeptPins | undefined;
  #catalogue: Catalogue | undefined;
  #judged: Judged = { definitions: [], tools: [], notes: [] };
  /** What the log was last told. */
  #told: { readonly connection: McpConnection; readonly length: number } | undefined;
  /** Why the last connection could not be made. */
  #failure: string | undefined;

  constructor(server: McpServer, world: SourceWorld) {
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

  /** Its resources, as the tools that read them ask for them. */
  get resources(): ServerResources {
    const { registry } = this.#world;
    this.#resources ??= new ServerResources({
      server: this.server.name,
      use: (signal, work) => this.use(signal, work),
      listed: (resources) => this.#keepResources(resources),
      isListed: (uri) => this.#catalogue?.uris.includes(uri) === true,
      adopt: (tool) => registry.adopt(tool, originOf(this.server.name)),
    });
    return this.#resources;
  }

  /** Takes what earlier connections left, and what was approved meanwhile; connects to nobody. */
  recall(): void {
    const { files, limits } = this.#world;
    this.#kept = files.pins(this.server.name);
    this.#catalogue ??= files.catalogue(this.server.name);
    // Without pins everything would be refused, instead of being taken as at first sight.
    if (this.#kept === undefined && this.server.trust !== "ask") this.#catalogue = undefined;
    const definitions = this.#catalogue?.definitions ?? [];
    this.#judged = judgeDefinitions(definitions, { server: this.server, kept: this.#kept, limits });
    this.#show();
  }

  /** Makes its tools known, where they are not. */
  async prepare(signal: AbortSignal): Promise<void> {
    if (this.isKnown || this.#isChanged) return;
    // A connection that is there listed its tools when it was made; by now they are forgotten.
    const wanted = AbortSignal.any([signal, this.#left.signal]);
    if (this.#link.state === "connected") await this.#link.refresh(wanted);
    else await this.#link.use(wanted, async () => {});
  }

  /** Connects and lists the tools, whatever is known; for somebody who asks for exactly that. */
  refresh(signal: AbortSignal): Promise<void> {
    return this.#link.refresh(signal);
  }

  /** Works with a connection. */
  async use<T>(signal: AbortSignal, work: (connection: McpConnection) => Promise<T>): Promise<T> {
    const before = changedFrom(this.server, this.#kept);
    if (before !== undefined) {
      const { name } = this.server;
      const { message } = changedServer(this.server, before);
      throw refuseMcp("server_changed", `${name} is refused: ${message}; run \`windlass mcp approve ${name}\``);
    }
    return this.#link.use(signal, work);
  }

  review(tool?: string): McpReview {
    return reviewServer(this.server, { judged: this.#judged, kept: this.#kept }, tool);
  }

  approve(review: McpReview): void {
    const { files, limits } = this.#world;
    if (review.identity !== this.server.identity)
      throw refuseMcp("server_changed", `${this.server.name} was changed just now; look at it and approve it again`);
    const kept = approvedPins(this.server, files.pins(this.server.name), review);
    files.keepPins(this.server.name, kept);
    this.#kept = kept;
    const definitions = this.#catalogue?.definitions ?? [];
    this.#judged = judgeDefinitions(definitions, { server: this.server, kept, limits });
    this.#show();
  }

  status(): McpServerStatus {
    const { server } = this;
    const { lastFailure } = this.#link;
    const todo = this.#todo();
    return {
      name: server.name,
      state: this.#state(),
      transport: server.address.kind,
      shown: server.shown,
      ...(this.#catalogue !== undefined && { protocol: this.#catalogue.protocol, seenAt: this.#catalogue.at }),
      ...(this.#catalogue?.instructions !== undefined && { instructions: this.#catalogue.instructions }),
      ...usableTools(this.#judged.tools),
      resources: this.#catalogue?.resources ?? 0,
      ...(lastFailure !== undefined && { lastFailure }),
      ...(todo !== undefined && { todo }),
    };
  }

  problems(): Problem[] {
    const refused = this.#judged.tools.filter((tool) => tool.refused !== undefined);
    const [first] = refused;
    const found: Problem[] = this.#judged.notes.map((message) => this.#problem("tool_left_out", message));
    if (first?.refused !== undefined) {
      const many = refused.length > 1 ? ` (and ${refused.length - 1} more tools)` : "";
      const { reason, message } = first.refused;
      const todo = this.#todo();
      const text = `${first.name} is refused: ${message}${many}`;
      found.push({ ...this.#problem(reason, text), ...(todo !== undefined && { hint: todo }) });
    }
    if (this.#failure !== undefined) found.push(this.#problem("server_failed", this.#failure));
    return found;
  }

  /** Takes its tools away, and ends the connection once the calls under way are done. */
  async leave(): Promise<void> {
    this.#shown.show(this.server, [], this.#world.change);
    this.#left.abort(refuseMcp("tool_gone", `the MCP server "${this.server.name}" is not used any more`));
    await this.#link.leave();
  }

  close(): Promise<void> {
    return this.#link.close();
  }

  get #isChanged(): boolean {
    return changedFrom(this.server, this.#kept) !== undefined;
  }

  #state(): McpServerStatus["state"] {
    if (this.#isChanged) return "changed";
    if (this.#link.state !== "idle") return this.#link.state;
    if (this.#link.isDown || (!this.isKnown && this.#link.lastFailure !== undefined)) return "down";
    return this.isKnown ? "known" : "unknown";
  }

  #todo(): string | undefined {
    const { name } = this.server;
    const fixable = this.#judged.tools.some(({ refused, hash }) => refused !== undefined && hash !== "");
    if (fixable || this.#isChanged) return `\`windlass mcp approve ${name}\` shows what changed and asks`;
    return undefined;
  }

  async #call(tool: JudgedTool, args: unknown, { context, effect }: ToolCall): Promise<unknown> {
    return this.use(context.signal, async (connection) => {
      this.#checkNow(tool);
      const { signal, progress, elicit } = context;
      const options = { signal, onProgress: progress, elicit };
      const outcome = await connection.callTool(tool.definition.name, args, options).catch((error: unknown) => {
        throw byEffect(error, effect);
      });
      return mapOutcome(outcome, tool.definition.outputSchema);
    });
  }

  /** The connection may have told of other tools than those that the caller knows. */
  #checkNow({ name, hash }: JudgedTool): void {
    const now = this.#judged.tools.find((tool) => tool.name === name);
    if (now === undefined)
      throw refuseMcp("tool_gone", `the MCP server "${this.server.name}" offers no ${name} any more`);
    if (now.refused !== undefined) {
      const { message, forModel } = refusal(this.server.name, now);
      throw refuseMcp(now.refused.reason, message, { forModel });
    }
    if (now.hash !== hash)
      throw refuseMcp("pin_mismatch", `${name} was changed just now; look at it and call it again`);
  }

  #listed(definitions: readonly McpDefinition[], connection: McpConnection): void {
    const { files, limits, log, clock } = this.#world;
    const { name, identity } = this.server;
    const { protocol, instructions } = connection;
    const said = instructions === undefined ? {} : { instructions };
    this.#failure = undefined;
    // Another process may have approved something.
    this.#kept = files.pins(name) ?? this.#kept;
    this.#judged = judgeDefinitions(definitions, { server: this.server, kept: this.#kept, limits });
    const { pins, definitions: kept } = this.#judged;
    const { resources = 0, uris = [] } = this.#catalogue ?? {};
    this.#catalogue = { identity, protocol, ...said, definitions: kept, resources, uris, at: clock.now() };
    try {
      if (pins !== undefined) files.keepPins(name, pins);
      this.#kept = pins ?? this.#kept;
      files.keepCatalogue(name, this.#catalogue);
    } catch (error) {
      // It still holds for this process.
      this.#kept = pins ?? this.#kept;
      log(`${name}: what it offers cannot be remembered: ${error instanceof Error ? error.message : String(error)}`);
    }
    this.#tell(connection);
    this.#show();
    void this.#countResources(connection);
  }

  /** A connection is told of once; its tools again where their number is another. */
  #tell(connection: McpConnection): void {
    const { length } = this.#judged.tools;
    const tools = `${length} ${length === 1 ? "tool" : "tools"}`;
    const before = this.#told;
    this.#told = { connection, length };
    const said = `${this.server.name}: `;
    if (before?.connection !== connection)
      this.#world.log(`${said}connected (protocol ${connection.protocol}), ${tools}`);
    else if (before.length !== length) this.#world.log(`${said}offers ${tools} now`);
  }

  async #countResources(connection: McpConnection): Promise<void> {
    const { clock, limits } = this.#world;
    const late = new AbortController();
    const timer = clock.after(limits.listMs, () => late.abort());
    timer.hold(false);
    try {
      this.#keepResources(await connection.listResources(late.signal));
    } catch {
      // Tools are what counts; who asks for the resources is told what is wrong with them.
    } finally {
      timer.cancel();
    }
  }

  #keepResources(listed: readonly McpResource[]): void {
    const { files, resourcesChanged } = this.#world;
    const before = this.#catalogue;
    const uris = keptUris(listed);
    if (before === undefined || (before.resources === listed.length && isSameList(before.uris, uris))) return;
    this.#catalogue = { ...before, resources: listed.length, uris };
    files.keepCatalogue(this.server.name, this.#catalogue);
    if (before.resources !== listed.length) resourcesChanged();
  }

  #show(): void {
    this.#shown.show(this.server, this.#judged.tools, this.#world.change);
  }

  #failed(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    if (message === this.#failure) return;
    this.#failure = message;
    this.#world.log(`${this.server.name}: ${message}`);
    this.#world.broke(this.#problem("server_failed", message));
  }

  #problem(code: string, message: string): Problem {
    return { severity: "warning", code, message: `${this.server.name}: ${message}`, ...this.server.place };
  }
}

const mostUris = 2_000;
const mostUriChars = 262_144;

/** The addresses that are remembered: so many, and so long together. */
function keptUris(listed: readonly McpResource[]): readonly string[] {
  let left = mostUriChars;
  return listed.slice(0, mostUris).flatMap(({ uri }) => ((left -= uri.length) < 0 ? [] : [uri]));
}

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
