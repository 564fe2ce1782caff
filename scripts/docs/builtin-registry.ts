import { globSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type BuiltinServices, createBuiltinServices } from "../../src/builtin/services.ts";
import { writingFileNames } from "../../src/builtin/writing/read-writing-file.ts";
import { writingTool } from "../../src/builtin/writing/writing-tools.ts";
import { createHttpClient } from "../../src/net/index.ts";
import { type AnyTool, isTool } from "../../src/tool/index.ts";

const folder = fileURLToPath(new URL("../../src/builtin/", import.meta.url));

/** A tool, the code that makes it, and the import that the code needs. */
interface Declared {
  readonly tool: AnyTool;
  readonly make: string;
  readonly from: string;
}

/** A capability that several tools serve uses the first of them: these come before the others, in this order. */
const first: readonly string[] = [
  "read_file",
  "write_file",
  "memory_store",
  "memory_recall",
  "index_vault",
  "local_search",
  "read_note",
];

function rankOf({ tool }: Declared): number {
  const rank = first.indexOf(tool.name);
  return rank === -1 ? first.length : rank;
}

/** Renders the list of the built-in tools, from the files that declare them. */
export async function builtinRegistry(): Promise<string> {
  const http = createHttpClient();
  const services = createBuiltinServices({ http });
  const files = globSync("**/*-tool.ts", { cwd: folder }).toSorted();
  const all = await Promise.all(files.map((file) => declaredIn(file, services)));
  await http.close();
  const forms = new Set(all.flatMap(({ tool }) => Object.keys(tool.forms ?? {})));
  const declared = all.filter(({ tool }) => !forms.has(tool.name));
  declared.push(...writtenTools(services, new Set(declared.map(({ tool }) => tool.name))));
  declared.sort((a, b) => rankOf(a) - rankOf(b));
  return `// Generated from the files *-tool.ts and tool-files/*.yaml of this folder by npm run docs.
import type { AnyTool, ToolOffer } from "../tool/index.ts";
${[...new Set(declared.map(({ from }) => from))].join("\n")}
import type { BuiltinServices } from "./services.ts";

/** A built-in tool: its names, which are known without loading it, and how it is made. */
type Builtin = Omit<ToolOffer, "make"> & { readonly make: (services: BuiltinServices) => AnyTool };

/** Every built-in tool. */
export const builtinRegistry: readonly Builtin[] = [
${declared.map(entry).join("\n")}
];
`;
}

function entry({ make, tool }: Declared): string {
  const names = `name: "${tool.name}", aliases: ${list(tool.aliases)}, forms: ${list(Object.keys(tool.forms ?? {}))}`;
  return `  { ${names}, make: ${make} },`;
}

function list(texts: readonly string[]): string {
  return `[${texts.map((text) => JSON.stringify(text)).join(", ")}]`;
}

async function declaredIn(file: string, services: BuiltinServices): Promise<Declared> {
  const module = (await import(`${folder}${file}`)) as Readonly<Record<string, unknown>>;
  const [[name, value] = [], ...others] = Object.entries(module).filter(([key]) => key.endsWith("Tool"));
  if (name === undefined || others.length > 0)
    throw new Error(
      `src/builtin/${file}: export one tool, or one function that makes it, with a name that ends in Tool`,
    );
  const isMade = typeof value !== "function";
  const tool: unknown = isMade ? value : value(services);
  if (!isTool(tool)) throw new Error(`src/builtin/${file}: ${name} is not a tool`);
  const make = isMade ? `() => ${name}` : `(services) => ${name}(services)`;
  return { tool, make, from: `import { ${name} } from "./${file}";` };
}

/** The writing tools whose files need no code of their own. */
function writtenTools(services: BuiltinServices, known: ReadonlySet<string>): Declared[] {
  return writingFileNames()
    .filter((name) => !known.has(name))
    .toSorted()
    .map((name) => ({
      tool: writingTool(name, services),
      make: `(services) => writingTool("${name}", services)`,
      from: 'import { writingTool } from "./writing/writing-tools.ts";',
    }));
}
