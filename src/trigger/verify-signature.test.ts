import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { type WebhookRequest, verifySignature } from "./verify-signature.ts";

function requestOf(body: string, headers: Readonly<Record<string, string>>): WebhookRequest {
  return { body: Buffer.from(body), headers, query: {} };
}

/** The examples that the senders document. */
const documented = {
  github: {
    secret: "It's a Secret to Everybody",
    now: 0,
    request: requestOf("Hello, World!", {
      "x-hub-signature-256": "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
      "x-github-delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958",
    }),
  },
  slack: {
    secret: "8f742231b10e8888abcd99yyyzzz85a5",
    now: 1_531_420_618_000,
    request: requestOf(
      "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c",
      {
        "x-slack-request-timestamp": "1531420618",
        "x-slack-signature": "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503",
      },
    ),
  },
  standard: {
    secret: "whsec_plJ3nmyCDGBKInavdOK15jsl",
    now: 1_731_705_121_000,
    request: requestOf('{"event_type":"ping","data":{"success":true}}', {
      "webhook-id": "msg_loFOjxBNrRLzqYUf",
      "webhook-timestamp": "1731705121",
      "webhook-signature": "v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=",
    }),
  },
  stripe: stripe('{"id":"evt_1"}', 1_700_000_000, "whsec_test"),
} as const;

function stripe(body: string, time: number, secret: string) {
  const signature = createHmac("sha256", secret).update(`${time}.${body}`).digest("hex");
  const request = requestOf(body, { "stripe-signature": `t=${time},v1=${"0".repeat(64)},v1=${signature},v0=abc` });
  return { secret, now: time * 1_000, request };
}

const schemes = ["github", "slack", "standard", "stripe"] as const;

test.each(schemes)("%s: the documented signature is valid for its secret and its body only [P09]", (scheme) => {
  const { secret, now, request } = documented[scheme];
  const verify = (more: Partial<WebhookRequest>, secrets: readonly string[] = [secret]): boolean =>
    verifySignature(scheme, { ...request, ...more }, { secrets, now }).valid;
  expect(verify({})).toBe(true);
  // During a rotation, either of two secrets counts.
  expect(verify({}, ["b3RoZXI=", secret])).toBe(true);
  expect(verify({}, ["b3RoZXI="])).toBe(false);
  expect(verify({}, [])).toBe(false);
  expect(verify({}, [""])).toBe(false);
  expect(verify({ body: Buffer.concat([request.body, Buffer.from(" ")]) })).toBe(false);
  expect(verify({ headers: {} })).toBe(false);
  for (const name of Object.keys(request.headers).filter((each) => each.includes("signature"))) {
    for (const broken of ["", "sha256=", "v0=zz", "v1,", "t=1,v1=", "x".repeat(100_000), "v1,".repeat(10_000)])
      expect(verify({ headers: { ...request.headers, [name]: broken } })).toBe(false);
  }
});

test.each(["slack", "standard", "stripe"] as const)("%s: a signature is valid for five minutes [P09]", (scheme) => {
  const { secret, now, request } = documented[scheme];
  const validAt = (ms: number): boolean => verifySignature(scheme, request, { secrets: [secret], now: now + ms }).valid;
  expect([-300_000, -1, 0, 300_000].map(validAt)).toEqual([true, true, true, true]);
  expect([-300_001, 300_001, 86_400_000].map(validAt)).toEqual([false, false, false]);
});

test("another timestamp is not valid with an old signature", () => {
  const { secret, request } = documented.stripe;
  const headers = { "stripe-signature": String(request.headers["stripe-signature"]).replace("t=17", "t=18") };
  expect(verifySignature("stripe", { ...request, headers }, { secrets: [secret], now: 1_800_000_000_000 }).valid).toBe(
    false,
  );
});

test("the id of a delivery comes from its sender", () => {
  const idOf = (scheme: (typeof schemes)[number]): unknown => {
    const { secret, now, request } = documented[scheme];
    return verifySignature(scheme, request, { secrets: [secret], now });
  };
  expect(idOf("github")).toEqual({ valid: true, id: "72d3162e-cc78-11e3-81ab-4c9367dc0958" });
  expect(idOf("standard")).toEqual({ valid: true, id: "msg_loFOjxBNrRLzqYUf" });
  expect(idOf("stripe")).toEqual({ valid: true, id: "evt_1" });
  // A command has no id: its signature identifies it.
  expect(idOf("slack")).toMatchObject({ id: expect.stringMatching(/^a2114d57/) });
});
