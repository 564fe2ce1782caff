import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { nodeCrypto } from "../../base/index.ts";
import { isRecord } from "../../schema/index.ts";
import { type Pin, definitionHash } from "./check-definition.ts";
import type { McpDefinition } from "./mcp-port.ts";

/** What a server offered when it was last asked. */
export interface Catalogue {
  /** The command line or address that it was asked at. */
  readonly identity: string;
  readonly protocol: string;
  readonly definitions: readonly McpDefinition[];
  /** How many resources it listed. */
  readonly resources: number;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** What was approved of a server. */
export interface KeptPins {
  /** The command line or address that the approvals are for; undefined where the file cannot be read. */
  readonly identity: string | undefined;
  /** The same as people read it. */
  readonly shown: string;
  readonly pins: ReadonlyMap<string, Pin>;
}

const mostBytes = 64 * 2 ** 20;

/**
 * The files in which a workspace remembers its servers, one of each kind per server, readable by its owner alone:
 * catalogues, which are only a convenience, and pins, which are decisions. Small, and read and written at once, so that
 * no other process of the workspace ever sees half of one.
 */
export class StateFiles {
  readonly #dir: string;

  constructor(stateDir: string) {
    this.#dir = join(stateDir, "mcp");
  }

  catalogue(server: string): Catalogue | undefined {
    const value = read(this.#file("catalogue", server));
    if (!isRecord(value) || value["server"] !== server) return undefined;
    const { identity, protocol, definitions, resources, at } = value;
    if (typeof identity !== "string" || typeof protocol !== "string" || !Array.isArray(definitions)) return undefined;
    return {
      identity,
      protocol,
      definitions: definitions.filter(isDefinition),
      resources: Number(resources) || 0,
      at: Number(at) || 0,
    };
  }

  keepCatalogue(server: string, catalogue: Catalogue): void {
    write(this.#file("catalogue", server), { server, ...catalogue });
  }

  /** Undefined for a server that was never seen. A file that cannot be read approves nothing, and is no first sight. */
  pins(server: string): KeptPins | undefined {
    const value = read(this.#file("pins", server));
    if (value === undefined) return undefined;
    const { server: name, identity, shown, tools } = isRecord(value) ? value : {};
    if (name !== server || typeof identity !== "string" || !Array.isArray(tools)) {
      return { identity: undefined, shown: "", pins: new Map() };
    }
    // The hash is made anew: what is shown to people as approved is what is approved.
    const pins = tools.filter(isDefinition).map((definition) => ({ definition, hash: definitionHash(definition) }));
    return {
      identity,
      shown: typeof shown === "string" ? shown : "",
      pins: new Map(pins.map((pin) => [pin.definition.name, pin])),
    };
  }

  keepPins(server: string, { identity, shown, pins }: KeptPins): void {
    const tools = [...pins.values()].map(({ definition }) => definition);
    write(this.#file("pins", server), { server, identity, shown, tools });
  }

  /** Forgets all about a server. */
  forget(server: string): void {
    for (const kind of ["catalogue", "pins"] as const) rmSync(this.#file(kind, server), { force: true });
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
    if (statSync(file).size > mostBytes) return null;
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

function isDefinition(value: unknown): value is McpDefinition {
  return isRecord(value) && typeof value["name"] === "string" && isRecord(value["inputSchema"]);
}

/** Forgets what is remembered and approved of a server. */
export function forgetServer(stateDir: string, server: string): void {
  new StateFiles(stateDir).forget(server);
}
