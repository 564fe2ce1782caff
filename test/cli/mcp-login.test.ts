import { describe, expect, test } from "vitest";
import { httpSite, shakesHands } from "../mcp/http-site.ts";
import { folderWith, writeFiles } from "../support/workspace.ts";
import { windlass } from "./windlass.ts";

const at = (url: string): Record<string, string> => ({ "mcp.json": JSON.stringify({ mcpServers: { docs: { url } } }) });
const open = { "windlass.yaml": "network: { allow: [127.0.0.1] }\n" };

describe("windlass mcp login", () => {
  test("reports that no login is required, and sends no request to an unapproved address", async () => {
    const site = await httpSite((exchange) => {
      if (!shakesHands(exchange)) exchange.result({ tools: [{ name: "t", inputSchema: { type: "object" } }] });
    });
    const cwd = await folderWith({ ...open, ...at(site.url) });
    const letIn = await windlass(["mcp", "login", "docs"], { cwd });
    expect(letIn).toMatchObject({ code: 0, stderr: expect.stringContaining("requires no login") });
    expect(letIn.stderr).not.toContain("Logged in");
    expect((await windlass(["mcp", "list", "--connect"], { cwd })).code).toBe(0);
    const other = await httpSite(({ json }) => json({}, 401));
    await writeFiles(cwd, at(other.url));
    const refused = await windlass(["mcp", "login", "docs"], { cwd });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("windlass mcp approve docs");
    expect(other.requested).toEqual([]);
  });

  test("shows the host of the page before the page", async () => {
    const metadata = "/.well-known/oauth-protected-resource/mcp";
    const site = await httpSite(({ json, path, message }) => {
      if (path === metadata) return json({ resource: site.url, authorization_servers: [site.origin] });
      if (path === "/register") return json({ ...message, client_id: "me" }, 201);
      if (path === "/mcp")
        return json({}, 401, { "www-authenticate": `Bearer resource_metadata="${site.origin}${metadata}"` });
      if (path !== "/.well-known/oauth-authorization-server") return json({}, 404);
      json({
        issuer: site.origin,
        authorization_endpoint: "https://keys.example/authorize",
        token_endpoint: `${site.origin}/token`,
        registration_endpoint: `${site.origin}/register`,
        response_types_supported: ["code"],
        code_challenge_methods_supported: ["S256"],
      });
    });
    const cwd = await folderWith({ ...open, ...at(site.url) });
    const { code, stdout, stderr } = await windlass(["mcp", "login", "docs"], {
      cwd,
      onStderr: (text, kill) => void (text.includes("log in:") && kill("SIGINT")),
    });
    expect(stderr).toContain("docs redirects you to keys.example.");
    expect(stdout).toContain("https://keys.example/authorize?");
    expect(code).not.toBe(0);
  });
});
