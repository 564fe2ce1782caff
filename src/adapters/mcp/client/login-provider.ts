import type {
  AuthProvider,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { nodeCrypto } from "../../../base/index.ts";
import { stripUnsafe } from "../../../text/index.ts";
import type { AuthFile } from "./auth-file.ts";
import { loginNeeded } from "./explain-error.ts";
import { mcpFailure } from "./mcp-reasons.ts";
import type { RemoteServer } from "../../../hub/index.ts";

/** Lets a person log in. */
export interface Login {
  /** Where the browser comes back to. */
  readonly redirectUrl: string;
  /** Shows the page, and gives what the browser came back with. */
  authorize(page: URL): Promise<URLSearchParams>;
  /** An address under which this client describes itself, for servers that take one instead of a registration. */
  readonly clientMetadataUrl?: string;
}

/** What {@link LoginProvider} needs. */
export interface LoginOptions {
  readonly server: string;
  readonly address: RemoteServer;
  readonly file: AuthFile;
  readonly login: Login | undefined;
}

/** A key is sent where there is one; to get one, somebody has to ask for it. */
export function keptKeyOnly({ server, file }: LoginOptions): AuthProvider {
  return {
    token: () => Promise.resolve(file.read().tokens?.access_token),
    onUnauthorized: () => Promise.reject(loginNeeded(server)),
  };
}

/** Logs in, keeps what comes of it, and renews it. */
export class LoginProvider implements OAuthClientProvider {
  readonly #options: LoginOptions;
  #verifier: string | undefined;
  #state: string | undefined;
  #callback: URLSearchParams | undefined;
  #discovery: OAuthDiscoveryState | undefined;
  #finishing = false;
  /** The token that was used to ask for another one. */
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
        ...(clientSecret !== undefined && { client_secret: clientSecret }),
        ...(issuer !== undefined && { issuer }),
      };
    }
    // A client that was registered to come back elsewhere is another one.
    const comesBackTo = client !== undefined && "redirect_uris" in client ? client.redirect_uris : undefined;
    const fits =
      this.#options.login === undefined || comesBackTo === undefined || comesBackTo.includes(this.redirectUrl);
    return fits ? client : undefined;
  }

  saveClientInformation(client: StoredOAuthClientInformation): void {
    // A secret of the settings stays there.
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
    // A renewal that brings no new token for the next one keeps the old one.
    this.#options.file.change({ tokens: { ...(refresh_token !== undefined && { refresh_token }), ...tokens } });
  }

  async redirectToAuthorization(page: URL): Promise<void> {
    const { login, server } = this.#options;
    if (login === undefined) throw loginNeeded(server);
    if (page.protocol !== "https:" && !isLoopback(page)) {
      throw mcpFailure("unauthorized", `the MCP server "${server}" wants a login at ${page.protocol}//${page.host}`);
    }
    const callback = await login.authorize(page);
    const refused = callback.get("error");
    if (refused !== null) {
      const why = stripUnsafe(callback.get("error_description") ?? refused).slice(0, 300);
      throw mcpFailure("unauthorized", `the login to the MCP server "${server}" was refused: ${why}`);
    }
    if (callback.get("state") !== this.#state) {
      throw mcpFailure(
        "unauthorized",
        `the answer to the login to the MCP server "${server}" belongs to another login`,
      );
    }
    this.#callback = callback;
  }

  /** Finishes a login with what the browser came back with; false where there was none. */
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

  /** Who gives the keys is found out anew for each login, as it may be another; within one it must stay the same. */
  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#finishing ? this.#discovery : undefined;
  }

  saveDiscoveryState(discovery: OAuthDiscoveryState): void {
    this.#discovery = discovery;
  }

  invalidateCredentials(scope: "all" | "client" | "tokens" | "verifier" | "discovery"): void {
    const { file } = this.#options;
    // Another process may have renewed it meanwhile: then theirs is good.
    const stale = file.read().tokens?.refresh_token === this.#renewedWith;
    file.change({
      ...((scope === "all" || scope === "tokens") && stale && { tokens: undefined }),
      ...((scope === "all" || scope === "client") && { client: undefined }),
    });
    if (scope === "all" || scope === "verifier") this.#verifier = undefined;
  }
}

function isLoopback({ protocol, hostname }: URL): boolean {
  return protocol === "http:" && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}
