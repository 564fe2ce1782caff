import { join } from "node:path";
import { openMcp, readSecrets } from "../app/index.ts";
import { type Hub, hasMcpConfig, loadContracts, loadSkills } from "../hub/index.ts";
import { createDoor } from "../net/index.ts";
import type { Problem } from "../text/index.ts";
import { ToolRegistry } from "../tool/index.ts";
import { type Setting, offerBuiltins } from "./check-world.ts";

/** What tools are registered in, and chosen by. */
export interface CheckedInto {
  readonly registry: ToolRegistry;
  readonly hub: Hub;
}

/**
 * Registers what skills and MCP servers offer, and reads the contracts of capabilities. Nobody is connected to: of a
 * server its tools are known from before, or not at all. Gives what is wrong with the files.
 */
export async function loadOtherSources(setting: Setting, { registry, hub }: CheckedInto): Promise<readonly Problem[]> {
  const { dir, config } = setting;
  const contracts = await loadContracts(join(dir, config.capabilities.directory), dir);
  hub.setContracts(contracts.contracts);
  return [
    ...(await skillProblems(setting, registry)),
    ...(hasMcpConfig(dir) ? await serverProblems(setting, registry) : []),
    ...contracts.problems,
  ];
}

async function skillProblems({ dir, config, onSlowLoad }: Setting, registry: ToolRegistry) {
  const { createSkillFolder } = await loadSkills();
  const executors = new ToolRegistry();
  executors.offer(await offerBuiltins());
  const { directory, code, trustAllowedTools } = config.skills;
  const folder = createSkillFolder({
    dir: join(dir, directory),
    root: dir,
    registry,
    executors,
    code,
    trustAllowedTools,
    secretNames: Object.keys(config.secrets),
    onSlowLoad,
  });
  await folder.load();
  await folder.close();
  return folder.problems();
}

async function serverProblems({ dir, config }: Setting, registry: ToolRegistry): Promise<readonly Problem[]> {
  const { env } = process;
  const secrets = await readSecrets(config.secrets, dir, env);
  const door = createDoor();
  const { declared } = config.capabilities;
  const { source } = await openMcp({ dir, config, env, secrets, door, declared, registry, log: () => undefined });
  await source.load();
  await source.close();
  await door.close();
  return source.problems();
}
