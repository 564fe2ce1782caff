import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { StoredOAuthClientInformation, StoredOAuthTokens } from "@modelcontextprotocol/client";
import { createDataFolder, nodeCrypto } from "../../../base/index.ts";

/** The stored state of a login. */
export interface StoredLogin {
  readonly tokens?: StoredOAuthTokens | undefined;
  readonly client?: StoredOAuthClientInformation | undefined;
}

/**
 * The login to one server, in a file that only this user may read. It belongs to the server's address as well as to its
 * name: if the name leads to another address, the token is not sent.
 */
export class AuthFile {
  readonly #stateDir: string;
  readonly #dir: string;
  readonly #file: string;
  readonly #server: string;
  readonly #url: string;

  constructor(stateDir: string, server: string, url: string) {
    this.#stateDir = stateDir;
    this.#dir = join(stateDir, "mcp", "auth");
    this.#server = server;
    this.#url = url;
    const key = nodeCrypto()
      .createHash("sha256")
      .update(JSON.stringify([server, url]))
      .digest("hex");
    this.#file = join(this.#dir, `${key.slice(0, 32)}.json`);
  }

  /** Read again each time: another process may have refreshed it. */
  read(): StoredLogin {
    try {
      const value: unknown = JSON.parse(readFileSync(this.#file, "utf8"));
      // Written by this class, in a private folder.
      const stored = value as StoredLogin & { readonly url?: unknown };
      return stored.url === this.#url ? stored : {};
    } catch {
      return {};
    }
  }

  /** Changes a part of it; the file is complete at every moment. */
  change(part: StoredLogin): void {
    const stored = { server: this.#server, url: this.#url, ...this.read(), ...part };
    const temporary = `${this.#file}.${process.pid}-${nodeCrypto().randomBytes(6).toString("hex")}`;
    createDataFolder(this.#stateDir);
    mkdirSync(this.#dir, { recursive: true, mode: 0o700 });
    chmodSync(this.#dir, 0o700);
    try {
      writeFileSync(temporary, `${JSON.stringify(stored, null, 2)}\n`, { mode: 0o600, flag: "wx" });
      renameSync(temporary, this.#file);
    } finally {
      rmSync(temporary, { force: true });
    }
  }
}
