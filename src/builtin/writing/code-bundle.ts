import { type Issue, formatPath } from "../../base/index.ts";

/** A file of code. */
export interface CodeFile {
  readonly path: string;
  readonly content: string;
}

/** Code and its tests: the output of `code_generator` and the input of `test_runner`. */
export interface CodeBundle {
  readonly language: string;
  readonly files: readonly CodeFile[];
  readonly tests: readonly CodeFile[];
  readonly notes: string;
}

/** Returns the problems of the paths of a bundle: each must be a distinct file inside the folder. */
export function checkPaths(bundle: Pick<CodeBundle, "files" | "tests">): Issue[] {
  const seen = new Set<string>();
  return (["files", "tests"] as const).flatMap((list) =>
    bundle[list].flatMap(({ path }, at) => {
      const wrong = wrongWith(path, seen);
      seen.add(path.toLowerCase());
      const where = [list, at, "path"];
      return wrong === undefined ? [] : [{ path: where, code: "bad_path", message: `${formatPath(where)} ${wrong}` }];
    }),
  );
}

function wrongWith(path: string, seen: ReadonlySet<string>): string | undefined {
  if (seen.has(path.toLowerCase())) return `is given twice: ${JSON.stringify(path)}`;
  const isPlain = path
    .split("/")
    .every((part) => part !== "" && part !== "." && part !== ".." && !/[\\:*?"<>|\p{Cc}]/u.test(part));
  return isPlain
    ? undefined
    : `must be a relative path with forward slashes and without "..", got ${JSON.stringify(path)}`;
}

/** Returns the value as a bundle if it has that shape, regardless of its origin. */
export function readBundle(value: unknown): CodeBundle | undefined {
  if (typeof value !== "object" || value === null || !("files" in value)) return undefined;
  const { files, tests, language, notes } = value as Record<string, unknown>;
  const [code, checks] = [asFiles(files), asFiles(tests ?? [])];
  if (code === undefined || checks === undefined) return undefined;
  return { language: textOrUndefined(language), files: code, tests: checks, notes: textOrUndefined(notes) };
}

function textOrUndefined(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function asFiles(value: unknown): CodeFile[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.every(isFile) ? value.map(({ path, content }) => ({ path, content })) : undefined;
}

function isFile(value: unknown): value is CodeFile {
  if (typeof value !== "object" || value === null || !("path" in value) || !("content" in value)) return false;
  return typeof value.path === "string" && typeof value.content === "string";
}

/** Completes the output of `code_fixer` with files that the model omitted; a test stays a test in either list. */
export function mergeFix(before: CodeBundle | undefined, fixed: CodeBundle): CodeBundle {
  if (before === undefined) return fixed;
  const testPaths = new Set([...before.tests, ...fixed.tests].map(({ path }) => path));
  const isTest = ({ path }: CodeFile): boolean => testPaths.has(path);
  const changed = [...fixed.files, ...fixed.tests];
  return {
    ...fixed,
    language: before.language === "" ? fixed.language : before.language,
    files: mergeFiles(
      before.files,
      changed.filter((file) => !isTest(file)),
    ).filter((file) => !isTest(file)),
    tests: mergeFiles(before.tests, changed.filter(isTest)),
  };
}

/** Returns the previous files, with changed ones replaced and new ones at the end. */
function mergeFiles(before: readonly CodeFile[], changed: readonly CodeFile[]): CodeFile[] {
  const byPath = new Map([...before, ...changed].map((file) => [file.path, file]));
  return [...byPath.values()];
}
