import { expressionBuilder, sql } from '../../../platform/database/sql.ts';
import type { Tables } from '../../tables.ts';
import type { MerchantRails } from './rail-choice.rules.ts';

// Templates: parts of a larger statement, so that what a merchant chose costs none of its own.

const ofMerchant = expressionBuilder<{ m: Tables['merchant'] }, 'm'>();

/** The columns of `MerchantRails`, of a merchant `m`. */
export const MERCHANT_RAILS = [
  ofMerchant.ref('m.payoutRails').as('payoutRails'),
  sql<MerchantRails['railAccounts']>`(select jsonb_object_agg(c.rail, jsonb_build_object('settings', c.settings,
      'isFailing', c.status = 'failing')) from rail_account c where c.merchant_id = m.id and c.is_current)`.as('railAccounts'),
] as const;
