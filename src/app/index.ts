export { exists, findWorkspace, workspaceFile } from "./find-workspace.ts";
export { type Workspace, WorkspaceError, type WorkspaceOptions, openWorkspace } from "./open-workspace.ts";
export {
  type SecretSource,
  type WorkspaceConfig,
  defaultConfig,
  parseSize,
  parseWorkspace,
} from "./workspace-config.ts";
export { workspaceSchema } from "./workspace-schema.ts";
