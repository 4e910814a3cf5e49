import { attempt, config } from './page.ts';

type Consent = 'granted' | 'denied';

const KEY = 'agentref_consent';

const isConsent = (value: unknown): value is Consent => value === 'granted' || value === 'denied';

/** The decision of this page when the browser blocks localStorage. */
let unstored: Consent | null = null;

/** Read on each use: the visitor may decide in another tab. Null: undecided. */
export const readConsent = (): Consent | null => {
  const stored = attempt(
    () => localStorage.getItem(KEY),
    () => null,
  );
  return unstored ?? (isConsent(stored) ? stored : null);
};

/** False for any other value: a typo must not count as a decision. */
export const storeConsent = (value: unknown): value is Consent => {
  if (!isConsent(value)) return false;
  unstored = attempt(
    () => {
      localStorage.setItem(KEY, value);
      return null;
    },
    () => value,
  );
  return true;
};

export const isAllowed = (): boolean => {
  const consent = readConsent();
  return consent === 'granted' || (consent === null && !config.consentRequired);
};
