export { ChainFolder } from "./chain-folder.ts";
export { pathExists, findWorkspace, workspaceFile } from "./find-workspace.ts";
export { findIgnoredFiles } from "./ignored-files.ts";
export { loadChain } from "./load-chain.ts";
export type { WorkspaceAgentOptions } from "./open-agents.ts";
export { type OpenedMcp, openMcp } from "./open-mcp.ts";
export {
  type TrustOptions,
  type TrustRequest,
  type WorkspaceTrust,
  grantTrust,
  openTrust,
  reviewTrust,
} from "./open-trust.ts";
export { trustNewWorkspace } from "./trust-new-workspace.ts";
export { trustFailure } from "./trust-reasons.ts";
export { storeTrustDecision } from "./trust-store.ts";
export type { TrustItem, TrustKind } from "./trust-item.ts";
export { openWorkspace } from "./open-workspace.ts";
export { type Workspace, WorkspaceError, type WorkspaceOptions, isWorkspaceError } from "./workspace.ts";
export { parseWorkspace, plainKeyProblem, workspaceSchema } from "./parse-workspace.ts";
export { planFile } from "./plan-file.ts";
export { readModelKeys, readSecrets } from "./read-secrets.ts";
export { type Settings, readSettings } from "./read-settings.ts";
export { unloadedTool, withUncheckedTools, withUnloadedTools } from "./unloaded-tools.ts";
export { listsTools } from "./unmatched-tool-lists.ts";
export { unmatchedSettings } from "./unmatched-settings.ts";
export { mayBelongToServer, neverConnectedServers, explainMissingTool } from "./never-connected-servers.ts";
export type { SecretSource, WorkspaceConfig } from "./workspace-config.ts";
export { toolFileNames } from "./tool-file-names.ts";
