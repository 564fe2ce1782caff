import { agentsGroup, approvalsGroup, runsGroup } from "./specs/runs.ts";
import { authoringGroup } from "./specs/authoring.ts";
import { maintenanceGroup, recordsGroup } from "./specs/maintenance.ts";
import { serverGroup } from "./specs/server.ts";
import { runGroup } from "./specs/run.ts";
import type { CommandGroup, OptionSpec } from "../program/command-spec.ts";

/** Option of every command. */
export const dirOption: OptionSpec = {
  flags: "-C, --dir DIR",
  about: "run as if started in this folder",
  completes: "folder",
};

/** Option of every command that trusts the workspace, once. */
export const trustOption: OptionSpec = {
  flags: "--trust",
  about: "trust the workspace for this command: run its code, start its servers, send its secrets",
};

/** Option of the commands that can work on a server. */
export const serverOption: OptionSpec = {
  flags: "--server URL",
  about: "work on the workspace of this server (default: WINDLASS_SERVER), with the token in WINDLASS_TOKEN",
};

/** All commands, in the groups and order of the help. */
export const commandGroups: readonly CommandGroup[] = [
  runGroup,
  agentsGroup,
  authoringGroup,
  runsGroup,
  recordsGroup,
  approvalsGroup,
  serverGroup,
  maintenanceGroup,
];
