import { Resolver } from 'node:dns/promises';
import { SendFailure } from './send-failure.ts';

/** All addresses of a name, IPv4 first. Throws `dns_not_found` or `dns_timeout`; an abort is `dns_timeout`. */
export type Resolve = (host: string, signal: AbortSignal) => Promise<string[]>;

const ABSENT = new Set(['ENOTFOUND', 'ENODATA']);

const isAbsent = (result: PromiseSettledResult<string[]>): boolean =>
  result.status === 'rejected' && ABSENT.has((result.reason as { code?: string }).code ?? '');

/**
 * Asks the name servers directly, not through the thread pool of getaddrinfo, which a few silent name servers would
 * fill for the whole process. The hosts file and search domains do not count.
 */
export const resolveByDns: Resolve = async (host, signal) => {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  const cancel = (): void => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    if (signal.aborted) throw new SendFailure('dns_timeout');
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length > 0) return addresses;
    throw new SendFailure(answers.every(isAbsent) ? 'dns_not_found' : 'dns_timeout');
  } finally {
    signal.removeEventListener('abort', cancel);
  }
};
