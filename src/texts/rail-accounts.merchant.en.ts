import { labelOf, type Rail } from '../contracts/rails.ts';

/** What a check found, and how to mend it. */
export interface FindingText {
  text: string;
  next: string;
}

/** Something that a check asks, with the names of what it may find, and what is said when it finds nothing. */
export interface CheckedText {
  names: readonly string[];
  ok: string;
}

/** What is said about the account of a rail: codes in lower case, and names of findings. */
interface RailAccountTexts {
  faults: Readonly<Record<string, string>>;
  findings: Readonly<Record<string, FindingText>>;
}

const NO_MONEY = "there isn't enough money in the account";
const LOCKED = 'the account is locked';
const RESTRICTED = 'the account is restricted';
const REFUSED = 'it refused the credentials';

/** Texts for providers whose codes agree. */
const COMMON: RailAccountTexts = {
  faults: {
    insufficient_funds: NO_MONEY,
    insufficient_balance: NO_MONEY,
    http_401: REFUSED,
    http_403: "it doesn't let this account pay",
  },
  findings: {
    credentials: { text: 'The credentials were refused.', next: 'Copy them again from the provider and replace them here.' },
    balance_below_due: {
      text: 'The balance is lower than the sum of the payouts that wait.',
      next: 'Add money to the account: payments that it cannot cover fail, or wait.',
    },
    balance: { text: "The balance can't be read.", next: 'Allow it at the provider. Payouts work without it.' },
    webhook: {
      text: "The provider doesn't notify us of payments.",
      next: "Payouts work without it: we ask the provider instead, which takes longer. Make sure that the provider can reach this server's address over HTTPS.",
    },
  },
};

const NOT_CONFIRMED = "the account's address or identity isn't confirmed";

/** Texts by the name of the rail. One that is not listed has the common ones. */
const TEXTS: Readonly<Record<string, RailAccountTexts>> = {
  paypal: {
    faults: {
      user_country_not_allowed: "PayPal doesn't offer payouts in the country of the account",
      user_funding_source_ineligible: "the account's funding source can't be used for payouts",
      sender_account_locked: LOCKED,
      sender_locked: LOCKED,
      sender_account_unverified: "the account isn't verified",
      sender_restricted: RESTRICTED,
      account_restricted: RESTRICTED,
      sender_state_restricted: RESTRICTED,
      spending_limit_exceeded: "the account's spending limit is reached",
      transaction_limit_exceeded: "the account's limit for a single payment is exceeded",
      pos_limit_exceeded: "the account's limit is reached",
      negative_balance: "the account's balance is negative",
      refused_action_denied: 'the account refused the payment',
      account_unconfirmed_email: NOT_CONFIRMED,
      sender_email_unconfirmed: NOT_CONFIRMED,
      cip_not_verified: NOT_CONFIRMED,
      non_holding_currency: "the account doesn't hold the currency of the payout",
      approver_denied: 'an approver in the PayPal account refused the payment',
      authorization_error: "Payouts isn't enabled for the account",
      batch_denied: 'it denied the payment without a reason',
      authentication_failure: REFUSED,
      invalid_client: REFUSED,
      invalid_token: REFUSED,
      unauthorized_client: REFUSED,
      not_authorized: "Payouts isn't enabled for the account",
      required_scope_missing: "Payouts isn't enabled for the account",
    },
    findings: {
      credentials: {
        text: 'PayPal refused the client ID or the secret key.',
        next: 'Copy the secret key from PayPal again and replace it here. If the client ID or the environment is wrong, connect another account.',
      },
      webhook_address: {
        text: "PayPal can't notify us: this server's address isn't public, or isn't HTTPS.",
        next: 'Payouts work without it: we ask PayPal instead, which takes longer. Ask whoever runs the server to set its public HTTPS address.',
      },
      webhook_events: {
        text: "The webhook at PayPal doesn't send all events, and couldn't be mended.",
        next: 'Payouts work without it. Delete the webhook in the PayPal developer dashboard, then check again: we make a new one.',
      },
      webhook_limit: {
        text: 'Your PayPal app has as many webhooks as PayPal allows.',
        next: 'Payouts work without it. Delete one that you no longer use in the PayPal developer dashboard, then check again.',
      },
      payouts: {
        text: "Payouts isn't enabled for this account.",
        next: 'Ask PayPal to enable Payouts for your business account, which takes days to weeks, then check again.',
      },
      transaction_search: {
        text: "Transaction Search isn't enabled, so payments can't be compared with PayPal's list.",
        next: 'Enable Transaction Search for your app in the PayPal developer dashboard.',
      },
    },
  },
  stripe_connect: {
    faults: {
      balance_insufficient: NO_MONEY,
      transfers_not_allowed: "Stripe doesn't let this account make transfers",
      platform_account_required: "the key doesn't belong to an account with Connect",
      platform_restricted: RESTRICTED,
      account_restricted: RESTRICTED,
      platform_api_key_expired: 'the key has expired',
      api_key_expired: 'the key has expired',
      secret_key_required: 'the key is not a secret key',
      livemode_mismatch: 'the key is of the test mode and the payment of the live mode, or the other way around',
      testmode_charges_only: "the account isn't activated for live payments",
      more_permissions_required: 'the key lacks a permission',
    },
    findings: {
      account: {
        text: "Stripe doesn't show us the account's details.",
        next: 'Allow the key to read the account in the Stripe dashboard. Payouts work without it.',
      },
      account_restricted: {
        text: 'Stripe has restricted the account.',
        next: 'Open the Stripe dashboard, give Stripe what it asks for, then check again.',
      },
      connect: {
        text: "The key doesn't let us create the accounts of payees.",
        next: 'Enable Connect for your account and allow the key to write accounts, then check again.',
      },
      transfers: {
        text: "Stripe doesn't let this account make transfers.",
        next: 'Enable Connect for your account in the Stripe dashboard, then check again.',
      },
    },
  },
  sepa: {
    faults: {
      am04: NO_MONEY,
      ac02: "the bank doesn't know the account",
      ac05: 'the account is closed',
      ac13: "the account can't be used for credit transfers",
      am14: "the account's limit is exceeded",
      am21: "the account's limit is exceeded",
      dnor: "the bank doesn't know its own code",
      rc03: "the account's bank code is wrong",
      rr01: 'the account or the identification of its holder is missing',
      rr02: "the name or address of the account's holder is missing",
      ds0a: 'the data that signs the file is missing or wrong',
      be05: "the bank doesn't know who sent the file",
    },
    findings: {},
  },
};

/** Why an account cannot pay, as a clause; undefined for a code of something else. */
export const accountFaultText = (rail: Rail, code: string): string | undefined => {
  const name = code.toLowerCase();
  const words = { ...COMMON.faults, ...TEXTS[rail]?.faults };
  return Object.hasOwn(words, name) ? words[name] : undefined;
};

/** Why an account cannot pay, with its provider's code: "PayPal refused: there isn't enough money in the account (INSUFFICIENT_FUNDS)". */
export const faultWord = (rail: Rail, code: string): string => {
  const text = accountFaultText(rail, code);
  return text === undefined ? `${labelOf(rail)} refused: ${code}` : `${labelOf(rail)} refused: ${text} (${code})`;
};

export const findingText = (rail: Rail, name: string): FindingText =>
  TEXTS[rail]?.findings[name] ??
  COMMON.findings[name] ?? {
    text: `${labelOf(rail)} reports a problem: ${name}.`,
    next: `Look it up in your account at ${labelOf(rail)}, then check again.`,
  };
