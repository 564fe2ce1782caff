import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll } from "vitest";
import {
  type ModelServer,
  type ReceivedRequest,
  type Script,
  type ModelServerResponse,
  modelServer,
} from "../../src/testing.ts";
import { type Run, windlass } from "../cli/windlass.ts";

/** A folder for each version whose state is pinned: its workspace, and the `.windlass` that this version wrote. */
export const pins: string = resolve(import.meta.dirname, "../fixtures/pins");

const folders: string[] = [];
const servers: ModelServer[] = [];
afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()));
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
});

/** A copy of the files that a user of an earlier version has on disk. */
export interface PinnedWorkspace {
  readonly cwd: string;
  /** Runs the current program over it. */
  readonly run: (...words: string[]) => Promise<Run>;
  /** The lines that handlers have written since the state was created. */
  readonly effects: () => Promise<string[]>;
}

/** Copies the state of a version to a new folder; `script` answers the model requests. */
export function openPinned(
  version: string,
  script: Script<ReceivedRequest, ModelServerResponse> = [],
): Promise<PinnedWorkspace> {
  return openState(join(pins, version), script);
}

/** Copies the workspace and the state of a fixture to a new folder; `script` answers the model requests. */
export async function openState(
  fixture: string,
  script: Script<ReceivedRequest, ModelServerResponse> = [],
): Promise<PinnedWorkspace> {
  const cwd = await mkdtemp(join(tmpdir(), "windlass-pinned-"));
  folders.push(cwd);
  await cp(join(fixture, "workspace"), cwd, { recursive: true });
  await cp(join(fixture, "state"), join(cwd, ".windlass"), { recursive: true });
  const server = await modelServer(script);
  servers.push(server);
  const env = { WINDLASS_MODEL: "test", WINDLASS_MODEL_BASE_URL: server.baseUrls.openai };
  const lines = async (): Promise<string[]> =>
    (await readFile(join(cwd, "effects.log"), "utf8")).split("\n").slice(0, -1);
  const before = (await lines()).length;
  return {
    cwd,
    run: (...words) => windlass(words, { cwd, env }),
    effects: async () => (await lines()).slice(before),
  };
}
