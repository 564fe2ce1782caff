export * from "./skill-catalogue.ts";
export * from "./skill-folder.ts";
export * from "./skill-rules.ts";
export * from "./validate-skill.ts";
