/** Status of a merchant's account at a provider. `unchecked`: the provider has not said yet whether it can pay. `failing`: it cannot. */
export const RAIL_ACCOUNT_STATUSES = ['unchecked', 'ready', 'failing'] as const;
export type RailAccountStatus = (typeof RAIL_ACCOUNT_STATUSES)[number];

/** `secret`: never shown again. `switch`: true or false. `amounts`: minor units by currency. */
export const ACCOUNT_FIELD_KINDS = ['text', 'secret', 'choice', 'number', 'switch', 'amounts'] as const;

/** How a person enters a field of an account. A name with a dot is of an object: `debtorAddress.town`. */
export interface AccountField {
  name: string;
  label: string;
  hint: string | null;
  kind: (typeof ACCOUNT_FIELD_KINDS)[number];
  isRequired: boolean;
  /** Shown by its last four characters only. */
  isMasked?: boolean;
  /** Another value is another account. */
  isIdentity?: boolean;
  /** What can be chosen, the default first. */
  options?: readonly { value: string; label: string }[];
}

/** Versions of accounts that one answer lists. */
export const MAX_LISTED_ACCOUNTS = 100;
