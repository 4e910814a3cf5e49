import { z } from 'zod';
import { LocalStackError } from '../stack/local-stack-error.ts';

const CALL_TIMEOUT_MS = 15_000;

export interface ApiResponse {
  status: number;
  /** `data` of the response, or null. */
  data: unknown;
  error: { code: string; message: string; details?: { reason?: string | undefined } | undefined } | null;
}

export interface ApiClient {
  /** The response, whatever its status. Throws only when there is none. */
  request(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiResponse>;
  /** The parsed `data` of a 2xx response; throws an error that names the request otherwise. */
  get<S extends z.ZodType>(shape: S, path: string): Promise<z.output<S>>;
  send<S extends z.ZodType>(shape: S, method: 'POST' | 'PATCH', path: string, body?: unknown): Promise<z.output<S>>;
}

const envelope = z.object({
  data: z.unknown().optional(),
  error: z
    .object({ code: z.string(), message: z.string(), details: z.object({ reason: z.string().optional() }).optional() })
    .optional(),
});

/** Calls the REST API as a merchant would. */
export const createApiClient = (apiUrl: string, key: string): ApiClient => {
  const request: ApiClient['request'] = async (method, path, body, headers = {}) => {
    const response = await fetch(apiUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
    }).catch((error: unknown) => {
      throw new LocalStackError(`${method} ${path} failed: ${String(error)}`);
    });
    const parsed = envelope.safeParse(await response.json().catch(() => null));
    return { status: response.status, data: parsed.data?.data ?? null, error: parsed.data?.error ?? null };
  };
  const checked = async <S extends z.ZodType>(shape: S, method: string, path: string, body?: unknown) => {
    const response = await request(method, path, body);
    if (response.status >= 300) throw new LocalStackError(explain(method, path, response));
    return shape.parse(response.data);
  };
  return {
    request,
    get: (shape, path) => checked(shape, 'GET', path),
    send: (shape, method, path, body) => checked(shape, method, path, body),
  };
};

export const explain = (method: string, path: string, { status, error }: ApiResponse): string =>
  `${method} ${path} returned ${status} ${[error?.code, error?.details?.reason, error?.message].filter(Boolean).join(', ')}`;
