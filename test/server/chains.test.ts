import { readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Received, type ServedWorkspace, adminToken, serveWorkspace, sharedWorkspace } from "./serve-workspace.ts";

const editToken = "edit-token-of-the-tests";
const tokens = { admin: adminToken, editor: { token: editToken, scopes: ["edit"] as const } };

const greet = `name: greet
description: Greets.
input: { n: "number = 1" }
steps:
  - { id: first, tool: get_time }
  - { id: say, tool: calculator, params: { expression: "\${input.n}+1" }, depends_on: [first] }
`;

const files = {
  "windlass.yaml": "secrets: { KEY: { env: KEY }, OTHER: { env: OTHER } }\nenv: [HOME]\n",
  "chains/greet.yaml": greet,
  "chains/deep/keyed.yaml":
    'name: keyed\nsteps:\n  - { id: a, tool: http_request, params: { url: "https://a.example", headers: { k: "${secret.KEY}" } } }\n',
  "chains/broken.yaml": "name: broken\nsteps:\n  - { id: a, tool: calculatr }\n",
};

const shared = sharedWorkspace(files);

const path = "/v1/chains/greet";

async function etagOf({ send }: ServedWorkspace, of = path): Promise<string> {
  return (await send("GET", of)).headers.get("etag") ?? "";
}

async function save(served: ServedWorkspace, text: string, etag?: string, token = adminToken): Promise<Received> {
  const headers = { "if-match": etag ?? (await etagOf(served)) };
  return served.send("PUT", path, { body: { text }, headers, token });
}

test("chains are listed and read with a version, and their paths are not names", async () => {
  const { send } = await shared();
  const list = await send("GET", "/v1/chains?limit=200");
  expect(list.body).toMatchObject({
    items: expect.arrayContaining([
      expect.objectContaining({ name: "greet", file: "chains/greet.yaml", errors: 0, effect: "read", builtin: false }),
      expect.objectContaining({ name: "broken", errors: 1, steps: [{ id: "a", tool: "calculatr" }] }),
      expect.objectContaining({ name: "research-chain", builtin: true }),
    ]),
  });
  const one = await send("GET", path);
  expect([one.text, one.headers.get("content-type")]).toEqual([greet, "application/yaml"]);
  expect(one.headers.get("etag")).toMatch(/^"[\w-]+"$/);
  expect((await send("GET", "/v1/chains/research-chain")).text).toContain("name: research-chain");
  for (const other of ["chains/greet.yaml", "../windlass.yaml", "deep/keyed", "__proto__", "windlass.yaml"]) {
    expect([other, (await send("GET", `/v1/chains/${encodeURIComponent(other)}`)).status]).toEqual([other, 404]);
  }
});

test("a text is checked with ranges and fixes, without being saved", async () => {
  const served = await shared();
  const text = greet.replace("calculator", "calculatr");
  const { body } = await served.send("POST", "/v1/chains:validate", { body: { text, name: "greet" } });
  const range = { line: 6, column: 22, end_line: 6, end_column: 31 };
  expect(body).toMatchObject({
    valid: false,
    problems: [
      { severity: "error", code: "unknown_tool", file: "chains/greet.yaml", range, fix: { range, text: "calculator" } },
    ],
  });
  const good = await served.send("POST", "/v1/chains:validate", { body: { text: greet } });
  expect(good.body).toMatchObject({ valid: true, problems: [], input_schema: { properties: { n: {} } }, graph: {} });
  const other = await served.send("POST", "/v1/chains:validate", { body: { text: greet, name: "other" } });
  expect(other.body).toMatchObject({ valid: false, problems: [{ code: "wrong_name", range: { line: 1 } }] });
  expect(await readFile(join(served.workspace.dir, "chains/greet.yaml"), "utf8")).toBe(greet);
});

test("a chain is saved if it is valid and replaces the version that was read", async () => {
  const served = await serveWorkspace(files);
  const { send, workspace } = served;
  const file = join(workspace.dir, "chains/greet.yaml");
  const etag = await etagOf(served);
  const text = greet.replace("+1", "+3");
  const saved = await save(served, text);
  expect(saved).toMatchObject({ status: 200, body: { name: "greet", file: "chains/greet.yaml", errors: 0 } });
  expect(await readFile(file, "utf8")).toBe(text);
  expect(saved.headers.get("etag")).toBe(await etagOf(served));
  const run = await send("POST", `${path}/runs`, { headers: { prefer: "wait=50" } });
  expect(run).toMatchObject({ body: { status: "success", output: { say: { result: 4 } } } });

  expect(await save(served, greet, etag)).toMatchObject({ status: 412, body: { code: "precondition_failed" } });
  const invalid = await save(served, text.replace("calculator", "calculatr"));
  const position = { file: "chains/greet.yaml", line: 6, column: 22 };
  expect(invalid).toMatchObject({
    status: 422,
    body: { code: "chain_invalid", position, hint: 'did you mean "calculator"?' },
  });
  const renamed = await save(served, text.replace("name: greet", "name: other"));
  expect(renamed).toMatchObject({ status: 422 });
  expect(await send("PUT", path, { body: { text } })).toMatchObject({ status: 400 });
  // The file was changed by an editor in the meantime.
  const before = await etagOf(served);
  await writeFile(file, `${text}# edited\n`);
  expect(await save(served, greet, before)).toMatchObject({ status: 412 });
  expect(await readFile(file, "utf8")).toBe(`${text}# edited\n`);
  expect(await readdir(join(workspace.dir, "chains"))).toEqual(["broken.yaml", "deep", "greet.yaml"]);
});

test("of several that save at once, one wins, and readers see whole texts", async () => {
  const served = await serveWorkspace(files);
  const etag = await etagOf(served);
  const texts = Array.from({ length: 8 }, (_, index) => `${greet}# ${String(index).repeat(20_000)}\n`);
  const seen = new Set<string>();
  const reading = (async () => {
    for (let round = 0; round < 40; round++) seen.add((await served.send("GET", path)).text);
  })();
  const answers = await Promise.all(texts.map((text) => save(served, text, etag)));
  await reading;
  expect(answers.filter(({ status }) => status === 412)).toHaveLength(7);
  const winner = texts[answers.findIndex(({ status }) => status === 200)];
  expect((await served.send("GET", path)).text).toBe(winner);
  for (const text of seen) expect([greet, winner]).toContain(text);
});

test("a new chain, and one that replaces a built-in chain, get files; a name cannot leave the folder", async () => {
  const served = await serveWorkspace(files);
  const { send, workspace } = served;
  const create = (name: string, text = greet.replace("name: greet", `name: ${name}`)): Promise<Received> =>
    send("PUT", `/v1/chains/${encodeURIComponent(name)}`, { body: { text }, headers: { "if-none-match": "*" } });
  expect(await create("fresh")).toMatchObject({ status: 200, body: { file: "chains/fresh.yaml" } });
  expect(await create("fresh")).toMatchObject({ status: 412 });
  const builtin = "/v1/chains/dev-chain";
  const etag = await etagOf(served, builtin);
  const own = { body: { text: greet.replace("name: greet", "name: dev-chain") }, headers: { "if-match": etag } };
  expect(await send("PUT", builtin, own)).toMatchObject({ status: 200, body: { builtin: false } });
  for (const name of ["../out", "a/b", "..", ".hidden", "C:x", "a b", "x".repeat(101), "con\u0000"]) {
    const { status } = await create(name, greet);
    expect([name, status === 400 || status === 404]).toEqual([name, true]);
  }
  await rm(join(workspace.dir, "chains"), { recursive: true });
  await workspace.chainFolder.reload();
  expect(await create("first")).toMatchObject({ status: 200 });
});

test("only an administrator saves a chain that newly names secrets or variables [P06]", async () => {
  const served = await serveWorkspace(files, { tokens });
  const edit = (text: string, token = editToken): Promise<Received> =>
    save(served, `${greet}${text}`, undefined, token);
  const keyed = (name: string): string =>
    `  - { id: post, tool: http_request, params: { url: "https://a.example", headers: { k: "\${secret.${name}}" } } }\n`;
  expect(await edit("# harmless\n")).toMatchObject({ status: 200 });
  // A chain of the workspace names it already.
  expect(await edit(keyed("KEY"))).toMatchObject({ status: 200 });
  const refused = { status: 403, body: { code: "forbidden", detail: expect.stringContaining("secret.OTHER") } };
  expect(await edit(keyed("OTHER"))).toMatchObject(refused);
  // A comment does not count as a use.
  expect(await edit('# "${secret.OTHER}"\n')).toMatchObject({ status: 200 });
  expect(await edit(keyed("OTHER"))).toMatchObject(refused);
  expect(await edit("env: [HOME]\n")).toMatchObject({ status: 403, body: { reason: "names_secrets" } });
  expect(await edit(`${keyed("OTHER")}env: [HOME]\n`, adminToken)).toMatchObject({ status: 200 });
  expect(await edit(keyed("OTHER"))).toMatchObject({ status: 200 });
});

test("a graph is drawn as data, as Mermaid and as a picture, also if tools are missing", async () => {
  const { send } = await shared();
  expect((await send("GET", `${path}/graph`)).body).toMatchObject({
    edges: expect.arrayContaining([expect.objectContaining({ from: "steps.first", to: "steps.say" })]),
  });
  const mermaid = await send("GET", `${path}/graph?format=mermaid`);
  expect([mermaid.headers.get("content-type"), mermaid.text]).toEqual([
    "text/vnd.mermaid",
    expect.stringContaining("first"),
  ]);
  const svg = await send("GET", `${path}/graph?format=svg&theme=dark`);
  expect([svg.headers.get("content-type"), svg.text]).toEqual(["image/svg+xml", expect.stringMatching(/^<svg/)]);
  expect(svg.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect((await send("GET", "/v1/chains/broken/graph")).body).toMatchObject({ missing_tools: ["calculatr"] });
});

test("a hostile text is refused before it costs anything", async () => {
  const { send } = await shared();
  const check = (text: string): Promise<Received> => send("POST", "/v1/chains:validate", { body: { text } });
  const bomb = `name: x\na: &a [${"1,".repeat(50)}]\n${"bcdefg".replace(/./g, (key) => `${key}: &${key} [${"*a,".repeat(50)}]\n`)}steps: []\n`;
  for (const text of [
    "",
    "\u0000",
    "[".repeat(20_000),
    bomb,
    "name: x\nsteps:\n" + "  - { id: a, tool: b }\n".repeat(20_000),
  ]) {
    const { status, body } = await check(text);
    expect([status, body]).toMatchObject([200, { valid: false }]);
  }
  expect(await check("x".repeat(2_000_000))).toMatchObject({ status: 413 });
});
