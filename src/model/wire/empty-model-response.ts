/** A successful response without a model response in it; a retry may help. */
export class EmptyModelResponse extends Error {}

export function isEmptyModelResponse(value: unknown): value is EmptyModelResponse {
  return value instanceof EmptyModelResponse;
}
