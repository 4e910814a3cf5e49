import { faultTable } from './faults.ts';

/** Codes of Stripe's API for transfers, and `http_<status>` where an error has none. */
export const STRIPE_FAULTS = faultTable({
  payee: `insufficient_capabilities_for_transfer account_invalid account_closed no_account resource_missing
    not_allowed_on_standard_account payouts_not_allowed`,
  account: `balance_insufficient insufficient_funds transfers_not_allowed platform_account_required platform_restricted
    platform_api_key_expired api_key_expired secret_key_required account_restricted livemode_mismatch testmode_charges_only
    more_permissions_required http_401 http_403`,
  order: `amount_too_small amount_too_large parameter_invalid_integer parameter_invalid_empty parameter_missing parameter_unknown
    invalid_currency currency_not_supported country_unsupported`,
  unclear: 'reversed',
  provider: 'idempotency_key_in_use lock_timeout rate_limit http_409 http_429',
});
