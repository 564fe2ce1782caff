export * from "./conversation-history.ts";
export * from "./conversation-history-tool.ts";
export * from "./memory-service.ts";
export * from "./memory-forget-tool.ts";
export * from "./memory-recall-tool.ts";
export * from "./memory-store-tool.ts";
