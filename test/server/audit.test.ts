import { expect, test } from "vitest";
import { openWorkspace } from "../../src/app/index.ts";
import { files } from "./route-samples.ts";
import { type ServedWorkspace, serveWorkspace } from "./serve-workspace.ts";

interface Entry {
  readonly by: string;
  readonly action: string;
  readonly target?: string;
  readonly outcome: string;
  readonly detail?: string;
  readonly request_id?: string;
}

async function entriesOf({ send }: ServedWorkspace, query = ""): Promise<readonly Entry[]> {
  const { body } = await send("GET", `/v1/audit?limit=200${query}`);
  return (body as { readonly items: readonly Entry[] }).items;
}

async function pendingApproval({ send }: ServedWorkspace, id: string): Promise<string> {
  const { body } = await send("POST", "/v1/tools/delete_note/call", { body: { args: { id } } });
  return (body as { readonly approval_id: string }).approval_id;
}

test("decisions are audited with the person, the verdict and the request, also those that came second [P05] [P06]", async () => {
  const served = await serveWorkspace(files);
  const id = await pendingApproval(served, "n1");
  const decide = (decision: string, requestId: string): Promise<unknown> =>
    served.send("POST", `/v1/approvals/${id}`, { body: { decision }, headers: { "request-id": requestId } });
  await decide("done", "early");
  await decide("approve", "first");
  await decide("reject", "second");
  const about = { action: "approval.decide", by: "admin", target: id };
  expect(await entriesOf(served)).toMatchObject([
    { ...about, outcome: "conflict", detail: "reject delete_note", request_id: "second" },
    { ...about, outcome: "done", detail: "approve delete_note", request_id: "first" },
    { ...about, outcome: "not_interrupted", detail: "done", request_id: "early" },
  ]);
  await served.send("POST", "/v1/approvals/none", { body: { decision: "approve" } });
  expect(await entriesOf(served, "&target=none")).toEqual([]);
});

test("a decision at a terminal or of another program is audited, one that follows from the end of a run is not [P05] [P06]", async () => {
  const served = await serveWorkspace(files);
  const id = await pendingApproval(served, "n1");
  const other = await openWorkspace(served.workspace.dir, { reload: false });
  await other.approvals.decide(id, { approved: false, by: "bob", note: "hunter2" });
  await other.close();
  const { body } = await served.send("POST", "/v1/chains/clean/runs", { headers: { prefer: "wait=50" } });
  const { run_id: run } = body as { readonly run_id: string };
  await served.send("POST", `/v1/runs/${run}/cancel`, { headers: { prefer: "wait=50" } });
  const entries = await entriesOf(served);
  expect(entries).toMatchObject([{ by: "bob", target: id, outcome: "done", detail: "reject delete_note" }]);
  expect(entries[0]).not.toHaveProperty("request_id");
});

test("saves of chains are audited, also those that were refused [P06]", async () => {
  const served = await serveWorkspace(files);
  const { text, headers } = await served.send("GET", "/v1/chains/greet");
  const save = (body: string, match: string): Promise<unknown> =>
    served.send("PUT", "/v1/chains/greet", { body: { text: body }, headers: { "if-match": match } });
  await save(`${text}# more\n`, headers.get("etag") ?? "");
  await save(`${text}# again\n`, headers.get("etag") ?? "");
  await save("name: greet\nsteps: 5\n", headers.get("etag") ?? "");
  expect(await entriesOf(served)).toMatchObject([
    { action: "chain.save", by: "admin", target: "greet", outcome: "chain_invalid" },
    { action: "chain.save", by: "admin", target: "greet", outcome: "changed" },
    { action: "chain.save", by: "admin", target: "greet", outcome: "done" },
  ]);
});

test("tokens and sessions are audited without their texts, page by page [P06]", async () => {
  const served = await serveWorkspace(files);
  const created = await served.send("POST", "/v1/tokens", { body: { name: "ci", scopes: ["read", "call"] } });
  const { token, info } = created.body as { readonly token: string; readonly info: { readonly id: string } };
  await served.send("DELETE", `/v1/tokens/${info.id}`);
  await served.send("DELETE", "/v1/tokens/none");
  const code = served.server.createSessionCode({ name: "ann", scopes: ["read"] });
  const session = await served.send("POST", "/v1/session", { token: null, body: { code } });
  await served.send("POST", "/v1/session", { token: null, body: { code } });
  const entries = await entriesOf(served);
  expect(entries).toMatchObject([
    { action: "session.open", by: "unknown", outcome: "unauthorized" },
    { action: "session.open", by: "ann", outcome: "done", detail: "ann: read" },
    { action: "token.revoke", by: "admin", target: info.id, outcome: "done", detail: "ci" },
    { action: "token.create", by: "admin", target: info.id, outcome: "done", detail: "ci: read, call" },
  ]);
  const text = JSON.stringify(entries);
  const { token: opened } = session.body as { readonly token: string };
  for (const secret of [token, opened, code]) expect(text).not.toContain(secret.slice(-20));
  const pages: string[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const { body } = await served.send("GET", `/v1/audit?limit=3${cursor}`);
    const page = body as { readonly items: readonly Entry[]; readonly next_cursor: string | null };
    pages.push(page.items.map(({ action }) => action).join(" "));
    cursor = page.next_cursor === null ? null : `&cursor=${page.next_cursor}`;
  }
  expect(pages).toEqual(["session.open session.open token.revoke", "token.create"]);
  expect(await entriesOf(served, "&by=ann&action=session.open")).toHaveLength(1);
});
