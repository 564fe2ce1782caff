/** Schemas of the service itself. */
export const serviceSchemas = {
  Health: {
    type: "object",
    properties: { status: { enum: ["ok", "draining"] } },
    required: ["status"],
  },
} as const;

/** Routes of the service itself. */
export const serviceRoutes = {
  openapi: {
    method: "GET",
    path: "/openapi.json",
    access: "read",
    summary: "This API as an OpenAPI 3.1 document, with one operation for each tool and chain.",
    response: "application/json",
  },
  healthz: {
    method: "GET",
    path: "/healthz",
    access: "none",
    summary: "The process is alive.",
    response: "Health",
  },
  readyz: {
    method: "GET",
    path: "/readyz",
    access: "none",
    summary: "The server accepts work. 503 while it drains.",
    response: "Health",
  },
} as const;
