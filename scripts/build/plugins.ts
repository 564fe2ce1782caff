/** Plugins of the build. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Plugin } from "rolldown";
import { minifySync } from "rolldown/utils";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Packages that `loadPackage` loads, with the names of their files in dist/. */
export const packages = {
  yaml: "yaml",
  re2js: "re2js",
  ajv: "ajv",
  "ajv/dist/2020.js": "ajv-2020",
  "json-p3": "json-p3",
  "jsonc-parser": "jsonc-parser",
} as const;

/** Replaces src/base/load-package.ts. */
const loadPackage = `const files = ${JSON.stringify(packages)};
export const loadPackage = (name) => require("./" + files[name] + ".cjs");
`;

/** Replaces src/base/import-module.ts. `require.import` exists in files that src/cli/program/compiled-files.ts loads. */
const importModule = "export const importModule = (url) => (require.import ? require.import(url) : import(url));";

export const standIns: Plugin = {
  name: "stand-ins",
  load: (id) => {
    if (id.endsWith("src/base/load-package.ts")) return { code: loadPackage, moduleType: "js" };
    return id.endsWith("src/base/import-module.ts") ? { code: importModule, moduleType: "js" } : undefined;
  },
};

/**
 * Every entry is a module of its own that only exports: its file then exports what the source does and nothing else,
 * while the code itself is in files that all entries share.
 */
export const entryModules: Plugin = {
  name: "entry-modules",
  resolveId: (id) => (id.startsWith("entry:") ? `\0${id}` : undefined),
  load: (id) =>
    id.startsWith("\0entry:")
      ? { code: `export * from ${JSON.stringify(join(root, "src", id.slice("\0entry:".length)))};`, moduleType: "js" }
      : undefined,
};

/**
 * LangChain recognizes messages by class, and has one copy for `import` and one for `require`. The ES module of the entry
 * imports the copy that users import, and passes it on in this file.
 */
export const peersFile: string = "./peers.cjs";
export const peers: Plugin = {
  name: "peers",
  resolveId: (id) =>
    id === peersFile ? { id, external: true } : id.startsWith("@langchain/") ? `\0peer:${id}` : undefined,
  load: (id) =>
    id.startsWith("\0peer:")
      ? {
          code: `module.exports = require("${peersFile}")[${JSON.stringify(id.slice("\0peer:".length))}];`,
          moduleType: "js",
        }
      : undefined,
};

/** Commander can start other programs as commands. Windlass never does, and loading `child_process` takes a while. */
export const noOtherPrograms: Plugin = {
  name: "no-other-programs",
  resolveId: (id, importer) =>
    id === "node:child_process" && importer?.includes("node_modules/commander/") === true ? "\0nothing" : undefined,
  load: (id) => (id === "\0nothing" ? { code: "export default {};", moduleType: "js" } : undefined),
};

/**
 * Our own files get Node's modules with `process.getBuiltinModule`: an import would read every export, and so load the
 * modules behind lazy exports that are not used.
 */
export const asItIs: string = "\0as-it-is ";
export const nodeAsItIs: Plugin = {
  name: "node-as-it-is",
  // Without a slash, the variables of all of them begin alike.
  resolveId: (id, importer) =>
    id.startsWith("node:") && importer?.startsWith(join(root, "src/")) === true
      ? asItIs + id.replace("/", " ")
      : undefined,
  load: (id) => {
    if (!id.startsWith(asItIs)) return undefined;
    const name = JSON.stringify(id.slice(asItIs.length).replace(" ", "/"));
    return { code: `module.exports = process.getBuiltinModule(${name});`, moduleType: "js" };
  },
};

/** Files that a file loads at once: nearly all files need them, and calls of functions in them are frequent. */
const loadedAtOnce = /^require\("\.\/(?:core|rolldown-runtime)-/;

/** The variables of other files and of Node's modules, as rolldown declares them. */
const required =
  /^(?:const|var) (require_[\w$]+|import__as_it_is_[\w$]+) = (require\("\.\/[^"]+"\)|(?:require_[\w$]+\.)?[\w$]+\(\));$/gm;
const exported = /^exports\.([\w$]+) = (require_[\w$]+\.[\w$]+);$/gm;

/**
 * A file that is loaded on first use. `loaded` is a property and not a method, which could not follow `new`. Its getter
 * is inherited: replacing an own getter by the value would give the object slow properties, and every call of a function
 * in the file would take 3 ns longer.
 */
const loadedLater = `class LoadedLater {
  constructor(load) { this.load = load; }
  get loaded() { const value = this.load(); Object.defineProperty(this, "loaded", { value }); return value; }
}
`;

/**
 * Makes a file load another file, or a module of Node, on the first use of one of its exports. An import of an entry then
 * loads the code of its exports, and not the code that they will need.
 */
export const lazyRequires: Plugin = {
  name: "lazy-requires",
  renderChunk: (code, { fileName }) => {
    const lazy = new Set<string>();
    const declared = code.replaceAll(required, (all, name: string, load: string) => {
      if (loadedAtOnce.test(load)) return all;
      lazy.add(name);
      return `const ${name} = new LoadedLater(() => ${load});`;
    });
    const getter = 'Object.defineProperty(exports, "$1", { enumerable: true, get: () => $2 });';
    const variable = /(?<![\w$])(?:require|import__as_it_is)_[\w$]+(?! =|[\w$])/g;
    const used = declared.replaceAll(exported, getter).replaceAll(variable, (name, at: number, whole: string) => {
      if (!lazy.has(name)) return name;
      if (whole[at + name.length] === ".") return `${name}.loaded`;
      throw new Error(`${fileName} uses ${name} as a value, which cannot be loaded lazily`);
    });
    return lazy.size === 0 ? used : loadedLater + used;
  },
};

/**
 * Exports constants as properties. Rolldown exports everything with getters, which takes longer: when a file is executed,
 * and whenever another file uses an export.
 */
export const plainExports: Plugin = {
  name: "plain-exports",
  renderChunk: (code) =>
    code.replaceAll(
      /^Object\.defineProperty\(exports, "([\w$]+)", \{\s+enumerable: true,\s+get: function \(\) \{\s+return ([\w$]+);\s+\}\s+\}\);$/gm,
      (getter, key: string, name: string) => (isConstant(name, code) ? `exports.${key} = ${name};` : getter),
    ),
};

/** Rolldown declares classes as variables. */
function isConstant(name: string, code: string): boolean {
  const escaped = name.replaceAll("$", "\\$");
  return new RegExp(`^(?:(?:async )?function\\*? |const |var (?=.+ = (?:class|/\\*)))${escaped}(?![\\w$])`, "m").test(
    code,
  );
}

/**
 * Escapes non-ASCII characters: a single one makes V8 store the whole file with two bytes per character, and reading
 * it takes twice as long.
 */
export const asciiOnly: Plugin = {
  name: "ascii-only",
  generateBundle: (_, bundle) => {
    for (const file of Object.values(bundle)) if (file.type === "chunk") file.code = toAscii(file.code, file.fileName);
  },
};

function toAscii(code: string, file: string): string {
  // After a backslash and in raw templates, an escape would change the meaning.
  const unescapable = /(?<!\\)(?:\\\\)*\\[^\0-\x7f]|\braw`(?:[^`\\]|\\.)*[^\0-\x7f`]/su.exec(code);
  if (unescapable !== null)
    throw new Error(`${file}: write the non-ASCII characters as escapes in ${unescapable[0].slice(-60)}`);
  return code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Makes files as small as possible that users never see in a stack trace: packages, and the code of the program. */
export function minifyUnseen(libraries: readonly string[]): Plugin {
  return {
    name: "minify-unseen",
    generateBundle: (_, bundle) => {
      const seen = new Set(libraries.map((name) => `${name}.cjs`));
      for (const name of seen) {
        const file = bundle[name];
        if (file?.type === "chunk") for (const other of [...file.imports, ...file.dynamicImports]) seen.add(other);
      }
      for (const file of Object.values(bundle)) {
        if (file.type !== "chunk") continue;
        const isOurs = file.moduleIds.some((id) => id.startsWith(join(root, "src/")));
        if (isOurs && seen.has(file.fileName)) continue;
        file.code = minifySync(file.fileName, file.code, { module: false }).code;
      }
    },
  };
}
