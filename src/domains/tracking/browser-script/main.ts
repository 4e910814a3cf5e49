import { getCheckoutMetadata, readAttribution } from './attribution.ts';
import { readConsent, storeConsent } from './consent.ts';
import { attempt, config, isDebug, log, warnings } from './page.ts';
import { watchPaymentLinks } from './payment-links.ts';
import { isReady, pendingCode, ready, refresh } from './tracker.ts';

const getDebugInfo = () => ({
  programId: config.programId,
  active: config.active,
  websiteDomain: config.websiteDomain,
  host: location.hostname,
  consentRequired: config.consentRequired,
  consent: readConsent(),
  ready: isReady(),
  attribution: readAttribution(),
  pendingReferralCode: pendingCode(),
  metadata: getCheckoutMetadata(),
  warnings: [...warnings],
});

const api = {
  /** Calls back once the visit is dealt with; it always does, also without consent and without a referral. */
  ready: (callback: unknown): void => {
    if (typeof callback === 'function') ready(() => callback());
  },
  getCheckoutMetadata,
  getDebugInfo,
  /** For single-page apps: call it after a change of the URL or of the page. */
  refresh,
  setConsent: (decision: unknown): void => {
    if (storeConsent(decision)) refresh();
    else log('setConsent: neither granted nor denied');
  },
};

declare global {
  interface Window {
    AgentRef?: typeof api;
    Tributary?: typeof api;
  }
}

const start = (): void => {
  refresh();
  if (isDebug) api.ready(() => log(getDebugInfo()));
};

const install = (): void => {
  if (window.AgentRef) return log('loaded twice');
  window.AgentRef = api;
  window.Tributary ??= api;
  watchPaymentLinks();
  // A page that the browser prepares in advance is no visit yet.
  if ((document as { prerendering?: boolean }).prerendering)
    document.addEventListener('prerenderingchange', start, { once: true });
  else start();
};

attempt(install, () => log('not installed'));
