import { cliCommand } from "../../base/index.ts";
import type { CommandSpec } from "../program/command-spec.ts";
import type { ServerAddress } from "../program/invocation.ts";
import { UsageError } from "../program/usage-error.ts";
import { logWrapped } from "../terminal/log-wrapped.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** Variables that name a server and a token of it. */
export const serverVariable = "WINDLASS_SERVER";
export const tokenVariable = "WINDLASS_TOKEN";

/** A command line, as far as it determines the server. */
export interface AddressRequest {
  readonly spec: Pick<CommandSpec, "remote">;
  /** The value of `--server`. */
  readonly typed: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly terminal: Terminal;
}

/** The server that a command works on; undefined for the workspace of this machine. Throws if it cannot be used. */
export function serverAddress({ spec, typed, env, terminal }: AddressRequest): ServerAddress | undefined {
  const text = typed ?? env[serverVariable] ?? "";
  if (text === "" && typed === undefined) return undefined;
  if (spec.remote !== true) return stayHere({ spec, typed, terminal });
  const url = parseAddress(text, typed === undefined ? serverVariable : "--server");
  const token = tokenIn(env, url);
  if (url.protocol === "http:" && !isLoopback(url.hostname))
    logWrapped(`the token and all data travel unencrypted to ${url.host}; use https://`, terminal, {
      lead: `${terminal.tint("yellow", "warning:")} `,
    });
  return { url: url.href.replace(/\/+$/, ""), token, typed };
}

/** Refuses `--server` for a command that works on this machine, and says that the variable is ignored. */
function stayHere({ spec, typed, terminal }: Omit<AddressRequest, "env">): undefined {
  if (typed !== undefined)
    throw new UsageError("this command works on the files of this machine, so it takes no --server");
  if (spec.remote === undefined)
    logWrapped(`this command works on the workspace of this machine, not on ${serverVariable}`, terminal, {
      lead: `${terminal.tint("yellow", "note:")} `,
    });
}

function tokenIn(env: AddressRequest["env"], url: URL): string {
  const token = env[tokenVariable]?.trim() ?? "";
  if (token === "") throw missingToken(url);
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new UsageError(`${tokenVariable} is not a token: it has blanks or characters that no token has`);
}

function parseAddress(text: string, where: string): URL {
  const url = URL.parse(text);
  const isUsable = url !== null && /^https?:$/.test(url.protocol) && url.hostname !== "";
  if (isUsable && url.username === "" && url.password === "" && url.search === "" && url.hash === "") return url;
  const hint = "write it as http://127.0.0.1:4780, or https:// with the name of the server";
  // An address may contain a password.
  if (isUsable)
    throw new UsageError(`${where} has more than the address of a server; the token is in ${tokenVariable}`, hint);
  throw new UsageError(`${where}: ${JSON.stringify(text)} is not the address of a server`, hint);
}

function missingToken({ hostname }: URL): UsageError {
  const local = `for a server of this workspace: export ${tokenVariable}="$(cat .windlass/token)"`;
  return new UsageError(
    `a token of the server is needed in ${tokenVariable}`,
    `create one where the server runs: ${cliCommand("token create NAME --scope read,call,run,approve")}`,
    ...(isLoopback(hostname) ? [local] : []),
  );
}

function isLoopback(hostname: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}
