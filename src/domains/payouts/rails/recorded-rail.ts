import type { OnlineRail } from './rail.ts';
import { recordCalls } from './recorded-calls.ts';

const MAX_TEXT = 8_192;

/** The same rail; what it sends and looks up tells its calls. `secrets` are replaced wherever they stand. */
export const recordRail = (rail: OnlineRail, secrets: readonly string[]): OnlineRail => {
  const clean = (text: string): string => {
    const cleaned = secrets.reduce((left, secret) => left.replaceAll(secret, '[secret]'), text);
    return cleaned.length > MAX_TEXT ? `${cleaned.slice(0, MAX_TEXT)}… (${cleaned.length} characters)` : cleaned;
  };
  const recorded = async <T extends object>(work: () => Promise<T>): Promise<T> => {
    const { result, calls } = await recordCalls(work);
    if (calls.length === 0) return result;
    const evidence = calls.map((call) => ({
      ...call,
      path: clean(call.path),
      request: call.request === null ? null : clean(call.request),
      response: call.response === null ? null : clean(call.response),
    }));
    return { ...result, evidence };
  };
  const { cancel } = rail;
  return {
    ...rail,
    submit: (order) => recorded(() => rail.submit(order)),
    lookUp: (attempt) => recorded(() => rail.lookUp(attempt)),
    ...(cancel ? { cancel: (attempt) => recorded(() => cancel(attempt)) } : {}),
  };
};
