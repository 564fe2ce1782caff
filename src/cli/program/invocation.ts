import type { Terminal } from "./terminal.ts";

/** One use of a command: its words and options, read, and the terminal it talks to. */
export interface Invocation {
  readonly terminal: Terminal;
  /** The words after the command's name. */
  readonly words: readonly string[];
  /** `-C DIR` as it was typed, to repeat in command lines that are suggested. */
  readonly dir: string | undefined;
  flag(name: string): boolean;
  text(name: string): string | undefined;
  /** All values of an option that may be given more than once. */
  texts(name: string): readonly string[];
  number(name: string): number | undefined;
}

/** An invocation of these words and option values. */
export function createInvocation(parts: {
  readonly terminal: Terminal;
  readonly words: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
  readonly dir: string | undefined;
}): Invocation {
  const { terminal, words, options, dir } = parts;
  const valueOf = (name: string): unknown => (Object.hasOwn(options, name) ? options[name] : undefined);
  return {
    terminal,
    words,
    dir,
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

/** A command line of this program, for the same folder, to show to a person. */
export function commandLine(invocation: Pick<Invocation, "dir">, ...words: readonly string[]): string {
  const dir = invocation.dir === undefined ? [] : ["-C", shellWord(invocation.dir)];
  const [command = "", ...rest] = words;
  return ["windlass", command, ...dir, ...rest].join(" ");
}

/** A word as a shell takes it: bare where it can be, else in quotes. */
export function shellWord(word: string): string {
  if (/^[\p{L}\p{N}_@%+=:,./-]+$/u.test(word)) return word;
  if (!/["$`\\!\n]/.test(word)) return `"${word}"`;
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** `key=value` as a shell takes it. */
export function shellPair(key: string, value: string): string {
  return `${shellWord(key)}=${value === "" ? '""' : shellWord(value)}`;
}
