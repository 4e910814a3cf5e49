import { TOKEN } from './attribution.ts';
import { readConsent } from './consent.ts';
import { config, log } from './page.ts';
import type { Visit } from './visit.ts';

const TIMEOUT_MS = 3_000;

/** `uncounted` is final; after `failed` nothing is known, and a repeat may help. */
export type ClickOutcome = { token: string } | 'uncounted' | 'failed';

const outcomeOf = async (response: Response): Promise<ClickOutcome> => {
  if (!response.ok) return 'failed';
  const { data } = (await response.json()) as { data: { status: string; reason?: string | null; clickToken?: string | null } };
  log('click:', data.status, data.reason ?? '');
  return data.clickToken && TOKEN.test(data.clickToken) ? { token: data.clickToken } : 'uncounted';
};

export const sendClick = async ({ code, pageUrl, referrer }: Visit, visitorId: string): Promise<ClickOutcome> => {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), TIMEOUT_MS);
  const { programId, clickUrl } = config;
  const click = { programId, referralCode: code, pageUrl, referrer, visitorId, consentGranted: readConsent() === 'granted' };
  try {
    const response = await fetch(clickUrl, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(click),
      credentials: 'omit',
      // The visitor may leave the page at once.
      keepalive: true,
      signal: abort.signal,
    });
    return await outcomeOf(response);
  } catch {
    return 'failed';
  } finally {
    clearTimeout(timer);
  }
};
