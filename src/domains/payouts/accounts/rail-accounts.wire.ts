import { z } from 'zod';
import { ACCOUNT_FIELD_KINDS, RAIL_ACCOUNT_STATUSES } from '../../../contracts/rail-accounts.ts';
import { labelOf, RAIL_NAME, type Rail } from '../../../contracts/rails.ts';
import { type Stored, toIso, toIsoOrNull } from '../../../platform/database/sql.ts';
import { createdAt, id, updatedAt } from '../../../platform/http/fields.ts';
import { mapOf } from '../../../platform/http/map-of.ts';
import { stringOrNull, timestamp, timestampOrNull } from '../../../platform/http/schemas.ts';
import { faultWord, findingText } from '../../../texts/rail-accounts.merchant.en.ts';
import { maskSettings } from './account-body.rules.ts';

const MAX_FIELDS = 20;
const MAX_TEXT = 5_000;
const name = z.string().max(60);
const rail = z.string().describe('Name of the rail');
const method = z.string().describe('Payout method: `paypal` or `bank_transfer`');

const part = z.union([z.string().max(MAX_TEXT), z.number(), z.boolean()]);

const bounded = { max: MAX_FIELDS, problem: `must have at most ${MAX_FIELDS} fields` };
const object = mapOf(z.record(name, part), { ...bounded, documented: { additionalProperties: true } });

/** What the rail's own schema reads. Bounded here, since rails differ. */
export const railAccountBody = mapOf(z.record(name, z.union([part, object])), {
  ...bounded,
  documented: {
    additionalProperties: true,
    description:
      'Fields of the account, as `rails[].fields` of `GET /merchant/rail-accounts` lists them for the rail. A field whose name has a dot is of an object: `debtorAddress.town` is `{"debtorAddress": {"town": …}}`',
  },
});

/** What a field becomes; null clears it. */
export const railAccountChanges = mapOf(z.record(name, z.union([part, object, z.null()])), {
  ...bounded,
  documented: {
    additionalProperties: true,
    description:
      'Fields to change, as `rails[].fields` of `GET /merchant/rail-accounts` lists them for the rail. The others keep their values, secrets too. An optional field is cleared by `null`, and an object is replaced as a whole',
  },
});

export const railParams = z.strictObject({
  rail: name.regex(RAIL_NAME, 'must be the name of a rail').describe('Name of the rail, as in `GET /merchant/rail-accounts`'),
});

export const railAccountSchema = z
  .object({
    id: id.describe('Id of this version of the account: another account at the provider is another version'),
    rail,
    label: z.string().describe('Name of the provider'),
    isCurrent: z
      .boolean()
      .describe('Whether new payouts are paid from it. Older versions are listed while payments of them are open'),
    settings: z
      .record(z.string(), z.unknown())
      .describe('Fields of the account without its secrets, which are never returned. Some show their last characters only'),
    status: z
      .enum(RAIL_ACCOUNT_STATUSES)
      .describe(
        '`ready`: it can pay. `failing`: the provider refuses, see `findings` and `held`. `unchecked`: the provider has not answered a check yet',
      ),
    findings: z
      .array(
        z.object({
          name: z.string().describe('Permission, setting or credential'),
          isWarning: z.boolean().describe('Whether the account can pay without it'),
          word: z.string().describe('What is missing, in words'),
          next: z.string().describe('How to mend it, in words'),
        }),
      )
      .describe('What the last check found, empty when nothing is missing'),
    held: z
      .object({
        code: z.string().describe("Provider's code"),
        since: timestamp.describe('When it refused first'),
        word: z.string().describe('What the provider said, in words'),
      })
      .nullable()
      .describe(
        'Why nothing is sent from the account now; null when payouts are sent. Payouts wait. It ends by a check that finds nothing, or when a payment that tries it again succeeds',
      ),
    balances: z
      .record(z.string(), z.int())
      .nullable()
      .describe(
        'What the account holds, in minor units by currency, as of the last check; null where the provider does not show it',
      ),
    checkedAt: timestampOrNull.describe('When the provider last answered a check; null before the first answer'),
    unansweredAt: timestampOrNull.describe('When the provider did not answer a check; null once it answered a later one'),
    openPayments: z.int().describe('Payments from this version whose outcome is open'),
    createdAt,
    updatedAt,
  })
  .meta({ id: 'RailAccount' });

export type RailAccountView = z.infer<typeof railAccountSchema>;

/** As it is stored. */
interface RailAccountRow
  extends Stored<
    Pick<
      RailAccountView,
      'id' | 'isCurrent' | 'status' | 'balances' | 'checkedAt' | 'unansweredAt' | 'openPayments' | 'createdAt' | 'updatedAt'
    >,
    'checkedAt' | 'unansweredAt' | 'createdAt' | 'updatedAt'
  > {
  rail: Rail;
  settings: Readonly<Record<string, unknown>>;
  findings: readonly { name: string; isWarning: boolean }[] | null;
  heldCode: string | null;
  heldSince: Date | string | null;
}

export const toRailAccount = ({ rail, settings, findings, heldCode, heldSince, ...row }: RailAccountRow): RailAccountView => ({
  id: row.id,
  rail,
  label: labelOf(rail),
  isCurrent: row.isCurrent,
  settings: maskSettings(rail, settings),
  status: row.status,
  findings: (findings ?? []).map(({ name, isWarning }) => {
    const { text: word, next } = findingText(rail, name);
    return { name, isWarning, word, next };
  }),
  held:
    heldCode !== null && heldSince !== null ? { code: heldCode, since: toIso(heldSince), word: faultWord(rail, heldCode) } : null,
  balances: row.balances ?? null,
  checkedAt: toIsoOrNull(row.checkedAt),
  unansweredAt: toIsoOrNull(row.unansweredAt),
  openPayments: row.openPayments,
  createdAt: toIso(row.createdAt),
  updatedAt: toIso(row.updatedAt),
});

const fieldSchema = z.object({
  name: z.string().describe('Name of the field in the body'),
  label: z.string().describe('Name of the field for people'),
  hint: stringOrNull.describe('Where to find its value; null if it needs no explanation'),
  kind: z.enum(ACCOUNT_FIELD_KINDS).describe('`secret`: never returned'),
  isRequired: z.boolean().describe('Whether it must be sent'),
  options: z
    .array(z.object({ value: z.string().describe('Value in the body'), label: z.string().describe('Its name for people') }))
    .describe('What can be chosen, the default first; empty unless it is a choice'),
});

export const railAccountsSchema = z
  .object({
    accounts: z.array(railAccountSchema).describe('The current account of each rail first, at most 100'),
    rails: z
      .array(
        z.object({
          rail,
          label: z.string().describe('Name of the provider'),
          methods: z.array(method).describe('Payout methods that it may pay'),
          fields: z.array(fieldSchema).describe('What an account of it consists of'),
        }),
      )
      .describe('Rails of which an account can be connected'),
    methods: z
      .array(
        z.object({
          method,
          rail: z.string().describe('Rail that pays it now'),
          label: z.string().describe('Its name for people'),
          chosen: stringOrNull.describe('Rail that you chose by `PATCH /merchant`; null: the one of this installation applies'),
          options: z.array(z.object({ rail, label: z.string().describe('Its name for people') })).describe('What you can choose'),
        }),
      )
      .describe('Which rail pays each payout method'),
  })
  .meta({ id: 'RailAccounts' });

export type RailAccountsView = z.infer<typeof railAccountsSchema>;
