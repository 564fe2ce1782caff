import { defaultModel } from "../model/index.ts";
import type { ToolFileDeps } from "../hub/index.ts";
import type { WorkspaceTrust } from "./open-trust.ts";
import type { WorkspaceConfig } from "./workspace-config.ts";

/** The names that tool files of a workspace may use. */
export function toolFileNames(
  { secrets, models }: WorkspaceConfig,
  { withheldModels }: Pick<WorkspaceTrust, "withheldModels">,
): Required<Pick<ToolFileDeps, "secretNames" | "modelNames">> {
  return {
    secretNames: Object.keys(secrets),
    modelNames: [defaultModel, ...Object.keys(models), ...withheldModels.keys()],
  };
}
