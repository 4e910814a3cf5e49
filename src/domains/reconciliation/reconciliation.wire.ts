import { z } from 'zod';
import { RAIL_NAMES } from '../../contracts/rails.ts';
import {
  DIFFERENCE_KINDS,
  DIFFERENCE_STATUSES,
  type DifferenceKind,
  type DifferenceSide,
  PAYMENTS_HOLD_CAUSES,
  type PaymentsHoldCause,
  RECONCILIATION_PROBLEMS,
  RECONCILIATION_STATUSES,
  RECONCILIATION_TRIGGERS,
  type ReconciliationTotal,
} from '../../contracts/reconciliation.ts';
import { type Stored, toIso, toIsoOrNull } from '../../platform/database/sql.ts';
import { createdAt, id, programFilter } from '../../platform/http/fields.ts';
import { pageQuery } from '../../platform/http/pages.ts';
import {
  amountMinor,
  paragraph,
  storedUuid,
  stringOrNull,
  timestamp,
  timestampOrNull,
  uuid,
} from '../../platform/http/schemas.ts';
import { CLOSED_BY_COMPARISON, differenceForMerchant, paymentsHeldBecause } from '../../texts/reconciliation.merchant.en.ts';

const rail = z.enum(RAIL_NAMES).describe('Provider whose list was compared');
const kind = z
  .enum(DIFFERENCE_KINDS)
  .describe(
    '`missing_there`: we recorded a payment that the provider does not list. `missing_here`: the provider lists a payment with a reference of ours that our books do not have; its payee is on hold. `amount`, `currency`, `fee`, `destination`: these differ. `state`: how the payment ended differs. `twice`: the provider lists several payments. `late`: the provider is taking too long. `unknown_reference`: the provider lists the payment under another reference. More may be added',
  );
const status = z
  .enum(DIFFERENCE_STATUSES)
  .describe(
    '`checking`: we are asking the provider about the payout, which may settle it. `open`: waits for a person. `resolved`: a person looked at it. `closed`: a later comparison no longer found it',
  );

const side = (of: string) =>
  z
    .object({
      state: z.string().describe(`How the payment ended, in the words of ${of}`),
      amount: amountMinor.describe('Amount'),
      currency: z.string().describe('ISO 4217 code, lower case'),
      fee: amountMinor.nullable().describe('What the payment cost; null when that is not known'),
      feeCurrency: stringOrNull.describe('Currency of the fee; null without one'),
      destination: stringOrNull.describe('Where it was paid to, masked; null when that is not known'),
      reference: z.string().describe('How the payment is called there'),
      payments: z.int().min(0).describe('How often it was paid'),
      at: timestamp.describe('When it was paid or sent'),
    })
    .nullable();

export const differenceSchema = z
  .object({
    id,
    kind,
    status,
    rail,
    title: z.string().describe('The kind in words'),
    explanation: z.string().describe('What it means, for people'),
    nextStep: z.string().describe('What to do about it, for people'),
    payoutId: storedUuid.nullable().describe('Payout that it is about; null when our books have none'),
    programId: storedUuid.nullable().describe('Program of the payout; null without one'),
    ours: side('our books').describe('What our books say; null when they have no such payment'),
    theirs: side('the provider').describe('What the provider says; null when it does not list the payment'),
    note: stringOrNull.describe('What whoever resolved it wrote, or why it was closed; null before'),
    linkedPayoutId: storedUuid.nullable().describe('Payout that a person said this payment is of; null without one'),
    resolvedBy: stringOrNull.describe('Who resolved it, as `key:<id>` or `person:<id>`; null for everything else'),
    createdAt,
    seenAt: timestamp.describe('When a comparison found it last'),
    resolvedAt: timestampOrNull.describe('When it was resolved or closed; null before'),
  })
  .meta({ id: 'ReconciliationDifference' });

export type DifferenceView = z.infer<typeof differenceSchema>;

export const differencesQuery = z.strictObject({
  status: status.optional(),
  kind: kind.optional(),
  rail: rail.optional(),
  programId: programFilter,
  ...pageQuery,
});

export const resolveDifferenceBody = z.strictObject({
  note: paragraph(1000).min(1).describe('What you found and did; kept with the difference'),
  payoutId: uuid
    .optional()
    .describe(
      'Only for `missing_here`: the payout that the payment is of. A payout that is still pending is then never sent; mark it as paid once the provider has been asked. Default: it is linked to none',
    ),
});

const sums = (of: string) =>
  z.object({
    payments: z.int().min(0).describe(`Number of payments ${of}`),
    amount: amountMinor.describe('What they paid'),
    fees: amountMinor.describe('What they cost'),
    returned: amountMinor.describe('What of it came back'),
  });

const totalSchema = z.object({
  currency: z.string().describe('Currency of these sums: ISO 4217 code, lower case'),
  ours: sums('in our books').describe('Payments in our books'),
  theirs: sums('of ours that the provider lists').describe('The same payments, as the provider lists them'),
  others: z
    .object({
      movements: z.int().min(0).describe('Number of movements'),
      amount: amountMinor.describe('Their sum, positive when money came in'),
    })
    .describe('What else moved on the account: the balance includes it'),
  opening: amountMinor
    .nullable()
    .describe('Balance when the comparison before this one read it; null for the first one, and where the provider does not say'),
  moved: amountMinor
    .nullable()
    .describe(
      'What the provider lists since then, positive when money came in. With `opening`, it makes `closing`, except for movements that the provider lists late; null without `opening`',
    ),
  closing: amountMinor.nullable().describe('Balance at the end of the period; null where the provider does not say'),
});

export const runSchema = z
  .object({
    id,
    rail,
    status: z.enum(RECONCILIATION_STATUSES).describe('`failed`: see `problem`; nothing can be concluded from such a run'),
    problem: z
      .enum(RECONCILIATION_PROBLEMS)
      .nullable()
      .describe(
        'Why it failed: `provider_unavailable`, `too_many_movements` for one comparison, `no_list` when the provider lists nothing, or `internal_error`; null otherwise',
      ),
    trigger: z
      .enum(RECONCILIATION_TRIGGERS)
      .describe('`schedule`: daily. `hold`: payments were on hold. `operator`: the operator of the server ran it'),
    since: timestamp.describe('Beginning of the period that was compared'),
    until: timestamp.describe('End of the period that was compared'),
    completeUntil: timestamp.describe('Providers list payments late: up to here, the list was complete'),
    payments: z.int().min(0).describe('Payments of our books that were compared'),
    differences: z.int().min(0).describe('Differences of the account that were not settled at its end'),
    totals: z.array(totalSchema).describe('Sums by currency'),
    createdAt,
    endedAt: timestampOrNull.describe('When it ended; null while it is running'),
  })
  .meta({ id: 'ReconciliationRun' });

export type RunView = z.infer<typeof runSchema>;

export const statusSchema = z
  .object({
    openDifferences: z.int().min(0).describe('Differences that wait for a person'),
    comparedAt: timestampOrNull.describe('When an account of yours was last compared to the end; null before the first time'),
    paymentsHeld: z
      .object({
        since: timestamp.describe('Since when nothing is paid'),
        cause: z
          .enum(PAYMENTS_HOLD_CAUSES)
          .describe(
            '`operator`: the operator of the server holds payments. `failover`: another database server took over. `database_replaced`, `database_behind`: a backup was restored. More may be added',
          ),
        explanation: z.string().describe('The cause in words'),
      })
      .nullable()
      .describe('Set while no payment of anybody begins, until the books have been compared with the providers; null otherwise'),
  })
  .meta({ id: 'ReconciliationStatus' });

export type ReconciliationStatusView = z.infer<typeof statusSchema>;

export const runsQuery = z.strictObject({ rail: rail.optional(), ...pageQuery });

export const toPaymentsHeld = ({ heldAt, cause }: { heldAt: string; cause: PaymentsHoldCause }) => ({
  since: toIso(heldAt),
  cause,
  explanation: paymentsHeldBecause[cause],
});

type StoredDifference = Stored<
  Omit<DifferenceView, 'title' | 'explanation' | 'nextStep' | 'ours' | 'theirs'> & {
    ours: DifferenceSide | null;
    theirs: DifferenceSide | null;
  },
  'createdAt' | 'seenAt' | 'resolvedAt'
>;

export const inWords = (kind: DifferenceKind): Pick<DifferenceView, 'title' | 'explanation' | 'nextStep'> => {
  const { label: title, text: explanation, next: nextStep } = differenceForMerchant[kind];
  return { title, explanation, nextStep };
};

export const toDifference = (row: StoredDifference): DifferenceView => ({
  id: row.id,
  kind: row.kind,
  status: row.status,
  rail: row.rail,
  ...inWords(row.kind),
  payoutId: row.payoutId ?? null,
  programId: row.programId ?? null,
  ours: row.ours ?? null,
  theirs: row.theirs ?? null,
  note: row.note ?? (row.status === 'closed' ? CLOSED_BY_COMPARISON : null),
  linkedPayoutId: row.linkedPayoutId ?? null,
  resolvedBy: row.resolvedBy ?? null,
  createdAt: toIso(row.createdAt),
  seenAt: toIso(row.seenAt),
  resolvedAt: toIsoOrNull(row.resolvedAt),
});

type StoredRun = Stored<
  Omit<RunView, 'totals'> & { totals: readonly ReconciliationTotal[] },
  'since' | 'until' | 'completeUntil' | 'createdAt' | 'endedAt'
>;

export const toRun = (row: StoredRun): RunView => ({
  id: row.id,
  rail: row.rail,
  status: row.status,
  problem: row.problem ?? null,
  trigger: row.trigger,
  since: toIso(row.since),
  until: toIso(row.until),
  completeUntil: toIso(row.completeUntil),
  payments: row.payments,
  differences: row.differences,
  totals: [...row.totals],
  createdAt: toIso(row.createdAt),
  endedAt: toIsoOrNull(row.endedAt),
});
