import { chmodSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeDataFolder, nodeCrypto } from "../../base/index.ts";
import { isRecord } from "../../schema/index.ts";
import { type Pin, definitionHash } from "./check-definition.ts";
import type { McpDefinition } from "./mcp-port.ts";
import type { McpTrust } from "./server-config.ts";
import type { IdentityPart } from "./server-identity.ts";

/** What a server offered when it was last asked. */
export interface Catalogue {
  /** The command line or address that it was asked at. */
  readonly identity: string;
  readonly protocol: string;
  /** What it says about itself as a whole, for people. */
  readonly instructions?: string;
  readonly definitions: readonly McpDefinition[];
  /** How many resources it listed. */
  readonly resources: number;
  /** Their addresses, as far as they are kept. */
  readonly uris: readonly string[];
  /** Epoch milliseconds. */
  readonly at: number;
}

/** What was approved of a server. */
export interface KeptPins {
  /** The command line or address that the approvals are for; undefined where the file cannot be read. */
  readonly identity: string | undefined;
  /** The same as people read it. */
  readonly shown: string;
  readonly parts: readonly IdentityPart[];
  /** How far the server was trusted then; undefined where the file cannot be read. */
  readonly trust: McpTrust | undefined;
  readonly pins: ReadonlyMap<string, Pin>;
}

const mostBytes = 64 * 2 ** 20;

/**
 * The files in which a workspace remembers its servers, one of each kind per server, readable by its owner alone:
 * catalogues, which are only a convenience, and pins, which are decisions. Small, and read and written at once, so that
 * no other process of the workspace ever sees half of one.
 */
export class StateFiles {
  readonly #stateDir: string;
  readonly #dir: string;

  constructor(stateDir: string) {
    this.#stateDir = stateDir;
    this.#dir = join(stateDir, "mcp");
  }

  catalogue(server: string): Catalogue | undefined {
    const value = read(this.#file("catalogue", server));
    if (!isRecord(value) || value["server"] !== server) return undefined;
    const { identity, protocol, instructions, definitions, resources, uris, at } = value;
    if (typeof identity !== "string" || typeof protocol !== "string" || !Array.isArray(definitions)) return undefined;
    return {
      identity,
      protocol,
      ...(typeof instructions === "string" && { instructions }),
      definitions: definitions.filter(isDefinition),
      resources: Number(resources) || 0,
      uris: Array.isArray(uris) ? uris.filter((uri) => typeof uri === "string") : [],
      at: Number(at) || 0,
    };
  }

  keepCatalogue(server: string, catalogue: Catalogue): void {
    this.#write(this.#file("catalogue", server), { server, ...catalogue });
  }

  /** Undefined for a server that was never seen. A file that cannot be read approves nothing, and is no first sight. */
  pins(server: string): KeptPins | undefined {
    const value = read(this.#file("pins", server));
    if (value === undefined) return undefined;
    const { server: name, identity, shown, parts, trust, tools } = isRecord(value) ? value : {};
    if (name !== server || typeof identity !== "string" || !Array.isArray(tools)) {
      return { identity: undefined, shown: "", parts: [], trust: undefined, pins: new Map() };
    }
    // The hash is made anew: what is shown to people as approved is what is approved.
    const pins = tools.filter(isDefinition).map((definition) => ({ definition, hash: definitionHash(definition) }));
    return {
      identity,
      shown: typeof shown === "string" ? shown : "",
      parts: Array.isArray(parts) ? parts.filter(isPart) : [],
      trust: trust === "all" || trust === "ask" ? trust : "first",
      pins: new Map(pins.map((pin) => [pin.definition.name, pin])),
    };
  }

  keepPins(server: string, { pins, ...kept }: KeptPins): void {
    const tools = [...pins.values()].map(({ definition }) => definition);
    this.#write(this.#file("pins", server), { server, ...kept, tools });
  }

  /** Forgets all about a server, logins too. */
  forget(server: string): void {
    for (const kind of ["catalogue", "pins"] as const) rmSync(this.#file(kind, server), { force: true });
    this.forgetLogins(server);
  }

  /** Forgets the logins to a server, at whatever address; says whether there were any. */
  forgetLogins(server: string): boolean {
    const dir = join(this.#dir, "auth");
    const files = namesIn(dir).map((name) => join(dir, name));
    const own = files.filter((file) => {
      const value = read(file);
      return isRecord(value) && value["server"] === server;
    });
    for (const file of own) rmSync(file, { force: true });
    return own.length > 0;
  }

  #write(file: string, value: unknown): void {
    makeDataFolder(this.#stateDir);
    write(file, value);
  }

  /** File systems that know no capitals must not make one of two servers. */
  #file(kind: "catalogue" | "pins", server: string): string {
    const mark = nodeCrypto().createHash("sha256").update(server).digest("hex").slice(0, 8);
    return join(this.#dir, kind, `${server}-${mark}.json`);
  }
}

/** What is in a file; undefined where there is none, null where it cannot be read. */
function read(file: string): unknown {
  try {
    const found = statSync(file);
    if (!found.isFile() || found.size > mostBytes) return null;
    return JSON.parse(readFileSync(file, "utf8")) as unknown;
  } catch (error) {
    const missing = error instanceof Error && "code" in error && error.code === "ENOENT";
    return missing ? undefined : null;
  }
}

function write(file: string, value: unknown): void {
  const dir = dirname(file);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  chmodSync(dir, 0o700);
  const temporary = `${file}.${process.pid}-${nodeCrypto().randomBytes(6).toString("hex")}`;
  try {
    writeFileSync(temporary, `${JSON.stringify(value, null, 1)}\n`, { mode: 0o600, flag: "wx" });
    renameSync(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
}

function isPart(value: unknown): value is IdentityPart {
  return isRecord(value) && ["name", "shown", "hash"].every((key) => typeof value[key] === "string");
}

function isDefinition(value: unknown): value is McpDefinition {
  return isRecord(value) && typeof value["name"] === "string" && isRecord(value["inputSchema"]);
}

function namesIn(dir: string): readonly string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}

/** Forgets the logins to a server; says whether there were any. */
export function forgetLogins(stateDir: string, server: string): boolean {
  return new StateFiles(stateDir).forgetLogins(server);
}

/** Forgets what is remembered and approved of a server, and the logins to it. */
export function forgetServer(stateDir: string, server: string): void {
  new StateFiles(stateDir).forget(server);
}
