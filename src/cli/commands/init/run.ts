import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { type TrustItem, pathExists, trustNewWorkspace, workspaceSchema } from "../../../app/index.ts";
import { cliCommand, fail, isFailureError, errorMessage } from "../../../base/index.ts";
import { chainFileSchema } from "../../../chain/index.ts";
import { contractFileSchema } from "../../../hub/index.ts";
import { nearestPackage, toolFileSchema } from "../../../tool/index.ts";
import { programCommand, scriptRoot } from "../../program/command-prefix.ts";
import type { RunCommand } from "../../program/command-spec.ts";
import { shellWord } from "../../program/invocation.ts";
import { safeJson } from "../../terminal/safe-json.ts";
import { sampleFiles } from "./sample-files.ts";
import { relativeToCwd } from "../../terminal/report-problems.ts";
import { trustCommand, trustLines } from "../../open/open-here.ts";
import { logWrapped } from "../../terminal/log-wrapped.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { UsageError } from "../../program/usage-error.ts";

/** `windlass init`. */
export const initWorkspace: RunCommand = async (invocation) => {
  const { terminal, words } = invocation;
  const dir = resolve(words[0] ?? ".");
  await refuseTaken(dir);
  const written: string[] = [];
  const write = async (): Promise<void> => {
    written.push(...(await writeAll(dir, { ...sampleFiles, ...packageFile(dir), ...dataFiles() })));
    if (await ignoreData(dir)) written.push(".gitignore");
  };
  const untrusted = await createTrusted(dir, write, terminal);
  const shown = written.filter((file) => !file.startsWith(".windlass/"));
  if (invocation.flag("json")) return terminal.print(safeJson({ dir, files: written }));
  terminal.print(`Created a workspace in ${relativeToCwd(dir)}:`);
  for (const file of shown) terminal.print(`  ${file}`);
  reportForeign(untrusted, dir, terminal);
  terminal.log("");
  terminal.log("Try next:");
  for (const line of nextLines(dir, wayTo(words[0] ?? ".", invocation.dir))) terminal.log(`  ${line}`);
};

/** Writes the workspace and trusts what it wrote; returns the parts that the folder had before. */
async function createTrusted(
  dir: string,
  write: () => Promise<void>,
  terminal: Terminal,
): Promise<readonly TrustItem[]> {
  let isWritten = false;
  const noted = (): Promise<void> => write().then(() => void (isWritten = true));
  try {
    const source = sampleFiles["windlass.yaml"] ?? "";
    return await trustNewWorkspace({ dir, source, write: noted, env: process.env });
  } catch (error) {
    if (!isWritten || !isFailureError(error)) throw error;
    terminal.log(`${terminal.tint("yellow", "warning:")} ${error.message}; later: ${trustCommand(dir)}`);
    return [];
  }
}

/** Reports the parts that `init` did not write: they are not trusted. */
function reportForeign(items: readonly TrustItem[], dir: string, terminal: Terminal): void {
  if (items.length === 0) return;
  const message = "the folder had parts that are not trusted; `init` trusts only what it creates";
  logWrapped(message, terminal, { lead: `${terminal.tint("yellow", "warning:")} ` });
  for (const line of trustLines(items, { width: terminal.sideColumns })) terminal.log(line);
  logWrapped(`review and trust them with: ${trustCommand(dir)}`, terminal, { lead: "  ", style: "cyan" });
}

/** Commands to try in the new workspace, in the form in which the program was started. */
function nextLines(dir: string, way: string | undefined): string[] {
  const root = scriptRoot(process.env);
  // Outside of the package npm would not find the script.
  const stay = root !== undefined && isOutside(root, dir);
  const lines = nextSteps.map(([command, ...rest]) =>
    programCommand([command, ...(stay ? ["-C", shellWord(way ?? dir)] : []), ...rest].join(" ")),
  );
  return way === undefined || stay ? lines : [`cd ${shellWord(way)}`, ...lines];
}

function isOutside(root: string, dir: string): boolean {
  const way = relative(root, dir);
  return way.startsWith("..") || isAbsolute(way);
}

/** Path from the folder in which the command was typed; undefined if it is the same folder. */
function wayTo(folder: string, dir: string | undefined): string | undefined {
  if (dir === undefined && resolve(folder) === process.cwd()) return undefined;
  const way = isAbsolute(folder) ? folder : join(dir ?? ".", folder);
  return way === "." ? undefined : way;
}

const nextSteps = [
  ["run", "welcome", "-i", "name=Ada"],
  ["graph", "welcome"],
  ["call", "greet", "name=Ada"],
  ["ask", '"What did I write about tide mills?"', "--runner", "vault"],
];

/**
 * A package.json that makes Node read the sample tools as ES modules, if the package around the workspace does not. In
 * the folder of tools if the workspace is itself such a package: existing files are never changed.
 */
function packageFile(dir: string): Record<string, string> {
  const around = nearestPackage(dir);
  if (around === undefined || around.type === "module") return {};
  const file = dirname(around.path) === dir ? "tools/package.json" : "package.json";
  return { [file]: `${safeJson({ private: true, type: "module" })}\n` };
}

/** Data of this machine, not of the repository: the JSON Schemas of the file formats, for YAML editors. */
function dataFiles(): Record<string, string> {
  return {
    ".windlass/.gitignore": "*\n",
    ".windlass/schema/chain.json": `${safeJson(chainFileSchema)}\n`,
    ".windlass/schema/tool.json": `${safeJson(toolFileSchema)}\n`,
    ".windlass/schema/capability.json": `${safeJson(contractFileSchema)}\n`,
    ".windlass/schema/workspace.json": `${safeJson(workspaceSchema())}\n`,
  };
}

/** Throws if a file already exists: existing files are never changed. */
async function refuseTaken(dir: string): Promise<void> {
  const taken: string[] = [];
  for (const file of Object.keys(sampleFiles)) if (await pathExists(join(dir, file))) taken.push(file);
  if (taken.length === 0) return;
  throw new UsageError(
    `${relativeToCwd(dir)} already has ${taken.join(", ")}; nothing was written`,
    `create a workspace elsewhere with: ${cliCommand("init NEW_FOLDER")}`,
  );
}

async function writeAll(dir: string, files: Readonly<Record<string, string>>): Promise<string[]> {
  try {
    for (const [file, text] of Object.entries(files)) {
      await mkdir(dirname(join(dir, file)), { recursive: true });
      // A sample file that was created in the meantime is not overwritten either; the schemas are always renewed.
      await writeFile(join(dir, file), text, { flag: file.startsWith(".windlass/") ? "w" : "wx" });
    }
  } catch (error) {
    throw fail(`cannot write the workspace: ${errorMessage(error)}`, { cause: error });
  }
  return Object.keys(files);
}

/** Adds the data folder to .gitignore, unless it is already there. */
async function ignoreData(dir: string): Promise<boolean> {
  const path = join(dir, ".gitignore");
  const before = (await pathExists(path)) ? await readFile(path, "utf8") : "";
  if (/^\/?\.windlass\/?\s*$/m.test(before)) return false;
  const gap = before === "" || before.endsWith("\n") ? "" : "\n";
  await writeFile(path, `${before}${gap}.windlass/\n`);
  return true;
}
