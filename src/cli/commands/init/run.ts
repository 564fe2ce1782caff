import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { exists, workspaceSchema } from "../../app/index.ts";
import { fail } from "../../base/index.ts";
import { chainFileSchema } from "../../chain/index.ts";
import { contractFileSchema } from "../../hub/index.ts";
import { toolFileSchema } from "../../tool/index.ts";
import { calledAs, scriptRoot } from "../called-as.ts";
import type { RunCommand } from "../command-spec.ts";
import { shellWord } from "../invocation.ts";
import { safeJson } from "../safe-json.ts";
import { sampleFiles } from "../sample-files.ts";
import { fromHere } from "../tell-problems.ts";
import { UsageError } from "../usage-error.ts";

/** `windlass init`. */
export const initWorkspace: RunCommand = async (invocation) => {
  const { terminal, words } = invocation;
  const dir = resolve(words[0] ?? ".");
  await refuseTaken(dir);
  const written = await writeAll(dir, { ...sampleFiles, ...dataFiles() });
  if (await ignoreData(dir)) written.push(".gitignore");
  const shown = written.filter((file) => !file.startsWith(".windlass/"));
  if (invocation.flag("json")) {
    terminal.print(safeJson({ dir, files: written }));
    return;
  }
  terminal.print(`A workspace is in ${fromHere(dir)}:`);
  for (const file of shown) terminal.print(`  ${file}`);
  terminal.tell("");
  terminal.tell("Try next:");
  for (const line of nextLines(dir, wayTo(words[0] ?? ".", invocation.dir))) terminal.tell(`  ${line}`);
};

/** Command lines for the new workspace, in the form in which the program was called. */
function nextLines(dir: string, way: string | undefined): string[] {
  const program = calledAs(process.env);
  const root = scriptRoot(process.env);
  // Outside of the package npm would not find the script.
  const stay = root !== undefined && isOutside(root, dir);
  const lines = nextSteps.map(([command, ...rest]) =>
    [program, command, ...(stay ? ["-C", shellWord(way ?? dir)] : []), ...rest].join(" "),
  );
  return way === undefined || stay ? lines : [`cd ${shellWord(way)}`, ...lines];
}

function isOutside(root: string, dir: string): boolean {
  const way = relative(root, dir);
  return way.startsWith("..") || isAbsolute(way);
}

/** How to get to a folder from where the command was typed; undefined where that is the folder. */
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

/** Data of this machine, not of the repository: the formats, for editors that know YAML. */
function dataFiles(): Record<string, string> {
  return {
    ".windlass/.gitignore": "*\n",
    ".windlass/schema/chain.json": `${safeJson(chainFileSchema)}\n`,
    ".windlass/schema/tool.json": `${safeJson(toolFileSchema)}\n`,
    ".windlass/schema/capability.json": `${safeJson(contractFileSchema)}\n`,
    ".windlass/schema/workspace.json": `${safeJson(workspaceSchema)}\n`,
  };
}

/** Nothing that is there is ever changed. */
async function refuseTaken(dir: string): Promise<void> {
  const taken: string[] = [];
  for (const file of Object.keys(sampleFiles)) if (await exists(join(dir, file))) taken.push(file);
  if (taken.length === 0) return;
  throw new UsageError(
    `${fromHere(dir)} has ${taken.join(", ")} already; nothing was written`,
    "windlass init NEW_FOLDER makes a workspace elsewhere",
  );
}

async function writeAll(dir: string, files: Readonly<Record<string, string>>): Promise<string[]> {
  try {
    for (const [file, text] of Object.entries(files)) {
      await mkdir(dirname(join(dir, file)), { recursive: true });
      // A sample that came into being meanwhile is not overwritten either; the schemas are ours to renew.
      await writeFile(join(dir, file), text, { flag: Object.hasOwn(sampleFiles, file) ? "wx" : "w" });
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw fail(`the workspace could not be written: ${why}`, { cause: error });
  }
  return Object.keys(files);
}

/** Adds the data folder to .gitignore, where it is not there yet. */
async function ignoreData(dir: string): Promise<boolean> {
  const path = join(dir, ".gitignore");
  const before = (await exists(path)) ? await readFile(path, "utf8") : "";
  if (/^\/?\.windlass\/?\s*$/m.test(before)) return false;
  const gap = before === "" || before.endsWith("\n") ? "" : "\n";
  await writeFile(path, `${before}${gap}.windlass/\n`);
  return true;
}
