export const FAILURE_CLASSES = ['details', 'funds', 'blocked', 'held'] as const;
/** What has to be put right before a payout that failed is paid again. */
export type FailureClass = (typeof FAILURE_CLASSES)[number];

/** Codes of providers and of ISO 20022, in lower case. An open set: other codes have no class. */
const CODES: Readonly<Record<FailureClass, readonly string[]>> = {
  details: [
    ...['invalid_details', 'account_closed', 'account_blocked', 'account_frozen', 'account_invalid', 'account_not_found'],
    ...['invalid_account', 'invalid_recipient', 'recipient_invalid', 'recipient_not_found', 'recipient_refused'],
    ...['receiver_unregistered', 'receiver_unconfirmed', 'ac01', 'ac03', 'ac04', 'ac06', 'ac13', 'be05', 'md07', 'rc01'],
  ],
  funds: ['insufficient_funds', 'insufficient_balance', 'am04'],
  blocked: ['affiliate_blocked'],
  held: ['items_held'],
};

/** Whether a provider says with this code that the payee's details are wrong, or cannot receive money. */
export const blamesDetails = (code: string): boolean => CODES.details.includes(code.toLowerCase());

interface Failure {
  /** The provider's own code. */
  railReason: string | null;
  failureCode: string | null;
}

/** Null for codes that are not known. */
export const failureClassOf = ({ railReason, failureCode }: Failure): FailureClass | null => {
  const codes = [railReason, failureCode].map((code) => code?.toLowerCase() ?? '');
  return FAILURE_CLASSES.find((name) => codes.some((code) => CODES[name].includes(code))) ?? null;
};
