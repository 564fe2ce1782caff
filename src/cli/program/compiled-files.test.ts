import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CompiledFiles } from "./compiled-files.ts";

let dir: string;
let cache: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "windlass-compiled-"));
  cache = join(dir, "cache");
  writeFileSync(
    join(dir, "main.cjs"),
    `const { sep } = require("node:path"); const { twice } = require("./other.cjs");
     exports.answer = () => twice(21); exports.sep = sep; exports.position = [__filename, __dirname];
     exports.tool = (url) => require.import(url);`,
  );
  writeFileSync(join(dir, "other.cjs"), "exports.twice = (n) => n * 2; exports.main = () => require('./main.cjs');");
});

afterEach(() => rmSync(dir, { recursive: true }));

interface Main {
  readonly answer: () => number;
  readonly sep: string;
  readonly position: readonly string[];
  readonly tool: (url: string) => Promise<object>;
}

function filesOf(at: string | undefined = cache): CompiledFiles {
  return new CompiledFiles({ dir, cache: at });
}

/** The files above export this. */
function mainOf(files: CompiledFiles): Main {
  return files.load("main.cjs") as Main;
}

/** Number of runs that have added to the cache. */
function runsStored(): unknown {
  const [line = ""] = readFileSync(cache, "latin1").split("\n", 1);
  return (JSON.parse(line) as { runs: unknown }).runs;
}

describe("files that an earlier run compiled", () => {
  test("return the same results as when they were compiled", () => {
    const first = filesOf();
    expect(mainOf(first).answer()).toBe(42);
    first.keep();
    const main = mainOf(filesOf());
    expect(main.answer()).toBe(42);
    expect(main.sep).toBe(join("a", "b")[1]);
    expect(main.position).toEqual([join(dir, "main.cjs"), dir]);
  });

  test("are loaded once, even if they require each other", () => {
    const files = filesOf();
    const { main } = files.load("other.cjs") as { main: () => object };
    expect(main()).toBe(files.load("main.cjs"));
  });

  test("import modules from anywhere", async () => {
    const file = join(dir, "tool.mjs");
    writeFileSync(file, "export const name = 'tool';");
    expect(await mainOf(filesOf()).tool(`file://${file}`)).toMatchObject({ name: "tool" });
  });
});

describe("the cache", () => {
  test("is extended by the first few runs, and after that only by runs that load something new", () => {
    for (let run = 1; run <= 8; run++) {
      const files = filesOf();
      files.load("other.cjs");
      files.keep();
    }
    expect(runsStored()).toBe(5);
    const files = filesOf();
    mainOf(files).answer();
    files.keep();
    expect(runsStored()).toBe(6);
  });

  test("is readable only by the user, and no other files remain beside it", () => {
    const files = filesOf();
    mainOf(files);
    files.keep();
    expect(statSync(cache).mode & 0o777).toBe(process.platform === "win32" ? 0o666 : 0o600);
    expect(readdirSync(dir).toSorted()).toEqual(["cache", "main.cjs", "other.cjs"]);
  });

  test.each(["", "no cache at all", '{"runs":1,"files":[["main.cjs",100]]}\nshort', '{"runs":1}\n'])(
    "is recreated if it cannot be used: %j",
    (content) => {
      writeFileSync(cache, content);
      const files = filesOf();
      expect(mainOf(files).answer()).toBe(42);
      files.keep();
      expect(runsStored()).toBeGreaterThanOrEqual(1);
      expect(mainOf(filesOf()).answer()).toBe(42);
    },
  );

  test("may be missing, and its folder too", () => {
    for (const at of [undefined, join(dir, "nowhere", "cache"), join(dir, "main.cjs", "cache")]) {
      const files = filesOf(at);
      expect(mainOf(files).answer()).toBe(42);
      files.keep();
    }
  });
});
