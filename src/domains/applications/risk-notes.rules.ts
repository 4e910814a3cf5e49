import type { RiskNote } from '../../contracts/applications.ts';
import { isDisposableDomain } from '../../platform/disposable-domain.ts';

/** What the risk notes of an application are computed from. */
export interface RiskFacts {
  /** Lower case. */
  email: string;
  /** Domain of the program's website; null without a website. */
  websiteDomain: string | null;
  /** Whether the payout details of another person name the same account. */
  sharesPayoutDetails: boolean;
}

const domainOf = (email: string): string => email.slice(email.lastIndexOf('@') + 1);

const isWithin = (host: string, domain: string): boolean => host === domain || host.endsWith(`.${domain}`);

/** The merchant's own people, or somebody who says so. Either may be a subdomain of the other: shop.acme.example, acme.example. */
const isOfMerchant = ({ email, websiteDomain }: RiskFacts): boolean => {
  const domain = domainOf(email);
  return websiteDomain !== null && (isWithin(domain, websiteDomain) || isWithin(websiteDomain, domain));
};

/** Sorted in the order of `RISK_NOTES`. */
export const riskNotesOf = (facts: RiskFacts): RiskNote[] => [
  ...(isDisposableDomain(domainOf(facts.email)) ? (['disposable_email'] as const) : []),
  ...(isOfMerchant(facts) ? (['merchant_email_domain'] as const) : []),
  ...(facts.sharesPayoutDetails ? (['duplicate_payout_details'] as const) : []),
];
