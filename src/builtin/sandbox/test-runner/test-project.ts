import { quoteText } from "../../../text/index.ts";
import type { SandboxFile } from "../run-sandboxed.ts";
import { sandboxFailure } from "../sandbox-reasons.ts";

/** Languages whose tests can be run. */
export type TestLanguage = "javascript" | "typescript" | "python";

/** A text file of code or tests. */
export interface CodeFile {
  readonly path: string;
  readonly content: string;
}

/** Code as several files, as code_generator returns it. */
export interface CodeFiles {
  readonly language?: string;
  readonly files: readonly CodeFile[];
  readonly tests?: readonly CodeFile[];
}

/** Code and tests of a request. */
export interface TestRequest {
  readonly code: string | CodeFiles;
  readonly tests?: string | readonly CodeFile[];
  readonly language?: string;
}

/** Files to put into the sandbox, and the ones to run. */
export interface TestProject {
  readonly language: TestLanguage;
  readonly files: readonly SandboxFile[];
  /** Paths of the files with tests. */
  readonly tests: readonly string[];
}

const names: ReadonlyMap<string, TestLanguage> = new Map([
  ...["javascript", "js", "node", "nodejs", "node.js", "ecmascript"].map((name) => [name, "javascript"] as const),
  ...["typescript", "ts"].map((name) => [name, "typescript"] as const),
  ...["python", "py", "python3"].map((name) => [name, "python"] as const),
]);

const endings: readonly (readonly [RegExp, TestLanguage])[] = [
  [/\.[cm]?ts$/i, "typescript"],
  [/\.[cm]?js$/i, "javascript"],
  [/\.py$/i, "python"],
];

/** Paths of code and tests that are passed as text; tests import the code by these names. */
export const textPaths: Readonly<Record<TestLanguage, { readonly code: string; readonly tests: string }>> = {
  javascript: { code: "main.js", tests: "main.test.js" },
  typescript: { code: "main.ts", tests: "main.test.ts" },
  python: { code: "main.py", tests: "test_main.py" },
};

const testName = /(?:^|\/)(?:test_[^/]*\.py|[^/]*_test\.py|[^/]*[.-](?:test|spec)\.[cm]?[jt]s)$/i;

/** True if a file with this path is named like a test. */
export function isTestName(path: string): boolean {
  return testName.test(path);
}

/** Arranges code and tests as files. Without separate tests, files named like tests are run, else all of them. */
export function testProject({ code, tests, language: text }: TestRequest): TestProject {
  const input = typeof code === "string" ? undefined : code;
  const listed = Array.isArray(tests) ? (tests as readonly CodeFile[]) : [];
  const extra = [...(input?.tests ?? []), ...listed];
  const language = languageOf(text ?? input?.language, [...(input?.files ?? []), ...extra]);
  const paths = textPaths[language];
  const codeFiles = typeof code === "string" ? [{ path: paths.code, content: code }] : code.files;
  const testFiles = typeof tests === "string" ? [...extra, { path: paths.tests, content: tests }] : extra;
  const files = [...codeFiles, ...testFiles];
  if (files.length === 0) throw sandboxFailure("bad_files", "there is no code; give it as text or as files");
  return { language, files, tests: testPaths(codeFiles, testFiles, language) };
}

function testPaths(code: readonly CodeFile[], tests: readonly CodeFile[], language: TestLanguage): string[] {
  const own = tests.filter(({ path }) => isCode(path, language));
  const named = code.filter(({ path }) => isTestName(path));
  const chosen =
    own.length > 0 ? [...own, ...named] : named.length > 0 ? named : code.filter(({ path }) => isCode(path, language));
  return [...new Set(chosen.map(({ path }) => path.replace(/^(?:\.?\/)+/, "")))];
}

/** A test may come with data files. */
function isCode(path: string, language: TestLanguage): boolean {
  const found = endings.find(([ending]) => ending.test(path))?.[1];
  return found !== undefined && (found === "python") === (language === "python");
}

function languageOf(text: string | undefined, files: readonly CodeFile[]): TestLanguage {
  if (text !== undefined && text.trim() !== "") {
    const known = names.get(text.trim().toLowerCase());
    if (known !== undefined) return known;
    const message = `tests in ${quoteText(text)} cannot be run; use JavaScript, TypeScript or Python`;
    throw sandboxFailure("unknown_language", message);
  }
  for (const { path } of files) {
    const found = endings.find(([ending]) => ending.test(path))?.[1];
    if (found !== undefined) return found;
  }
  return "javascript";
}
