import type { JsonSchema } from "../../schema/index.ts";
import { targetKinds } from "../../tool/index.ts";

const text = { type: "string", minLength: 1 };
const texts = { type: "array", items: text };
const plain = { title: "text", type: ["string", "number", "boolean"] };
const plainMap = { type: "object", additionalProperties: plain };
const flag = { type: "boolean" };

/** Schema of an entry of `mcpServers`. Unknown keys produce a warning and are ignored. */
export const serverEntrySchema: JsonSchema = {
  title: "a map, such as { command, args }",
  type: "object",
  properties: {
    type: {
      enum: ["stdio", "http", "sse", "streamable-http", "streamableHttp", "streamable_http"],
      description: "Transport. Default: follows from command or url.",
    },
    command: { ...text, description: "The program to start. No shell is involved." },
    args: { type: "array", items: { type: "string" }, description: "Its arguments, one by one." },
    env: { ...plainMap, description: "Environment variables of the program." },
    cwd: { ...text, description: "Working directory of the program. Default: the workspace." },
    url: { ...text, description: "The address of a server elsewhere." },
    headers: { ...plainMap, description: "HTTP headers sent with everything." },
    oauth: {
      type: "object",
      properties: { clientId: text, clientSecret: text, scope: text },
      description: "OAuth client, if the server does not support dynamic registration.",
    },
    disabled: { ...flag, description: "Leave it out." },
    timeout: {
      type: "number",
      exclusiveMinimum: 0,
      maximum: 86_400,
      description: "Seconds that a call of a tool may take.",
    },
    tools: {
      type: "object",
      properties: { allow: texts, deny: texts },
      additionalProperties: false,
      description: "Offered tools, by name; * matches any part.",
    },
    effects: {
      type: "object",
      additionalProperties: { enum: ["pure", "read", "idempotent", "once"] },
      description: "Effects of tools, by name: whether a call may be repeated. Overrides the server's annotations.",
    },
    targets: {
      type: "object",
      additionalProperties: { type: "object", additionalProperties: { enum: targetKinds } },
      description:
        "Parameters that decide what a call acts on, by tool: { fetch: { address: url } }. " +
        "A call needs approval if untrusted content decides them. Parameters with the format uri need no entry.",
    },
    capabilities: {
      title: "a list of capabilities, or a map from tools to such lists",
      anyOf: [texts, { type: "object", additionalProperties: texts }],
      description: "Capabilities of its tools.",
    },
    trust: {
      enum: ["first", "ask", "all"],
      description:
        "Accept the first definitions (first), require approval for them too (ask), or accept every change (all).",
    },
  },
};

/** The keys of {@link serverEntrySchema}. */
export const serverEntryKeys: readonly string[] = Object.keys(serverEntrySchema["properties"] as object);

/** Keys of other programs, and the keys here that mean the same. */
export const serverKeyAliases: ReadonlyMap<string, string> = new Map([
  ["serverUrl", "url"],
  ["httpUrl", "url"],
  ["transport", "type"],
  ["transportType", "type"],
  ["environment", "env"],
  ["workingDirectory", "cwd"],
]);

/** Keys of other programs without a meaning here, and what to do instead; empty if nothing has to be done. */
export const unsupportedServerKeys: ReadonlyMap<string, string> = new Map([
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
