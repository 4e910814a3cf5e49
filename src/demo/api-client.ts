import { z } from 'zod';
import { LocalStackError } from '../local-stack/local-stack-error.ts';

const CALL_TIMEOUT_MS = 15_000;

export interface Answer {
  status: number;
  /** `data` of the answer, or null. */
  data: unknown;
  error: { code: string; message: string; details?: { reason?: string | undefined } | undefined } | null;
}

export interface ApiClient {
  /** Whatever the server answers. Throws only when it does not. */
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** `data` of a 2xx, checked; everything else is an error that names the call. */
  get<S extends z.ZodType>(shape: S, path: string): Promise<z.output<S>>;
  send<S extends z.ZodType>(shape: S, method: 'POST' | 'PATCH', path: string, body?: unknown): Promise<z.output<S>>;
}

const envelope = z.object({
  data: z.unknown().optional(),
  error: z
    .object({ code: z.string(), message: z.string(), details: z.object({ reason: z.string().optional() }).optional() })
    .optional(),
});

/** The REST API as any customer calls it. */
export const createApiClient = (apiUrl: string, key: string): ApiClient => {
  const ask: ApiClient['ask'] = async (method, path, body, headers = {}) => {
    const answer = await fetch(apiUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
    }).catch((error: unknown) => {
      throw new LocalStackError(`${method} ${path} got no answer: ${String(error)}`);
    });
    const read = envelope.safeParse(await answer.json().catch(() => null));
    return { status: answer.status, data: read.data?.data ?? null, error: read.data?.error ?? null };
  };
  const checked = async <S extends z.ZodType>(shape: S, method: string, path: string, body?: unknown) => {
    const answer = await ask(method, path, body);
    if (answer.status >= 300) throw new LocalStackError(explain(method, path, answer));
    return shape.parse(answer.data);
  };
  return {
    ask,
    get: (shape, path) => checked(shape, 'GET', path),
    send: (shape, method, path, body) => checked(shape, method, path, body),
  };
};

export const explain = (method: string, path: string, { status, error }: Answer): string =>
  `${method} ${path} answered ${status} ${[error?.code, error?.details?.reason, error?.message].filter(Boolean).join(', ')}`;
