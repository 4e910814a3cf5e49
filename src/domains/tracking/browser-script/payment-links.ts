import { getCheckoutMetadata, TOKEN } from './attribution.ts';
import { attempt, warn } from './page.ts';

const SELECTOR = 'a[href^="https://buy.stripe.com/"],stripe-buy-button,stripe-pricing-table';
const ATTRIBUTE = 'client-reference-id';
const PARAMETER = 'client_reference_id';

/** Sets or removes the click token. A reference that the website set itself stays. */
const markPaymentLink = (element: Element, token: string): void => {
  const url = element instanceof HTMLAnchorElement ? new URL(element.href) : null;
  const given = (url ? url.searchParams.get(PARAMETER) : element.getAttribute(ATTRIBUTE)) ?? '';
  if (given === token) return;
  if (given && !TOKEN.test(given)) {
    if (token) warn('stripe_payment_link_rewrite_failed');
    return;
  }
  if (url) {
    url.searchParams.delete(PARAMETER);
    if (token) url.searchParams.set(PARAMETER, token);
    element.setAttribute('href', url.href);
  } else if (token) element.setAttribute(ATTRIBUTE, token);
  else element.removeAttribute(ATTRIBUTE);
};

export const markPaymentLinks = (): void => {
  const { agentref_cid: token = '' } = getCheckoutMetadata();
  for (const element of document.querySelectorAll(SELECTOR)) {
    attempt(
      () => markPaymentLink(element, token),
      () => warn('stripe_payment_link_rewrite_failed'),
    );
  }
};

/** Links may be added or changed at any time: they are marked again before each use. */
export const watchPaymentLinks = (): void => {
  document.addEventListener('DOMContentLoaded', markPaymentLinks);
  for (const type of ['click', 'auxclick', 'contextmenu']) document.addEventListener(type, markPaymentLinks, true);
};
