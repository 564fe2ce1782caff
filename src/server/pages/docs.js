// The page that shows the API. It requests only this server, and writes only text into the page.

const storageKey = "windlass.token";

// The page at / passes the one-time code of a link on.
if (location.pathname === "/") {
  if (location.hash.startsWith("#code=")) location.replace(`/docs${location.hash}`);
} else {
  await start();
}

async function start() {
  const code = /^#code=([\w-]+)$/.exec(location.hash)?.[1];
  if (code !== undefined) {
    history.replaceState(null, "", location.pathname);
    await redeem(code);
  }
  element("access").addEventListener("submit", (event) => {
    event.preventDefault();
    const token = element("token").value.trim();
    localStorage.setItem(storageKey, token);
    void show(token);
  });
  element("forget").addEventListener("click", () => {
    localStorage.removeItem(storageKey);
    element("token").value = "";
    element("operations").replaceChildren();
    report("The token is removed from this browser.");
  });
  element("filter").addEventListener("input", filter);
  const known = localStorage.getItem(storageKey);
  if (known !== null) await show(known);
}

async function redeem(code) {
  const response = await fetch("/v1/session", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code }),
  });
  const body = await response.json();
  if (response.ok) localStorage.setItem(storageKey, body.token);
  else report(body.detail);
}

async function show(token) {
  report("Loading …");
  const response = await fetch("/openapi.json", { headers: { authorization: `Bearer ${token}` } });
  const body = await response.json();
  if (!response.ok) {
    report(body.detail);
    return;
  }
  const operations = Object.entries(body.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  element("operations").replaceChildren(...operations.map((each) => operationView(each, body.components.schemas)));
  element("search").hidden = false;
  report(`${operations.length} operations. OpenAPI ${body.openapi}.`);
  filter();
}

function operationView({ path, method, operation }, schemas) {
  const view = make("details");
  view.dataset.text = `${method} ${path} ${operation.operationId} ${operation.summary ?? ""}`.toLowerCase();
  const head = make("summary");
  head.append(make("b", method.toUpperCase()), make("code", path), make("span", operation.summary ?? ""));
  view.append(head);
  // Filled when it is opened: a workspace can have thousands of tools.
  view.addEventListener("toggle", () => view.append(...detailsOf(operation, schemas)), { once: true });
  return view;
}

function detailsOf({ parameters = [], requestBody, responses, ...operation }, schemas) {
  const parts = [make("p", `operation ${operation.operationId}, access: ${operation["x-access"] ?? "call"}`)];
  const add = (title, value) => parts.push(make("h2", title), make("pre", JSON.stringify(value, null, 2)));
  if (parameters.length > 0)
    add(
      "Parameters",
      parameters.map(({ name, in: where, schema }) => ({ name, in: where, schema })),
    );
  const media = Object.values(requestBody?.content ?? {})[0];
  if (media !== undefined) add("Body", resolved(media.schema, schemas));
  for (const [status, { content = {} }] of Object.entries(responses ?? {})) {
    const [[type, { schema }] = ["", {}]] = Object.entries(content);
    if (status !== "default") add(`${status} ${type}`, resolved(schema, schemas));
  }
  return parts;
}

/** The schema that a reference names, one level deep. */
function resolved(schema, schemas) {
  const name = schema?.$ref?.split("/").at(-1);
  return name === undefined ? schema : (schemas[name] ?? schema);
}

function filter() {
  const wanted = element("filter").value.trim().toLowerCase();
  for (const view of element("operations").children) view.hidden = !view.dataset.text.includes(wanted);
}

function report(text) {
  element("status").textContent = text;
}

function element(id) {
  return document.getElementById(id);
}

function make(tag, text = "") {
  const made = document.createElement(tag);
  made.textContent = text;
  return made;
}
