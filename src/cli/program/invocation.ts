import { programCommand } from "./command-prefix.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** A server that a command works on, instead of the workspace of this machine. */
export interface ServerAddress {
  /** Without a slash at its end. */
  readonly url: string;
  readonly token: string;
  /** `--server URL` as typed, to repeat it in suggested commands. */
  readonly typed: string | undefined;
}

/** One use of a command: its parsed words and options, and its terminal. */
export interface Invocation {
  readonly terminal: Terminal;
  /** The words after the command's name. */
  readonly words: readonly string[];
  /** `-C DIR` as typed, to repeat it in suggested commands. */
  readonly dir: string | undefined;
  /** True with `--trust`. */
  readonly trust: boolean;
  /** The server that it works on; undefined for the workspace of this machine. */
  readonly server?: ServerAddress | undefined;
  flag(name: string): boolean;
  text(name: string): string | undefined;
  /** All values of a repeatable option. */
  texts(name: string): readonly string[];
  number(name: string): number | undefined;
}

/** Creates an invocation from words and option values. */
export function createInvocation(parts: {
  readonly terminal: Terminal;
  readonly words: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
  readonly dir: string | undefined;
  readonly trust?: boolean;
}): Invocation {
  const { terminal, words, options, dir, trust = false } = parts;
  const valueOf = (name: string): unknown => (Object.hasOwn(options, name) ? options[name] : undefined);
  return {
    terminal,
    words,
    dir,
    trust,
    flag: (name) => valueOf(name) === true,
    text: (name) => {
      const value = valueOf(name);
      return typeof value === "string" ? value : undefined;
    },
    texts: (name) => {
      const value = valueOf(name);
      return Array.isArray(value) ? value.map(String) : [];
    },
    number: (name) => {
      const value = valueOf(name);
      return typeof value === "number" ? value : undefined;
    },
  };
}

/** A command of this program for the same folder, to show to the user. */
export function commandLine(invocation: Pick<Invocation, "dir" | "server">, ...words: readonly string[]): string {
  const { server } = invocation;
  const dir = [
    ...(invocation.dir === undefined ? [] : ["-C", shellWord(invocation.dir)]),
    ...(server?.typed === undefined ? [] : ["--server", shellWord(server.typed)]),
  ];
  const [command = "", ...rest] = words;
  return programCommand([command, ...dir, ...rest].join(" "));
}

/** Quotes a word for a shell, if necessary. */
export function shellWord(word: string): string {
  if (/^[\p{L}\p{N}_@%+=:,./-]+$/u.test(word)) return word;
  if (!/["$`\\!\n]/.test(word)) return `"${word}"`;
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** `key=value`, quoted for a shell. */
export function shellPair(key: string, value: string): string {
  return `${shellWord(key)}=${value === "" ? '""' : shellWord(value)}`;
}
