import { SECOND_MS } from '../clock.ts';

/** Loaded on first use: the library takes 36 MB, and many installations never need it. */
export const loadStripe = async () => (await import('stripe')).default;

export interface StripeClientOptions {
  secretKey: string;
  /** For tests and local stacks: a server other than Stripe's. */
  apiUrl?: string | undefined;
  timeoutMs?: number;
}

const TIMEOUT_MS = 5 * SECOND_MS;

const addressOf = (apiUrl: string | undefined) => {
  if (apiUrl === undefined) return {};
  const { protocol, hostname, port } = new URL(apiUrl);
  return { protocol: protocol === 'http:' ? 'http' : 'https', host: hostname, port: port === '' ? 443 : Number(port) } as const;
};

const openClient = async ({ secretKey, apiUrl, timeoutMs: timeout = TIMEOUT_MS }: StripeClientOptions) => {
  const Stripe = await loadStripe();
  return new Stripe(secretKey, { ...addressOf(apiUrl), timeout, maxNetworkRetries: 0, telemetry: false });
};

type StripeLibrary = Awaited<ReturnType<typeof openClient>>;

/** The library, loaded on first use, with a deadline for each call. */
interface StripeClient {
  library(): Promise<StripeLibrary>;
  /** The library's own timeout restarts with each byte that arrives. */
  call<T>(work: (library: StripeLibrary) => Promise<T>): Promise<T>;
}

export const createStripeClient = (options: StripeClientOptions): StripeClient => {
  let opened: Promise<StripeLibrary> | undefined;
  const library = () => (opened ??= openClient(options));
  return { library, call: async (work) => withDeadline(work(await library()), options.timeoutMs ?? TIMEOUT_MS) };
};

const withDeadline = async <T>(call: Promise<T>, timeoutMs: number): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('Stripe did not respond in time')), timeoutMs);
  });
  return Promise.race([call, late]).finally(() => clearTimeout(timer));
};

/** Error texts of Stripe are not passed on: they may quote a key. */
export const isStripeError = (error: unknown, type: string): boolean =>
  typeof error === 'object' && error !== null && 'type' in error && error.type === type;
