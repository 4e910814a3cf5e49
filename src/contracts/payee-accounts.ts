/** `pending`: the provider still waits for its owner, or decides. `restricted`: the provider stopped payments to it. */
export const PAYEE_STATES = ['pending', 'ready', 'restricted'] as const;
export type PayeeState = (typeof PAYEE_STATES)[number];

/** What a provider wants to know of whoever owns an account. */
export const PAYEE_REQUIREMENTS = [
  'bank_account',
  'identity_document',
  'personal_details',
  'address',
  'tax_id',
  'business_details',
  'terms',
  'other',
] as const;
export type PayeeRequirement = (typeof PAYEE_REQUIREMENTS)[number];

/** An account of a payee, as its provider says. */
export interface PayeeAccount {
  account: string;
  state: PayeeState;
  /** What its owner has to do. Empty while the provider decides. */
  requirements: PayeeRequirement[];
}
