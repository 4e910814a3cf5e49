import { faultTable, ISO_FAULTS } from './faults.ts';

/** The sandbox provider stands for any other, so its table has the names that providers use, and those of banks. */
export const SANDBOX_FAULTS = faultTable(
  {
    payee: `invalid_details account_closed account_blocked account_frozen account_invalid account_not_found invalid_account
      invalid_recipient recipient_invalid recipient_not_found recipient_refused recipient_not_supported receiver_unregistered
      receiver_unconfirmed`,
    account: 'insufficient_funds insufficient_balance',
    order: 'currency_not_supported amount_not_supported amount_above_limit country_not_supported',
  },
  ISO_FAULTS,
);
