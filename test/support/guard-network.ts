import dgram from "node:dgram";
import dns from "node:dns";
import { appendFileSync, writeSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";

/**
 * Keeps a process from reaching anything but loopback: what it tries is noted in the file that {@link attemptsVariable}
 * names, and fails. Loaded by `only-loopback.ts` into the process of the tests, and by `NODE_OPTIONS` into those that
 * the tests start; it must not load anything but Node's own modules, and must be done when it is loaded. Threads are not
 * watched: those of this project have nothing to do with the network.
 *
 * The name has no prefix of this project: programs that drop all settings of it from the environment must not drop this.
 */
export const attemptsVariable = "LOOPBACK_ONLY_ATTEMPTS";

/** One attempt to reach something else. */
export interface Attempt {
  readonly address: string;
  /** Who tried, as far as the process itself knows it. */
  readonly who: string;
}

let whoTries = (): string => `the process "${process.argv.slice(1).join(" ").slice(0, 300)}"`;

/** Says who tries, from now on. */
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

/** What cannot be noted must not be forgiven: the process ends, and whoever started it sees that. */
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

/** What the arguments of `connect` name: an object, a port and a host, or a path. */
function targetOf([first, second]: readonly unknown[]): Target {
  if (typeof first === "object" && first !== null) return first;
  return typeof second === "string" ? { host: second, port: String(first) } : {};
}

/** Whoever answers for a name may only answer with loopback. Where nobody is named, `dns` is asked, and guarded too. */
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
    // Node's own callers hand over their arguments in one list, which has to stay the same one.
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
    // Both take the address as their last text; the message that may come first is none.
    const original = dgram.Socket.prototype[name] as (...args: unknown[]) => unknown;
    const guarded = function (this: dgram.Socket, ...args: unknown[]): unknown {
      const address = args.slice(1).findLast((arg) => typeof arg === "string");
      if (address === undefined || isLoopback(address)) return original.apply(this, args);
      throw refusal(`${address} by UDP`);
    };
    Object.assign(dgram.Socket.prototype, { [name]: guarded });
  }
}

/** Nobody has to be asked for these: they are for being unknown. */
function isUnknown(name: string): boolean {
  return /\.invalid\.?$/i.test(name);
}

function unknownName(hostname: string, syscall: string): Error {
  return Object.assign(new Error(`${syscall} ENOTFOUND ${hostname}`), { code: "ENOTFOUND", syscall, hostname });
}

type Lookup = (name: string, ...rest: unknown[]) => unknown;

/** Names are asked for outside; addresses are not. */
function guardNames(holder: object, isAsync: boolean): void {
  const asking = Object.getOwnPropertyNames(holder).filter((name) => /^(?:lookup|resolve|reverse)/.test(name));
  for (const name of asking) {
    const original = Reflect.get(holder, name) as Lookup;
    const guarded: Lookup = function (this: unknown, asked, ...rest) {
      if (typeof asked !== "string" || isLoopback(asked) || (name === "lookup" && net.isIP(asked) !== 0)) {
        return original.call(this, asked, ...rest);
      }
      const error = isUnknown(asked) ? unknownName(asked, name) : refusal(`the name ${asked} (${name})`);
      if (isAsync) return Promise.reject(error);
      const answer = rest.at(-1);
      if (typeof answer !== "function") throw error;
      process.nextTick(answer, error);
      return undefined;
    };
    // Node tells by these whether a promise can be had instead.
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
