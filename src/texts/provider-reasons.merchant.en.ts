import { ISO_FAULTS } from '../contracts/faults.ts';
import type { Rail } from '../contracts/rails.ts';
import { upperFirst } from '../contracts/workflows/text.ts';
import { bankReasonText } from './bank-files.merchant.en.ts';
import { accountFaultText } from './rail-accounts.merchant.en.ts';

type Words = Readonly<Record<string, string>>;

const CANNOT_RECEIVE = "the recipient's account can't receive payments";
const LIMITED = "the recipient's account is restricted";
const INVALID = "the recipient's details are wrong";
const CLOSED = "the recipient's account is closed";
const NO_SUCH = "the recipient's account doesn't exist";
const ERROR = 'the provider had an error of its own';
const BUSY = 'the provider was busy';
const OURS = "the provider didn't understand the order";
const CURRENCY = "the provider doesn't pay this currency";
const COUNTRY = "the provider doesn't pay to this country";
const NO_REASON = 'the provider gives no reason';

/** Providers whose codes agree. Codes in lower case. */
const COMMON: Words = {
  account_closed: CLOSED,
  account_blocked: "the recipient's account is blocked",
  account_frozen: "the recipient's account is blocked",
  account_invalid: INVALID,
  account_not_found: NO_SUCH,
  invalid_account: INVALID,
  invalid_details: INVALID,
  invalid_recipient: INVALID,
  recipient_invalid: INVALID,
  recipient_not_found: NO_SUCH,
  recipient_refused: 'the recipient refused the payment',
  recipient_not_supported: CANNOT_RECEIVE,
  receiver_unregistered: "the recipient has no account with this address and didn't open one in time",
  receiver_unconfirmed: "the recipient hasn't confirmed the address",
  currency_not_supported: CURRENCY,
  amount_not_supported: "the provider doesn't pay this amount",
  amount_above_limit: "the amount is above the provider's limit",
  country_not_supported: COUNTRY,
};

/** By the name of the rail. Codes in lower case. */
const WORDS: Readonly<Record<string, Words>> = {
  paypal: {
    receiver_account_locked: "the recipient's PayPal account is locked",
    receiver_refused: 'the recipient refused the payment',
    receiver_country_not_allowed: "PayPal doesn't pay to the recipient's country",
    invalid_email: 'the email address is wrong',
    invalid_email_id: 'the email address is wrong',
    receiver_state_restricted: "PayPal doesn't pay to the recipient's state",
    closed_market: "PayPal doesn't pay from your country to the recipient's",
    self_pay_not_allowed: "the address belongs to your own PayPal account, which can't pay itself",
    receiving_limit_exceeded: "the recipient's PayPal account can't receive that much",
    currency_not_supported_for_receiver: "the recipient's PayPal account can't receive this currency",
    receiver_youth_account: "the recipient's PayPal account belongs to a minor",
    unverified_recipient_not_supported: "the recipient hasn't verified the PayPal account",
    receiver_account_invalid: "the recipient's PayPal account can't be used",
    receiver_account_limitation: LIMITED,
    gamer_failed_country_of_residence_check: "PayPal doesn't pay to the recipient's country",
    gamer_failed_funding_source_check: CANNOT_RECEIVE,
    unclaimed: 'nobody claimed the payment in time',
    risk_decline: "PayPal's risk check declined it and gives no details",
    currency_compliance: "rules for this currency don't allow the payment",
    regulatory_pending: 'PayPal is reviewing the payment for legal reasons',
    regulatory_blocked: 'PayPal blocked the payment for legal reasons',
    transaction_declined_by_travel_rule: 'PayPal declined the payment for legal reasons',
    zero_amount: 'the amount is zero',
    duplicate_item: 'PayPal already has this payment',
    item_already_cancelled: 'the payment was already cancelled',
    item_cancellation_failed: "PayPal couldn't cancel the payment",
    item_incorrect_status: "the payment can't be cancelled anymore",
    sync_mode_not_applicable: OURS,
    validation_error: OURS,
    invalid_request: OURS,
    invalid_resource_id: "PayPal doesn't have this payment",
    batch_not_completed: "PayPal hasn't finished the payment",
    gaming_invalid_payment_flow: "the recipient's account takes payments of games only",
    cancelled: 'the payment was cancelled at PayPal',
    internal_error: ERROR,
    rate_limit_reached: BUSY,
    rate_limit_validation: BUSY,
    undefined: NO_REASON,
    user_business_error: NO_REASON,
    request_timeout_exceeded: BUSY,
    previous_request_in_progress: 'PayPal was still working on the same order',
    refunded: 'the recipient or PayPal sent the money back',
    reversed: 'PayPal took the payment back',
  },
  stripe_connect: {
    insufficient_capabilities_for_transfer: "the recipient's Stripe account can't receive transfers yet",
    no_account: NO_SUCH,
    resource_missing: NO_SUCH,
    not_allowed_on_standard_account: "the recipient's Stripe account can't receive transfers",
    payouts_not_allowed: LIMITED,
    amount_too_small: 'the amount is too small',
    amount_too_large: 'the amount is too large',
    parameter_invalid_integer: OURS,
    parameter_invalid_empty: OURS,
    parameter_missing: OURS,
    parameter_unknown: OURS,
    invalid_currency: CURRENCY,
    country_unsupported: COUNTRY,
    reversed: 'the transfer was reversed at Stripe',
    idempotency_key_in_use: 'Stripe was still working on the same order',
    lock_timeout: BUSY,
    rate_limit: BUSY,
    http_409: BUSY,
    http_429: BUSY,
  },
};

/** What a provider says about a payment, with its own word: "The recipient's account is closed (ACCOUNT_CLOSED)". Null: no list has it. */
export const providerReason = (rail: Rail, code: string): string | null => {
  const name = code.toLowerCase();
  const words = { ...COMMON, ...WORDS[rail] };
  const text = Object.hasOwn(words, name) ? words[name] : accountFaultText(rail, code);
  if (text !== undefined) return `${upperFirst(text)} (${code})`;
  return ISO_FAULTS.has(name) ? bankReasonText(code) : null;
};
