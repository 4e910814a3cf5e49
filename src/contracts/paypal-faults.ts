import { faultTable } from './faults.ts';

/**
 * Reasons of PayPal Payouts, by the names that its API gives (developer.paypal.com/docs/payouts, "transaction activities" and "errors"). The
 * last line of `account` has what OAuth says about credentials; `unclaimed`, `cancelled` and `batch_denied` stand for states that have no
 * reason of their own.
 */
export const PAYPAL_FAULTS = faultTable({
  payee: `receiver_account_locked receiver_refused receiver_country_not_allowed invalid_email invalid_email_id receiver_state_restricted
    closed_market self_pay_not_allowed receiving_limit_exceeded currency_not_supported_for_receiver receiver_unregistered
    receiver_unconfirmed receiver_youth_account unverified_recipient_not_supported receiver_account_invalid receiver_account_limitation
    gamer_failed_country_of_residence_check gamer_failed_funding_source_check unclaimed`,
  account: `insufficient_funds user_country_not_allowed user_funding_source_ineligible sender_account_locked sender_account_unverified
    spending_limit_exceeded account_restricted negative_balance refused_action_denied sender_state_restricted account_unconfirmed_email
    transaction_limit_exceeded pos_limit_exceeded non_holding_currency approver_denied authorization_error required_scope_missing
    cip_not_verified sender_restricted sender_email_unconfirmed sender_locked batch_denied
    authentication_failure not_authorized invalid_client invalid_token unauthorized_client`,
  compliance: `risk_decline currency_compliance regulatory_pending regulatory_blocked transaction_declined_by_travel_rule`,
  order: `zero_amount duplicate_item item_already_cancelled item_cancellation_failed item_incorrect_status sync_mode_not_applicable
    validation_error invalid_request invalid_resource_id batch_not_completed gaming_invalid_payment_flow cancelled`,
  provider: `internal_error rate_limit_reached rate_limit_validation`,
  unclear: `undefined user_business_error request_timeout_exceeded previous_request_in_progress refunded reversed`,
});
