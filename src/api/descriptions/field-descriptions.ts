import { ACCOUNTS_FIELDS } from './accounts-fields.ts';
import { APPLICATIONS_FIELDS } from './applications-fields.ts';
import { BILLING_FIELDS } from './billing-fields.ts';
import { EVENTS_FIELDS } from './events-fields.ts';
import { JOINING_FIELDS } from './joining-fields.ts';
import { MARKETPLACE_FIELDS } from './marketplace-fields.ts';
import { ME_FIELDS } from './me-fields.ts';
import { PAYOUTS_FIELDS } from './payouts-fields.ts';
import { RESOURCES_FIELDS } from './resources-fields.ts';
import { SALES_FIELDS } from './sales-fields.ts';
import { SHARED_FIELDS } from './shared-fields.ts';
import { TRACKING_FIELDS } from './tracking-fields.ts';

/**
 * Descriptions of fields and parameters that their schema leaves without one. Keys, most specific first:
 * `<schema or operation>.<field>`, then `<field>`. Units of amounts, times and days are added from the schema.
 */
export const FIELD_DESCRIPTIONS: Readonly<Record<string, string>> = {
  ...SHARED_FIELDS,
  ...ACCOUNTS_FIELDS,
  ...ME_FIELDS,
  ...APPLICATIONS_FIELDS,
  ...PAYOUTS_FIELDS,
  ...SALES_FIELDS,
  ...EVENTS_FIELDS,
  ...TRACKING_FIELDS,
  ...MARKETPLACE_FIELDS,
  ...JOINING_FIELDS,
  ...BILLING_FIELDS,
  ...RESOURCES_FIELDS,
};
