import { stat } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { findWorkspace, pathExists, workspaceFile } from "../../app/index.ts";
import type { Invocation } from "../program/invocation.ts";

/**
 * Enters the workspace of a chain file that is in another workspace, as `-C` does: its tools and runs are there. A file
 * outside of any workspace runs in the current one.
 */
export async function enterChainWorkspace(invocation: Invocation, at: number): Promise<Invocation> {
  const file = resolve(invocation.words[at] ?? "");
  const dir = await findWorkspace(dirname(file));
  const isOfWorkspace = await pathExists(join(dir, workspaceFile));
  if (!isOfWorkspace || dir === (await findWorkspace(".")) || !(await isFile(file))) return invocation;
  const input = invocation.text("input");
  // Other paths of the command line stay relative to the folder in which it was typed.
  const typed = input?.startsWith("@") === true ? `@${resolve(input.slice(1))}` : input;
  const entered = join(invocation.dir ?? "", relative(".", dir));
  process.chdir(dir);
  return {
    ...invocation,
    words: invocation.words.with(at, relative(dir, file)),
    dir: entered,
    text: (name) => (name === "input" ? typed : invocation.text(name)),
  };
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() === true;
}
