import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { atTerminal, hasTerminal } from "./at-terminal.ts";
import { codeTool, folder, windlass } from "./windlass.ts";

const notes = Object.fromEntries(
  Array.from({ length: 300 }, (_, at) => [`notes/${at}.md`, `# Note ${at}\n\nTides come at noon, ${at}.\n`]),
);

const counting = codeTool(
  "count",
  `export default async (_args, { progress }) => {
  progress("begins");
  for (let done = 1; done <= 4; done++) progress({ done, total: 4 });
  return "counted";
};`,
);

test.runIf(hasTerminal)("[U10] at a terminal, call shows progress on one line with a bar, and no JSON", async () => {
  const cwd = await folder({ "windlass.yaml": "", ...counting });
  const { screen, code } = await atTerminal("call count", cwd);
  expect(code).toBe(0);
  const drawn = screen.split("\r\u001b[K").map((line) => stripVTControlCharacters(line));
  expect(drawn[0]).toBe("· begins\n");
  expect(drawn.some((line) => line.startsWith("count ███████████████░░░░░ 75 % (3 of 4), "))).toBe(true);
  expect(screen).not.toContain('{"done"');
  // The line is cleared before the result.
  expect(drawn.at(-1)).toBe('"counted"\n');
});

test("[U10] indexing reports the total, and lines of JSON where no terminal is", async () => {
  const cwd = await folder({ "windlass.yaml": "vault: notes\n", ...notes });
  const { stdout, stderr } = await windlass(["call", "indexVault"], { cwd });
  expect(JSON.parse(stdout)).toMatchObject({ added: 300 });
  expect(stderr).toMatch(/^· \{"seen":\d+,"indexed":\d+(?:,"total":300)?\}$/m);
});

test("[U10] the first prompt of the notes runner says that it indexes, a later one does not", async () => {
  const cwd = await folder({ "windlass.yaml": "vault: notes\n", ...notes });
  const prompted = (prompt: string) => windlass(["ask", prompt, "--runner", "vault"], { cwd });
  expect((await prompted("When do tides come?")).stderr).toMatch(/Indexing the notes/);
  expect((await prompted("When do tides come?")).stderr).not.toMatch(/Indexing the notes/);
  const other = await folder({ "windlass.yaml": "vault: notes\n", ...notes });
  const chinese = await windlass(["ask", "潮汐什么时候来？", "--runner", "vault"], { cwd: other });
  expect(chinese.stderr).toMatch(/正在索引笔记/);
});
