export { ChainFolder } from "./chain-folder.ts";
export { exists, findWorkspace, workspaceFile } from "./find-workspace.ts";
export { loadChain } from "./load-chain.ts";
export { type Workspace, WorkspaceError, type WorkspaceOptions, openWorkspace } from "./open-workspace.ts";
export { planFile } from "./plan-file.ts";
export { readSettings } from "./read-settings.ts";
export { unmatchedRules } from "./unmatched-rules.ts";
export { type SecretSource, type WorkspaceConfig, parseSize, parseWorkspace } from "./workspace-config.ts";
export { workspaceSchema } from "./workspace-schema.ts";
