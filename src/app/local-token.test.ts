import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readFile, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createDataFolder } from "../base/index.ts";
import { localToken, readLocalToken } from "./local-token.ts";

let dir = "";
beforeEach(async () => void (dir = await mkdtemp(join(tmpdir(), "windlass-local-"))));
afterEach(() => rm(dir, { recursive: true, force: true }));
const file = (): string => join(dir, ".windlass/token");

test("the first server creates the token, for this user only; later ones read it [P06]", async () => {
  expect(readLocalToken(dir)).toBeUndefined();
  const token = localToken(dir);
  expect(token).toMatch(/^wlt_local_[\w-]{43}$/);
  expect((await stat(file())).mode & 0o777).toBe(0o600);
  expect([localToken(dir), readLocalToken(dir)]).toEqual([token, token]);
  expect((await readdir(join(dir, ".windlass"))).toSorted()).toEqual([".gitignore", "origin", "token"]);
});

test("a file that others can read, a link and another text are replaced [P06]", async () => {
  const first = localToken(dir);
  await chmod(file(), 0o644);
  expect(readLocalToken(dir)).toBeUndefined();
  const second = localToken(dir);
  expect(second).not.toBe(first);
  await writeFile(file(), "guessable\n");
  const third = localToken(dir);
  expect(third).toMatch(/^wlt_local_/);
  await rm(file());
  await writeFile(join(dir, "elsewhere"), `${first}\n`, { mode: 0o600 });
  await symlink(join(dir, "elsewhere"), file());
  expect(readLocalToken(dir)).toBeUndefined();
  expect(localToken(dir)).not.toBe(first);
  expect(await readFile(join(dir, "elsewhere"), "utf8")).toBe(`${first}\n`);
});

test("a token that came with the folder is not used, and nothing is written there [P06]", async () => {
  await mkdir(join(dir, ".windlass"));
  const planted = `wlt_local_${"a".repeat(43)}`;
  await writeFile(file(), `${planted}\n`, { mode: 0o600 });
  expect(readLocalToken(dir)).toBeUndefined();
  expect(localToken(dir)).not.toBe(planted);
  expect(await readFile(file(), "utf8")).toBe(`${planted}\n`);
});

test("servers that start at the same time agree on one token [P06]", () => {
  createDataFolder(join(dir, ".windlass"));
  const module = JSON.stringify(new URL("local-token.ts", import.meta.url).href);
  const script = `
    import { fork } from "node:child_process";
    if (process.send !== undefined) {
      const { localToken } = await import(${module});
      process.send("ready");
      process.once("message", () => process.send(localToken(${JSON.stringify(dir)}), () => process.exit()));
    } else {
      const children = Array.from({ length: 6 }, () => fork(process.argv[1]));
      const tokens = [];
      let ready = 0;
      for (const child of children) child.on("message", (text) => {
        if (text !== "ready") tokens.push(text);
        else if (++ready === 6) for (const each of children) each.send("go");
        if (tokens.length === 6) console.log(new Set(tokens).size);
      });
    }`;
  const program = join(dir, "starting.mjs");
  writeFileSync(program, script);
  const { stdout, stderr } = spawnSync(process.execPath, [program], { encoding: "utf8" });
  expect({ stdout, stderr }).toEqual({ stdout: "1\n", stderr: "" });
});
