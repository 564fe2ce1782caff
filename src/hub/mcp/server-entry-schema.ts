import type { JsonSchema } from "../../schema/index.ts";

const text = { type: "string", minLength: 1 };
const texts = { type: "array", items: text };
const plain = { title: "text", type: ["string", "number", "boolean"] };
const plainMap = { type: "object", additionalProperties: plain };
const flag = { type: "boolean" };

/** What an entry of `mcpServers` may say. Keys that are unknown are warned about and do no harm. */
export const serverShape: JsonSchema = {
  title: "a map, such as { command, args }",
  type: "object",
  properties: {
    type: {
      enum: ["stdio", "http", "sse", "streamable-http", "streamableHttp", "streamable_http"],
      description: "How it is reached; told by command or url where absent.",
    },
    command: { ...text, description: "The program to start. No shell is involved." },
    args: { type: "array", items: { type: "string" }, description: "Its arguments, one by one." },
    env: { ...plainMap, description: "Environment variables of the program." },
    cwd: { ...text, description: "The folder it starts in; the workspace where absent." },
    url: { ...text, description: "The address of a server elsewhere." },
    headers: { ...plainMap, description: "HTTP headers sent with everything." },
    oauth: {
      type: "object",
      properties: { clientId: text, clientSecret: text, scope: text },
      description: "As what to log in, where the server does not register whoever comes.",
    },
    disabled: { ...flag, description: "Leave it out." },
    timeout: { type: "number", exclusiveMinimum: 0, description: "Seconds that a call of a tool may take." },
    tools: {
      type: "object",
      properties: { allow: texts, deny: texts },
      additionalProperties: false,
      description: "Which tools are offered, by name; * stands for any part.",
    },
    effects: {
      type: "object",
      additionalProperties: { enum: ["pure", "read", "idempotent", "once"] },
      description: "May a tool run again? By name; goes before what the server says.",
    },
    capabilities: {
      title: "a list of capabilities, or a map from tools to such lists",
      anyOf: [texts, { type: "object", additionalProperties: texts }],
      description: "What its tools can stand in for.",
    },
    trust: {
      enum: ["first", "ask", "all"],
      description: "Take the first definitions (first), ask about them too (ask), or take every change (all).",
    },
  },
};

/** The keys of {@link serverShape}. */
export const serverKeys: readonly string[] = Object.keys(serverShape["properties"] as object);

/** Keys of other programs that mean one of ours. */
export const sameKeys: ReadonlyMap<string, string> = new Map([
  ["serverUrl", "url"],
  ["httpUrl", "url"],
  ["transport", "type"],
  ["transportType", "type"],
  ["environment", "env"],
  ["workingDirectory", "cwd"],
]);

/** Keys of other programs that mean nothing here, and what to do instead; empty where nothing has to be done. */
export const foreignKeys: ReadonlyMap<string, string> = new Map([
  ["alwaysAllow", "write rules into `permissions` of windlass.yaml"],
  ["autoApprove", "write rules into `permissions` of windlass.yaml"],
  ["disabledTools", 'write "tools": { "deny": [ … ] }'],
  ["excludeTools", 'write "tools": { "deny": [ … ] }'],
  ["includeTools", 'write "tools": { "allow": [ … ] }'],
  ["enabled", 'write "disabled": true to leave the server out'],
  ["envFile", "name the values under `secrets` of windlass.yaml, and write ${secret.NAME} into env"],
  ["headersHelper", "name the value under `secrets` of windlass.yaml, and write ${secret.NAME} into headers"],
  ["dev", ""],
  ["description", ""],
  ["name", ""],
  ["icon", ""],
  ["gallery", ""],
  ["version", ""],
  ["$schema", ""],
]);
