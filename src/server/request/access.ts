import { type Route, createProblem } from "../../api/index.ts";
import { cliCommand, systemClock } from "../../base/index.ts";
import type { InboundGuard } from "../../net/index.ts";
import { type Caller, type FindCaller, type TokenRefusal, whyForbidden } from "./caller.ts";
import { type CallerLimitOptions, CallerLimits } from "./caller-limits.ts";
import { FailedAttempts } from "./failed-attempts.ts";
import { CallerCache } from "./find-callers.ts";
import { ProblemError, refusal, tooManyRequests } from "./handler.ts";

/** Dependencies of {@link Access}. */
export interface AccessDeps {
  readonly guard: InboundGuard;
  readonly findCaller: FindCaller;
  readonly limits: CallerLimitOptions | undefined;
  /** The port that the server listens on, once it does. */
  readonly port: () => number | undefined;
}

/** The parts of a request that decide whether it is admitted. */
export interface Applicant {
  readonly headers: Headers;
  readonly params: Readonly<Record<string, string>>;
  /** The address of the client. Undefined if the server is mounted in another one. */
  readonly address: string | undefined;
}

/** An admitted request. */
export interface Admission {
  /** Undefined for a route without tokens. */
  readonly caller: Caller | undefined;
  /** Called with the status of the response. */
  readonly leave: (status: number) => void;
}

const anyone: Admission = { caller: undefined, leave: () => {} };

/** Decides by the access column of its route whether a request is handled, before its body is read. */
export class Access {
  readonly #deps: Pick<AccessDeps, "guard" | "port">;
  readonly #callers: CallerCache;
  readonly #limits: CallerLimits;
  readonly #failures = new FailedAttempts(systemClock);

  constructor({ findCaller, limits, ...deps }: AccessDeps) {
    this.#deps = deps;
    this.#callers = new CallerCache(findCaller, systemClock);
    this.#limits = new CallerLimits(limits, systemClock);
  }

  /** Admits a request. Throws a problem if it is refused. */
  async admit(
    route: Pick<Route, "access" | "path"> & { readonly method: string },
    applicant: Applicant,
  ): Promise<Admission> {
    const { access } = route;
    if (access === "none") return anyone;
    const refused = this.#guarded(applicant.headers);
    if (refused !== undefined) throw refusal("forbidden", refused);
    if (access === "signature") return anyone;
    if (access === "code") {
      const { address } = applicant;
      this.#checkPause(address);
      return { caller: undefined, leave: (status) => void (status === 401 && this.#failures.failed(address)) };
    }
    const caller = await this.#callerOf(applicant);
    const why = whyForbidden(caller, route, applicant.params);
    if (why !== undefined) throw refusal("forbidden", why);
    return { caller, leave: this.#limits.enter(caller) };
  }

  #guarded(headers: Headers): string | undefined {
    const { guard, port } = this.#deps;
    const header = (name: string): string | undefined => headers.get(name) ?? undefined;
    return guard.refuse({
      host: header("host"),
      origin: header("origin"),
      site: header("sec-fetch-site"),
      port: port(),
    });
  }

  async #callerOf({ headers, address }: Applicant): Promise<Caller> {
    const sent = headers.get("authorization");
    if (sent === null) throw unauthorized("a token is needed: Authorization: Bearer TOKEN");
    const token = /^Bearer +(\S+) *$/i.exec(sent)?.[1];
    if (token === undefined) throw unauthorized("the header is not valid; send one, as Authorization: Bearer TOKEN");
    const caller = await this.#callers.find(token, {
      before: () => this.#checkPause(address),
      refused: () => this.#failures.failed(address),
    });
    if (typeof caller === "string") throw unauthorized(refusalOf(caller), ', error="invalid_token"');
    return caller;
  }

  #checkPause(address: string | undefined): void {
    const pauseMs = this.#failures.pauseMs(address);
    if (pauseMs > 0) throw tooManyRequests("too many wrong tokens or codes came from this address", pauseMs / 1_000);
  }
}

const refusals: Readonly<Record<TokenRefusal, string>> = {
  unknown: "this token is not valid",
  expired: "this token has expired",
  revoked: "this token was revoked",
};

function refusalOf(why: TokenRefusal): string {
  return `${refusals[why]}; create one with: ${cliCommand("token create")}`;
}

function unauthorized(detail: string, error = ""): ProblemError {
  const challenge = `Bearer realm="windlass"${error}`;
  return new ProblemError(createProblem("unauthorized", detail), { "www-authenticate": challenge });
}
