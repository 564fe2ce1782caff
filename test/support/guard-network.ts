import dgram from "node:dgram";
import dns from "node:dns";
import { appendFileSync, writeSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";

/**
 * Keeps a process from reaching anything but loopback: attempts are recorded in the file that {@link attemptsVariable}
 * names, and fail. Loaded by `only-loopback.ts` into the process of the tests, and by `NODE_OPTIONS` into those that
 * the tests start; it must load only Node's own modules, and must take effect when it is loaded. Threads are not
 * watched: those of this project do not use the network.
 *
 * The name has no prefix of this project: programs that drop all settings of it from the environment must not drop this.
 */
export const attemptsVariable = "LOOPBACK_ONLY_ATTEMPTS";

/** One attempt to reach something else. */
export interface Attempt {
  readonly address: string;
  /** Description of the process that tried. */
  readonly who: string;
}

let whoTries = (): string => `the process "${process.argv.slice(1).join(" ").slice(0, 300)}"`;

/** Sets the description of the process for later attempts. */
export function namedBy(who: () => string): void {
  whoTries = who;
}

function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[|\]$/g, "");
  return /^(?:localhost|(?:.*\.)?localhost\.?|(?:::ffff:)?127(?:\.\d{1,3}){3}|::1)$/.test(name) || name === "";
}

function refusal(address: string): Error {
  const file = process.env[attemptsVariable];
  const attempt: Attempt = { address, who: whoTries() };
  if (file === undefined) giveUp(attempt);
  appendFileSync(file, `${JSON.stringify(attempt)}\n`);
  return Object.assign(new Error(`tests reach loopback only, not ${address}`), { code: "ENETUNREACH" });
}

/** An attempt that cannot be recorded must not go unnoticed: the process ends with an error, which its parent sees. */
function giveUp({ address }: Attempt): never {
  writeSync(2, `tests reach loopback only, not ${address}; ${attemptsVariable} is not set, so nobody would know\n`);
  process.exit(97);
}

interface Target {
  readonly host?: string;
  readonly port?: number | string;
  readonly path?: string;
  readonly lookup?: net.LookupFunction;
}

/** Target in the arguments of `connect`: an object, a port and a host, or a path. */
function targetOf([first, second]: readonly unknown[]): Target {
  if (typeof first === "object" && first !== null) return first;
  return typeof second === "string" ? { host: second, port: String(first) } : {};
}

/** A lookup function may only answer with loopback. Without one, `dns` is used, which is guarded too. */
function onlyLoopbackAnswers({ port, lookup }: Target): net.LookupFunction | undefined {
  if (lookup === undefined) return undefined;
  return (name, options, answer) => {
    lookup(name, options, (error, found, family) => {
      const addresses = typeof found === "string" ? [found] : (found ?? []).map(({ address }) => address);
      const outside = addresses.find((address) => !isLoopback(address));
      answer(outside === undefined ? error : refusal(`${outside}:${port}`), found, family);
    });
  };
}

type Connect = (...args: unknown[]) => net.Socket;

function guardSockets(): void {
  const original = Reflect.get(net.Socket.prototype, "connect") as Connect;
  const guarded = function (this: net.Socket, ...args: unknown[]): net.Socket {
    // Node's own callers pass their arguments in one list, which has to stay the same object.
    const list = Array.isArray(args[0]) ? (args[0] as unknown[]) : args;
    const target = targetOf(list);
    const { host = "", port, path } = target;
    if (path) return original.apply(this, args);
    if (net.isIP(host) !== 0 && !isLoopback(host)) return this.destroy(refusal(`${host}:${port}`));
    const lookup = onlyLoopbackAnswers(target);
    if (lookup !== undefined) list[0] = { ...target, lookup };
    return original.apply(this, args);
  };
  Object.assign(net.Socket.prototype, { connect: guarded });
}

function guardDatagrams(): void {
  for (const name of ["send", "connect"] as const) {
    // Both take the address as their last string; a message that may come first does not count.
    const original = dgram.Socket.prototype[name] as (...args: unknown[]) => unknown;
    const guarded = function (this: dgram.Socket, ...args: unknown[]): unknown {
      const address = args.slice(1).findLast((arg) => typeof arg === "string");
      if (address === undefined || isLoopback(address)) return original.apply(this, args);
      throw refusal(`${address} by UDP`);
    };
    Object.assign(dgram.Socket.prototype, { [name]: guarded });
  }
}

/** These need no lookup: they are reserved names that never resolve. */
function isUnknown(name: string): boolean {
  return /\.invalid\.?$/i.test(name);
}

function unknownName(hostname: string, syscall: string): Error {
  return Object.assign(new Error(`${syscall} ENOTFOUND ${hostname}`), { code: "ENOTFOUND", syscall, hostname });
}

type Lookup = (name: string, ...rest: unknown[]) => unknown;

/** Names are resolved outside of this machine; addresses are not. */
function guardNames(holder: object, isAsync: boolean): void {
  const request = Object.getOwnPropertyNames(holder).filter((name) => /^(?:lookup|resolve|reverse)/.test(name));
  for (const name of request) {
    const original = Reflect.get(holder, name) as Lookup;
    const guarded: Lookup = function (this: unknown, requested, ...rest) {
      if (typeof requested !== "string" || isLoopback(requested) || (name === "lookup" && net.isIP(requested) !== 0)) {
        return original.call(this, requested, ...rest);
      }
      const error = isUnknown(requested) ? unknownName(requested, name) : refusal(`the name ${requested} (${name})`);
      if (isAsync) return Promise.reject(error);
      const answer = rest.at(-1);
      if (typeof answer !== "function") throw error;
      process.nextTick(answer, error);
      return undefined;
    };
    // Node derives from these whether there is a promise variant.
    Object.defineProperties(guarded, Object.getOwnPropertyDescriptors(original));
    Reflect.set(holder, name, guarded);
  }
}

guardSockets();
guardDatagrams();
guardNames(dns, false);
guardNames(dns.promises, true);
guardNames(dns.Resolver.prototype, false);
guardNames(dns.promises.Resolver.prototype, true);
syncBuiltinESMExports();
