/** Under this name a run asks its model. No tool can have it. */
export const modelTool = "model:turn";
