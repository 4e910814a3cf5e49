import { disposableEmailBlocklistSet } from 'disposable-email-domains-js';

let known: ReadonlySet<string> | undefined;

/** Whether the domain, in lower case, or one above it gives out addresses for a short time. */
export const isDisposableDomain = (domain: string): boolean => {
  known ??= disposableEmailBlocklistSet();
  const labels = domain.split('.');
  return labels.some((_label, at) => known?.has(labels.slice(at).join('.')));
};
