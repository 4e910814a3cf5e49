import { type Attribution, clearAttribution, readCookie, storeAttribution } from './attribution.ts';
import { isAllowed, readConsent } from './consent.ts';
import { cleanAddress, config, isTrackedHost, log, TOKEN_PARAMETER, warn, warnings } from './page.ts';
import { markPaymentLinks } from './payment-links.ts';
import { type ClickOutcome, sendClick } from './send-click.ts';
import { readVisit, type Visit } from './visit.ts';

const REPEAT_AFTER_MS = [1_000, 5_000];

/** The visit that waits for its click or for the visitor's consent. */
let visit: Visit | null = null;
/** A code that does not count, such as another use of `?ref=`: it stays in the address bar and is not sent again. */
let uncountedCode = '';
let visitorId = '';
/** Each call of `refresh` ends the one before: only the newest visit and the newest decision count. */
let generation = 0;
/** Null once the visit is dealt with. */
let waiting: (() => void)[] | null = [];

export const isReady = (): boolean => waiting === null;
export const pendingCode = (): string | null => visit?.code || null;

/** Callbacks run on their own: what they throw is reported like any error of the page. */
export const ready = (callback: () => void): void => {
  if (waiting) waiting.push(callback);
  else queueMicrotask(callback);
};

const callReady = (): void => {
  markPaymentLinks();
  const callbacks = waiting ?? [];
  waiting = null;
  callbacks.forEach(queueMicrotask);
};

/** Any page of the domain can write the cookie, and the server rejects a click with another text. */
const readVisitorId = (): string => /^v_[\w-]{8,64}$/.exec(readCookie('vid'))?.[0] ?? '';

const createVisitorId = (): string =>
  `v_${Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')}`;

const accept = (used: Visit, { cid, src }: Pick<Attribution, 'cid' | 'src'>): void => {
  storeAttribution({ cid, pid: config.programId, src, vid: visitorId, ts: String(Date.now()) });
  visit = null;
  cleanAddress([TOKEN_PARAMETER, used.parameter]);
  log(src, cid);
};

const finish = (used: Visit, outcome: Exclude<ClickOutcome, 'failed'>): void => {
  warnings.delete('direct_click_failed');
  if (outcome !== 'uncounted') return accept(used, { cid: outcome.token, src: 'script_direct' });
  uncountedCode = used.code;
  visit = null;
};

/** Repeats a failed call: the server counts one visitor's repeats once. Ready callbacks do not wait for the repeats. */
const recordClick = async (used: Visit, current: number): Promise<void> => {
  for (const pauseMs of [0, ...REPEAT_AFTER_MS]) {
    if (pauseMs) {
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      if (current !== generation || !isAllowed()) return;
    }
    const outcome = await sendClick(used, visitorId);
    if (current !== generation) return;
    if (!isAllowed()) return callReady();
    if (outcome === 'failed') warn('direct_click_failed');
    else finish(used, outcome);
    callReady();
    if (outcome !== 'failed') return;
  }
};

/** Uses the visit as far as the visitor's decision allows. */
const follow = async (current: number): Promise<void> => {
  if (!isTrackedHost()) warn('host_outside_website_domain');
  else if (!isAllowed() && readConsent() === null) warn('consent_pending');
  else warnings.delete('consent_pending');
  if (!visit || !isAllowed() || !isTrackedHost()) return callReady();
  visitorId ||= readVisitorId() || createVisitorId();
  if (!visit.token) return recordClick(visit, current);
  accept(visit, { cid: visit.token, src: 'script_redirect' });
  callReady();
};

/** Reads the URL of the page and the visitor's decision. A visit that was not used yet is kept when the URL has none. */
export const refresh = (): void => {
  waiting ??= [];
  const current = ++generation;
  if (readConsent() === 'denied') {
    visitorId = '';
    clearAttribution();
  }
  if (!config.active) return callReady();
  const read = readVisit();
  if (read && (read.token || read.code !== uncountedCode)) visit = read;
  follow(current).catch(callReady);
};
