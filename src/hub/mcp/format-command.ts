import { showUnsafe } from "../../text/index.ts";

/** Formats a command line for people; words with special characters are quoted. */
export function formatCommand(command: string, args: readonly string[]): string {
  return [command, ...args].map(formatWord).join(" ");
}

function formatWord(input: string): string {
  const text = showUnsafe(input);
  return /^[\p{L}\p{N}_@%+=:,./${}<>^~-]+$/u.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** A package without a pinned version: the latest one is fetched whenever a server starts. */
export interface UnpinnedPackage {
  readonly name: string;
  /** Index of the word of the command line that names it: -1 for the command. */
  readonly at: number;
  /** The package with its exact version. */
  readonly pinned: string;
}

type Registry = "npm" | "python" | "image";

/** Programs that fetch a package and run it, with the words before the package. */
const runners: readonly { readonly words: readonly string[]; readonly registry: Registry }[] = [
  { words: ["npx"], registry: "npm" },
  { words: ["bunx"], registry: "npm" },
  { words: ["npm", "exec"], registry: "npm" },
  { words: ["npm", "x"], registry: "npm" },
  { words: ["pnpm", "dlx"], registry: "npm" },
  { words: ["pnpx"], registry: "npm" },
  { words: ["yarn", "dlx"], registry: "npm" },
  { words: ["bun", "x"], registry: "npm" },
  { words: ["uvx"], registry: "python" },
  { words: ["uv", "tool", "run"], registry: "python" },
  { words: ["pipx", "run"], registry: "python" },
  { words: ["docker", "run"], registry: "image" },
  { words: ["podman", "run"], registry: "image" },
];

/** True for a command line such as `npx` or `uvx`, which fetches a package of npm or Python from a registry. */
export function fetchesPackage(command: string, args: readonly string[]): boolean {
  const registry = runnerOf(command, args)?.registry;
  return registry === "npm" || registry === "python";
}

function runnerOf(command: string, args: readonly string[]) {
  const words = [programOf(command), ...args];
  // Windows needs `cmd /c` before a script.
  const start = words[0] === "cmd" && /^\/c$/i.test(words[1] ?? "") ? 2 : 0;
  if (start > 0) words[start] = programOf(words[start] ?? "");
  const runner = runners.find(({ words: own }) => own.every((each, at) => words[start + at] === each));
  return runner && { words, registry: runner.registry, from: start + runner.words.length };
}

/** The package that a command line fetches without saying which version of it. */
export function unpinnedPackage(command: string, args: readonly string[]): UnpinnedPackage | undefined {
  const runner = runnerOf(command, args);
  if (runner === undefined) return undefined;
  const found = packageIn(runner.words, runner.from, runner.registry);
  if (found === undefined || isPinned(found.name, runner.registry)) return undefined;
  return { name: found.name, at: found.at - 1, pinned: pinnedForm(found.name, runner.registry) };
}

function programOf(command: string): string {
  return (command.split(/[\\/]/).at(-1) ?? "").replace(/\.(?:cmd|exe|ps1)$/i, "");
}

/** Options that take the next word as their value. */
const withValue: Readonly<Record<Registry, RegExp>> = {
  npm: /^(?:-c|--call|-w|--workspace|--cache|--registry|--userconfig|--prefix)$/,
  python: /^(?:-p|--python|--index-url|--extra-index-url|-i|--index|--with|--directory|--cache-dir|--project)$/,
  image:
    /^(?:-e|--env|-v|--volume|--mount|-p|--publish|--name|--network|--net|-u|--user|-w|--workdir|--entrypoint|--env-file|-l|--label|--platform|-h|--hostname|--add-host|--memory|-m|--cpus)$/,
};

function packageIn(
  words: readonly string[],
  from: number,
  registry: Registry,
): { readonly name: string; readonly at: number } | undefined {
  for (let at = from; at < words.length; at++) {
    const each = words[at] ?? "";
    if (!each.startsWith("-")) return { name: each, at };
    const [option = "", value] = each.startsWith("--") ? each.split(/=(.*)/s, 2) : [each];
    const next = value === undefined ? at + 1 : at;
    if (namesPackage(option, registry)) return { name: value ?? words[next] ?? "", at: next };
    if (withValue[registry].test(option)) at = next;
  }
  return undefined;
}

/** `-p` is the package of npx and the Python of uvx. */
function namesPackage(option: string, registry: Registry): boolean {
  if (registry === "image" || (registry === "python" && option === "-p")) return false;
  return /^(?:-p|--package|--from|--spec)$/.test(option);
}

function isPinned(name: string, registry: Registry): boolean {
  if (/^(?:\.{0,2}[\\/]|[A-Za-z]:[\\/]|file:)/.test(name) || name.includes("${")) return true;
  if (registry === "npm") return /.@v?\d+\.\d+\.\d+(?:[-+][\w.+-]+)?$/.test(name);
  if (registry === "python") return /(?:==|@)\d+(?:\.\d+)*(?:[\w.+!-]*)$/.test(name);
  const image = name.split("/").at(-1) ?? "";
  return name.includes("@sha256:") || (image.includes(":") && !image.endsWith(":latest"));
}

function pinnedForm(name: string, registry: Registry): string {
  if (registry === "npm") return `${name.replace(/(.)@[^@/]*$/, "$1")}@1.2.3`;
  if (registry === "python") return `${name.replace(/(?:[<>=~!@]).*$/s, "")}==1.2.3`;
  return `${name.replace(/:latest$/, "")}@sha256:…`;
}
