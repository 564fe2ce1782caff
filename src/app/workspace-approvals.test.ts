import { expect, test } from "vitest";
import { folderWith } from "../../test/support/workspace.ts";
import { openWorkspace } from "./open-workspace.ts";

const chain = `name: notice
steps:
  - id: save
    tool: write_file
    approval: { message: Publish it?, approvers: [ada] }
    params: { path: notice.txt, content: closed }
`;

test("[N12] a decision through the approvals of a workspace follows the rules of approvals", async () => {
  const dir = await folderWith({ "windlass.yaml": "", "chains/notice.yaml": chain });
  const workspace = await openWorkspace(dir, { store: "memory", reload: false });
  const { approvals, runs } = workspace;
  const { runId, status } = await runs.start(await workspace.loadChain("notice"));
  expect(status).toBe("waiting");
  const [approval] = await approvals.list("pending");
  const id = approval?.id ?? "";
  expect(approval).toMatchObject({ runId, tool: "write_file" });
  expect(await approvals.decide(id, { approved: true, by: "eve" })).toMatchObject({
    isRecorded: false,
    approval: { status: "pending" },
    refusal: { reason: "not_an_approver" },
  });
  expect(await approvals.find(id)).toMatchObject({ status: "pending" });
  expect(await approvals.decide(id, { approved: true, by: "ada" })).toMatchObject({ isRecorded: true });
  expect(await approvals.list()).toMatchObject([{ id, status: "approved", decidedBy: "ada" }]);
  expect(await approvals.decide(id, { approved: false, by: "ada" })).toMatchObject({
    refusal: { reason: "already_decided" },
  });
  expect(await approvals.decide("none", { approved: true })).toBeUndefined();
  expect(await runs.resume(runId)).toMatchObject({ status: "success" });
  await workspace.close();
});
