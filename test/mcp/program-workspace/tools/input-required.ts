/** Tools of the conformance suite that elicit input by the public interface of tools. */
import { defineTool } from "../../../../src/index.ts";

type Elicit = (property: string, message: string) => Promise<unknown>;

function eliciting(name: string, work: (elicit: Elicit) => Promise<unknown>) {
  return defineTool({
    name: `test_input_required_result_${name}`,
    description: `${name}.`,
    effect: "read",
    timeoutMs: 60_000,
    run: (_args, context) =>
      work((property, message) =>
        context.elicit({
          message,
          schema: {
            type: "object",
            properties: { [property]: { type: property === "ok" ? "boolean" : "string" } },
            required: [property],
          },
        }),
      ),
  });
}

export const elicitation = eliciting("elicitation", async (elicit) =>
  JSON.stringify(await elicit("name", "What is your name?")),
);
export const requestState = eliciting("request_state", async (elicit) => {
  await elicit("ok", "Please confirm");
  return "state-ok";
});
export const multiRound = eliciting("multi_round", async (elicit) => [
  await elicit("name", "Step 1: What is your name?"),
  await elicit("color", "Step 2: What is your favorite color?"),
]);
export const tamperedState = eliciting("tampered_state", (elicit) => elicit("ok", "Please confirm"));
export const capabilities = eliciting("capabilities", (elicit) => elicit("ok", "Please confirm"));
