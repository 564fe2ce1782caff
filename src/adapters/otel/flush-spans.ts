import type { TracerProvider } from "@opentelemetry/api";
import { type Clock, systemClock } from "../../base/index.ts";

/** Providers of an SDK have this; the interface of the API does not. */
interface Flushing {
  forceFlush?(): Promise<void>;
}

/** A collector that does not answer keeps nobody from ending. */
const longestMs = 2000;

/** Sends what a provider holds back to send it together: a process that ends would take it along. Never throws. */
export async function flushSpans(provider: TracerProvider, clock: Clock = systemClock): Promise<void> {
  // What the API registers in place of the SDK's provider knows that one; it may be that of another copy of the API.
  const sdk = ("getDelegate" in provider ? (provider as ProviderProxy).getDelegate() : provider) as Flushing;
  const late = Promise.withResolvers<void>();
  const timer = clock.after(longestMs, late.resolve);
  try {
    await Promise.race([sdk.forceFlush?.(), late.promise]);
  } catch {
    // It has told so by its own ways.
  } finally {
    timer.cancel();
  }
}

interface ProviderProxy extends TracerProvider {
  getDelegate(): TracerProvider;
}
