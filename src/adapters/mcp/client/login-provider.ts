import type {
  AuthProvider,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { nodeCrypto, createDataFolder, createPrivateFolder, replaceFile, definedOnly } from "../../../base/index.ts";
import { stripUnsafe } from "../../../text/index.ts";
import { loginNeeded } from "./classify-mcp-error.ts";
import { mcpFailure } from "./mcp-reasons.ts";
import type { McpHttpAddress } from "../../../hub/index.ts";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Lets a user log in. */
export interface Login {
  /** URL that the browser is redirected to. */
  readonly redirectUrl: string;
  /** Shows the page, and returns the query parameters of the redirect. */
  authorize(page: URL): Promise<URLSearchParams>;
  /** URL of this client's metadata document, for servers that accept one instead of a registration. */
  readonly clientMetadataUrl?: string;
}

/** Options of {@link LoginProvider}. */
interface LoginOptions {
  readonly server: string;
  readonly address: McpHttpAddress;
  readonly file: AuthFile;
  readonly login: Login | undefined;
}

/** Sends the stored token if there is one, and never starts a login. */
export function storedTokenOnly({ server, file }: LoginOptions): AuthProvider {
  return {
    token: () => Promise.resolve(file.read().tokens?.access_token),
    onUnauthorized: () => Promise.reject(loginNeeded(server)),
  };
}

/** Logs in, stores the token, and refreshes it. */
export class LoginProvider implements OAuthClientProvider {
  readonly #options: LoginOptions;
  #verifier: string | undefined;
  #state: string | undefined;
  #callback: URLSearchParams | undefined;
  #discovery: OAuthDiscoveryState | undefined;
  #finishing = false;
  /** The refresh token that was last used. */
  #renewedWith: string | undefined;

  constructor(options: LoginOptions) {
    this.#options = options;
    const metadataUrl = options.login?.clientMetadataUrl;
    if (metadataUrl !== undefined) this.clientMetadataUrl = metadataUrl;
  }

  clientMetadataUrl?: string;

  get redirectUrl(): string {
    return this.#options.login?.redirectUrl ?? "http://127.0.0.1/callback";
  }

  get clientMetadata(): OAuthClientMetadata {
    const { scope } = this.#options.address.oauth ?? {};
    return {
      client_name: "Windlass",
      redirect_uris: [this.redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      ...(scope !== undefined && { scope }),
    };
  }

  state(): string {
    return (this.#state = nodeCrypto().randomBytes(24).toString("base64url"));
  }

  clientInformation(): StoredOAuthClientInformation | undefined {
    const { client } = this.#options.file.read();
    const { clientId, clientSecret } = this.#options.address.oauth ?? {};
    if (clientId !== undefined) {
      const issuer = client?.client_id === clientId ? client.issuer : undefined;
      return {
        client_id: clientId,
        ...definedOnly({ client_secret: clientSecret, issuer }),
      };
    }
    // A client registered with another redirect address cannot be reused.
    const comesBackTo = client !== undefined && "redirect_uris" in client ? client.redirect_uris : undefined;
    const fits =
      this.#options.login === undefined || comesBackTo === undefined || comesBackTo.includes(this.redirectUrl);
    return fits ? client : undefined;
  }

  saveClientInformation(client: StoredOAuthClientInformation): void {
    // A secret of the settings is not copied to the file.
    const configured = this.#options.address.oauth?.clientId !== undefined;
    this.#options.file.change({
      client: configured
        ? { client_id: client.client_id, ...(client.issuer !== undefined && { issuer: client.issuer }) }
        : client,
    });
  }

  tokens(): StoredOAuthTokens | undefined {
    const { tokens } = this.#options.file.read();
    this.#renewedWith = tokens?.refresh_token;
    return tokens;
  }

  saveTokens(tokens: StoredOAuthTokens): void {
    const { refresh_token } = this.#options.file.read().tokens ?? {};
    // A refresh without a new refresh token keeps the old one.
    this.#options.file.change({ tokens: { ...(refresh_token !== undefined && { refresh_token }), ...tokens } });
  }

  async redirectToAuthorization(page: URL): Promise<void> {
    const { login, server } = this.#options;
    if (login === undefined) throw loginNeeded(server);
    if (page.protocol !== "https:" && !isLoopback(page)) {
      throw mcpFailure("unauthorized", `the MCP server "${server}" requires a login at ${page.protocol}//${page.host}`);
    }
    const callback = await login.authorize(page);
    const refused = callback.get("error");
    if (refused !== null) {
      const why = stripUnsafe(callback.get("error_description") ?? refused).slice(0, 300);
      throw mcpFailure("unauthorized", `the login to the MCP server "${server}" was rejected: ${why}`);
    }
    if (callback.get("state") !== this.#state) {
      throw mcpFailure(
        "unauthorized",
        `the redirect of the login to the MCP server "${server}" belongs to another login`,
      );
    }
    this.#callback = callback;
  }

  /** Finishes a login with the query parameters of the redirect; false if there was none. */
  async finishLogin(finish: (callback: URLSearchParams) => Promise<void>): Promise<boolean> {
    const callback = this.#callback;
    if (callback === undefined) return false;
    this.#callback = undefined;
    this.#finishing = true;
    try {
      await finish(callback);
      return true;
    } finally {
      this.#finishing = false;
    }
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    if (this.#verifier === undefined) throw loginNeeded(this.#options.server);
    return this.#verifier;
  }

  /**
   * The authorization server is discovered anew for each login, since it may change; within one login it must stay the
   * same.
   */
  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#finishing ? this.#discovery : undefined;
  }

  saveDiscoveryState(discovery: OAuthDiscoveryState): void {
    this.#discovery = discovery;
  }

  invalidateCredentials(scope: "all" | "client" | "tokens" | "verifier" | "discovery"): void {
    const { file } = this.#options;
    // Another process may have refreshed it in the meantime: then its token is valid.
    const stale = file.read().tokens?.refresh_token === this.#renewedWith;
    file.change({
      ...((scope === "all" || scope === "tokens") && stale && { tokens: undefined }),
      ...((scope === "all" || scope === "client") && { client: undefined }),
    });
    if (scope === "all" || scope === "verifier") this.#verifier = undefined;
  }
}

export function isLoginProvider(value: unknown): value is LoginProvider {
  return value instanceof LoginProvider;
}

function isLoopback({ protocol, hostname }: URL): boolean {
  return protocol === "http:" && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}

/** The stored state of a login. */
interface StoredLogin {
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
    createDataFolder(this.#stateDir);
    createPrivateFolder(this.#dir);
    replaceFile(this.#file, `${JSON.stringify(stored, null, 2)}\n`);
  }
}
