import { readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  createDataFolder,
  createPrivateFolder,
  nodeCrypto,
  replaceFile,
  systemErrorCode,
  orElse,
} from "../../base/index.ts";
import { isRecord, textsOf } from "../../schema/index.ts";
import { type Pin, definitionHash } from "./check-definition.ts";
import type { McpToolDefinition } from "./mcp-port.ts";
import type { McpTrust } from "./server-config.ts";
import type { IdentityPart } from "./server-identity.ts";

/** The last listing of a server. */
export interface Catalogue {
  /** The command line or address of that connection. */
  readonly identity: string;
  readonly protocol: string;
  /** Instructions of the server, for people. */
  readonly instructions?: string;
  readonly definitions: readonly McpToolDefinition[];
  /** Number of listed resources. */
  readonly resources: number;
  /** Their addresses, up to the limits. */
  readonly uris: readonly string[];
  /** Violations of the protocol in the list of tools. */
  readonly listProblems?: readonly string[];
  /** Violations in the last results of calls, by the full name of the tool. */
  readonly callProblems?: Readonly<Record<string, string>>;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** Approvals of a server. */
export interface StoredPins {
  /** The command line or address that the approvals are for; undefined if the file cannot be read. */
  readonly identity: string | undefined;
  /** The same as people read it. */
  readonly shown: string;
  readonly parts: readonly IdentityPart[];
  /** Trust at the time of the approval; undefined if the file cannot be read. */
  readonly trust: McpTrust | undefined;
  readonly pins: ReadonlyMap<string, Pin>;
  /** The hash of the scripts that its command ran when a person approved it; undefined if there were none. */
  readonly scripts?: string;
  /** Hashes of the definitions that a person has approved; the others were there first. */
  readonly approved: ReadonlySet<string>;
}

const maxBytes = 64 * 2 ** 20;

/**
 * The files with the persisted state of servers, one of each kind per server, readable by its owner alone: catalogues,
 * which are only a cache, and pins, which are decisions. They are small, and read and written at once, so that other
 * processes of the workspace never see a partial file.
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
    const { identity, protocol, instructions, definitions, resources, uris, listProblems, callProblems, at } = value;
    if (typeof identity !== "string" || typeof protocol !== "string" || !Array.isArray(definitions)) return undefined;
    return {
      identity,
      protocol,
      ...(typeof instructions === "string" && { instructions }),
      definitions: definitions.filter(isDefinition),
      resources: Number(resources) || 0,
      uris: textsOf(uris),
      listProblems: textsOf(listProblems),
      callProblems: isRecord(callProblems)
        ? Object.fromEntries(Object.entries(callProblems).map(([tool, problem]) => [tool, String(problem)]))
        : {},
      at: Number(at) || 0,
    };
  }

  saveCatalogue(server: string, catalogue: Catalogue): void {
    this.#write(this.#file("catalogue", server), { server, ...catalogue });
  }

  /**
   * Returns undefined for a server that was never seen. An unreadable file approves nothing, and does not count as
   * first sight.
   */
  pins(server: string): StoredPins | undefined {
    const value = read(this.#file("pins", server));
    if (value === undefined) return undefined;
    const { server: name, identity, shown, parts, trust, tools, approved, scripts } = isRecord(value) ? value : {};
    if (name !== server || typeof identity !== "string" || !Array.isArray(tools)) {
      return { identity: undefined, shown: "", parts: [], trust: undefined, pins: new Map(), approved: new Set() };
    }
    // The hash is recomputed, so that the definition shown as approved is the approved one.
    const pins = tools.filter(isDefinition).map((definition) => ({ definition, hash: definitionHash(definition) }));
    return {
      identity,
      shown: typeof shown === "string" ? shown : "",
      parts: Array.isArray(parts) ? parts.filter(isPart) : [],
      trust: trust === "all" || trust === "ask" ? trust : "first",
      pins: new Map(pins.map((pin) => [pin.definition.name, pin])),
      approved: new Set(textsOf(approved)),
      ...(typeof scripts === "string" && { scripts }),
    };
  }

  savePins(server: string, { pins, approved, ...stored }: StoredPins): void {
    const tools = [...pins.values()].map(({ definition }) => definition);
    this.#write(this.#file("pins", server), { server, ...stored, approved: [...approved], tools });
  }

  /** Forgets all about a server, logins too. */
  forget(server: string): void {
    for (const kind of ["catalogue", "pins"] as const) rmSync(this.#file(kind, server), { force: true });
    this.forgetLogins(server);
  }

  /** Deletes the logins to a server, at any address; returns whether there were any. */
  forgetLogins(server: string): boolean {
    const dir = join(this.#dir, "auth");
    const files = orElse(() => readdirSync(dir), []).map((name) => join(dir, name));
    const own = files.filter((file) => {
      const value = read(file);
      return isRecord(value) && value["server"] === server;
    });
    for (const file of own) rmSync(file, { force: true });
    return own.length > 0;
  }

  #write(file: string, value: unknown): void {
    createDataFolder(this.#stateDir);
    write(file, value);
  }

  /** File systems that know no capitals must not make one of two servers. */
  #file(kind: "catalogue" | "pins", server: string): string {
    const mark = nodeCrypto().createHash("sha256").update(server).digest("hex").slice(0, 8);
    return join(this.#dir, kind, `${server}-${mark}.json`);
  }
}

/** The content of a file; undefined if there is none, null if it cannot be read. */
function read(file: string): unknown {
  try {
    const found = statSync(file);
    if (!found.isFile() || found.size > maxBytes) return null;
    return JSON.parse(readFileSync(file, "utf8")) as unknown;
  } catch (error) {
    const missing = systemErrorCode(error) === "ENOENT";
    return missing ? undefined : null;
  }
}

function write(file: string, value: unknown): void {
  createPrivateFolder(dirname(file));
  replaceFile(file, `${JSON.stringify(value, null, 1)}\n`);
}

function isPart(value: unknown): value is IdentityPart {
  return isRecord(value) && ["name", "shown", "hash"].every((key) => typeof value[key] === "string");
}

function isDefinition(value: unknown): value is McpToolDefinition {
  return isRecord(value) && typeof value["name"] === "string" && isRecord(value["inputSchema"]);
}
