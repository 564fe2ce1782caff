import type { WireValue } from "../../api/index.ts";
import { type CreatedToken, type NewTokenRequest, toWireToken } from "../../app/index.ts";
import { asWire } from "../request/as-wire.ts";
import { type Handlers, type ServerRequest, actorOf, refusal } from "../request/handler.ts";
import { pageOf } from "../request/page.ts";
import type { SessionCodes } from "../request/session-codes.ts";

type TokenRoutes = Handlers<"list_tokens" | "create_token" | "revoke_token" | "create_session">;

const sessionMs = 30 * 86_400_000;

/** Tokens, and sessions that begin with a one-time code. */
export function tokenRoutes(codes: SessionCodes): TokenRoutes {
  return {
    list_tokens: async ({ workspace, query }) => {
      const tokens = await workspace.tokens.list();
      // The newest first.
      const page = pageOf(tokens, query, ({ createdAt, id }) => `${String(1e15 - createdAt).padStart(16, "0")}/${id}`);
      return { ...page, items: page.items.map((token) => asWire<"Token">(toWireToken(token, Date.now()))) };
    },
    create_token: async (request) => {
      const { workspace, body } = request;
      const { name, scopes, expires_in_ms: expiresMs, run_id: runId } = body;
      return created(await workspace.tokens.create({ name, scopes, expiresMs, runId }, actorOf(request)));
    },
    revoke_token: async (request) => {
      const { workspace, params } = request;
      const token = await workspace.tokens.revoke(params.id, actorOf(request));
      if (token === undefined) throw refusal("not_found", `there is no token ${JSON.stringify(params.id)}`);
      return asWire<"Token">(toWireToken(token, Date.now()));
    },
    create_session: async ({ workspace, body, requestId }: ServerRequest<"create_session">) => {
      const grant = codes.redeem(body.code);
      if (grant === undefined) {
        const detail =
          "this code is not valid: it opens one session within five minutes; start the server again for another";
        const at = Date.now();
        await workspace.audit.add({ at, by: "unknown", action: "session.open", outcome: "unauthorized", requestId });
        throw refusal("unauthorized", detail);
      }
      const request: NewTokenRequest = { ...grant, expiresMs: sessionMs };
      return created(await workspace.tokens.create(request, { by: grant.name, requestId, action: "session.open" }));
    },
  };
}

function created({ token, stored }: CreatedToken): WireValue<"NewToken"> {
  return { token, info: asWire<"Token">(toWireToken(stored, Date.now())) };
}
