import { z } from 'zod';
import { PAYOUT_METHODS } from '../../contracts/affiliates.ts';
import { toDecimal } from '../../contracts/currencies.ts';
import { MAX_RUN_AFFILIATES, PAYOUT_RUN_STATUSES, RUN_CANCEL_REASONS } from '../../contracts/payout-runs.ts';
import { PAYOUT_STATUSES } from '../../contracts/payouts.ts';
import { RAIL_NAMES } from '../../contracts/rails.ts';
import { RUN_ACTIONS, RUN_NEXT, RUN_REASONS, RUN_STATES } from '../../contracts/situations/payout-run.ts';
import { toIso, toIsoOrNull } from '../../platform/database/sql.ts';
import { availableActionsOf } from '../../platform/http/available-actions.ts';
import { affiliateId, createdAt, currencyCode, email, id, programFilter, programId } from '../../platform/http/fields.ts';
import { pageQuery } from '../../platform/http/pages.ts';
import {
  amountMinor,
  amountsByCurrency,
  idParams,
  line,
  nameLine,
  positiveAmount,
  storedUuid,
  stringOrNull,
  timestampOrNull,
  uuid,
  withTextsOf,
} from '../../platform/http/schemas.ts';
import { situationOf } from '../../platform/http/situation.ts';
import { feeSchema } from '../payouts/index.ts';

/** What became of an item's payout, or that there is none yet or never will be. */
export const SHOWN_RESULTS = ['planned', ...PAYOUT_STATUSES, 'left_out'] as const;
export type ShownResult = (typeof SHOWN_RESULTS)[number];

const methodOrNull = z.enum(PAYOUT_METHODS).nullable();
const totalByCurrency = z
  .record(z.string(), z.int())
  .meta({ override: { type: 'object', additionalProperties: { type: 'integer' } } });

export const payoutRunSchema = z
  .object({
    id,
    name: stringOrNull.describe('Your own name for the run; null if there is none'),
    programId: storedUuid.nullable().describe('Program whose affiliates are paid; null for all programs'),
    method: methodOrNull.describe('Payout method of those who are paid; null for all methods'),
    minAmount: amountMinor
      .nullable()
      .describe('Smallest amount that is paid, in minor units, above the thresholds of programs; null for none'),
    executionDate: z.iso.date().nullable().describe('When the bank executes a bank file of the run; null for as soon as it can'),
    status: z
      .enum(PAYOUT_RUN_STATUSES)
      .describe(
        '`draft`: nothing is promised. `awaiting_approval`: a second actor has to approve. `running`: payouts are created and carried out. `paused`: none is created. `completed`: all payouts are final. `cancelled`: no further payout is created',
      ),
    cancelReason: z.enum(RUN_CANCEL_REASONS).nullable().describe('Why the run was cancelled; null if it was not'),
    total: totalByCurrency.describe(
      'What the draft would pay, by currency in integer minor units. Confirm it as `total`; no more is paid',
    ),
    items: z.int().describe('Number of affiliates whom the draft would pay. Confirm it as `items`'),
    createdBy: z.string().describe('Who drafted it: a key, or the system for a scheduled run'),
    createdAt,
    confirmedBy: stringOrNull.describe(
      'Key or person that confirmed it, or that let a scheduled run confirm itself; null before',
    ),
    confirmedAt: timestampOrNull.describe('When the run was confirmed; null before'),
    approvedBy: stringOrNull.describe('Key or person that approved it; null if nobody did or had to'),
    approvedAt: timestampOrNull.describe('When a second actor approved the run; null if nobody did or had to'),
    pausedAt: timestampOrNull.describe('Since when the run is paused; null if it is not'),
    finishedAt: timestampOrNull.describe('When the run was completed or cancelled; null before'),
  })
  .meta({ id: 'PayoutRun' });

const runTotalSchema = z
  .object({
    currency: currencyCode,
    rail: z.enum(RAIL_NAMES).nullable().describe('What would execute the payment; null without payout details'),
    result: z.enum(SHOWN_RESULTS).describe('As in the items of the run'),
    reason: stringOrNull.describe('Why nobody was paid: a code; null unless `left_out` or `failed`'),
    items: z.int().describe('Number of affiliates'),
    amount: amountMinor.describe('Sum of what was paid or, without a payout, of what is payable'),
    fee: amountMinor.describe(
      'Sum of what providers charged beside the amounts and did not give back, as far as they reported it',
    ),
  })
  .meta({ id: 'PayoutRunTotal' });

const situated = { situation: situationOf({ states: RUN_STATES, reasons: RUN_REASONS, next: RUN_NEXT }) };

export const payoutRunRecordSchema = payoutRunSchema.extend(situated).meta({ id: 'PayoutRunRecord' });

const details = {
  totals: z.array(runTotalSchema).describe('By currency, rail, result and reason. Amounts are never summed across currencies'),
  progress: z
    .object({
      waiting: z.int().describe('Affiliates whose turn has not come'),
      open: z.int().describe('Payouts that are pending or processing'),
      final: z.int().describe('Payouts that are completed or failed'),
      perMinute: z
        .number()
        .nullable()
        .describe('Payouts that became final in a minute, in the last ten; null when it does not run'),
      expectedEndAt: timestampOrNull.describe(
        'When all payouts will be final at this rate, and not before the provider takes them at its pace; null when it cannot be said',
      ),
    })
    .describe('How far the run is'),
  digest: stringOrNull.describe(
    'Names the manual payouts that are processing. Confirm it as `digest` of `…/complete`; null if there are none',
  ),
  notHandedOut: z.int().describe('How many of them were in no payment file yet'),
};

export const payoutRunDetailSchema = payoutRunSchema.extend(details).meta({ id: 'PayoutRunDetail' });

export const payoutRunDetailRecordSchema = payoutRunRecordSchema.extend(details).meta({ id: 'PayoutRunDetailRecord' });

/** A run that was requested alone: what callers can do with it depends on who they are. */
export const payoutRunPageSchema = payoutRunDetailRecordSchema
  .extend({
    fees: z.array(feeSchema).describe('What providers charged beside the amounts of the run, one per currency'),
    availableActions: availableActionsOf(RUN_ACTIONS),
  })
  .meta({ id: 'PayoutRunPage' });

export type PayoutRunView = z.infer<typeof payoutRunSchema>;
export type PayoutRunRecord = z.infer<typeof payoutRunRecordSchema>;
export type PayoutRunDetail = z.infer<typeof payoutRunDetailSchema>;
export type PayoutRunPage = z.infer<typeof payoutRunPageSchema>;
export type PayoutRunDetailRecord = z.infer<typeof payoutRunDetailRecordSchema>;
export type RunTotal = z.infer<typeof runTotalSchema>;

export const payoutRunItemSchema = z
  .object({
    affiliateId,
    code: z.string().describe('Referral code of the affiliate'),
    email,
    programId,
    currency: currencyCode,
    amount: amountMinor.describe('What the draft shows: no more is paid'),
    rail: runTotalSchema.shape.rail,
    destination: stringOrNull.describe('Where the affiliate is paid, masked; null without payout details'),
    result: z
      .enum(SHOWN_RESULTS)
      .describe('`planned`: the turn has not come. `left_out`: no payout, `reason` says why. Otherwise the status of the payout'),
    reason: stringOrNull.describe('Code of why the affiliate is left out or the payout failed; null otherwise'),
    railReason: stringOrNull.describe("The provider's own code for the failure or return of the payout; null otherwise"),
    payoutId: storedUuid.nullable().describe('The payout; null if there is none'),
    paidAmount: amountMinor
      .nullable()
      .describe(
        'Amount of the payout when it was created, in minor units, less than `amount` when less was payable by then; null without one',
      ),
  })
  .meta({ id: 'PayoutRunItem' });

export type PayoutRunItemView = z.infer<typeof payoutRunItemSchema>;

export const createPayoutRunBody = z.strictObject(
  withTextsOf(payoutRunSchema, {
    programId: uuid.optional().describe('Program whose affiliates are paid. Default: all programs'),
    affiliateIds: z
      .array(uuid)
      .min(1)
      .max(MAX_RUN_AFFILIATES)
      .optional()
      .describe('Only these affiliates. Default: all with a payable balance'),
    method: z.enum(PAYOUT_METHODS).optional().describe('Only affiliates who chose this payout method. Default: all methods'),
    minAmount: positiveAmount
      .optional()
      .describe('Pays nobody less, in minor units of each currency. It only raises the thresholds of programs. Default: none'),
    name: nameLine(100).optional().describe('Your own name for the run. Default: none'),
    executionDate: z.iso.date().optional().describe('When the bank executes a bank file of the run. Default: as soon as it can'),
  }),
);

export const confirmPayoutRunBody = z.strictObject({
  total: amountsByCurrency.describe('`total` of the run as you saw it'),
  items: z.int().min(1).max(1_000_000).describe('`items` of the run as you saw it'),
});

export const payoutRunsQuery = z.strictObject({
  programId: programFilter,
  status: z.enum(PAYOUT_RUN_STATUSES).optional().describe('Only runs with this status'),
  ...pageQuery,
});

export const payoutRunItemsQuery = z.strictObject({
  result: z.enum(SHOWN_RESULTS).optional().describe('Only items with this result'),
  reason: line(100).optional().describe('Only items with this reason, for example `BELOW_THRESHOLD`'),
  ...pageQuery,
});

export const payoutRunExportQuery = z.strictObject({
  format: z.literal('csv').default('csv').describe('Format of the file. Default: csv'),
});

export const payoutRunItemParams = idParams.extend({
  affiliateId: uuid.describe('Affiliate to take out of the draft: the membership, as in the items'),
});

type Time = 'createdAt' | 'confirmedAt' | 'approvedAt' | 'pausedAt' | 'finishedAt';
/** A run as an entity or as a row. */
export type RunLike = {
  [Name in keyof PayoutRunView]:
    | (Name extends Time ? Date | string : PayoutRunView[Name])
    | (null extends PayoutRunView[Name] ? null | undefined : never);
};

export const toPayoutRun = (run: RunLike): PayoutRunView => ({
  id: run.id,
  name: run.name ?? null,
  programId: run.programId ?? null,
  method: run.method ?? null,
  minAmount: run.minAmount ?? null,
  executionDate: run.executionDate ?? null,
  status: run.status,
  cancelReason: run.cancelReason ?? null,
  total: run.total,
  items: run.items,
  createdBy: run.createdBy,
  createdAt: toIso(run.createdAt),
  confirmedBy: run.confirmedBy ?? null,
  confirmedAt: toIsoOrNull(run.confirmedAt),
  approvedBy: run.approvedBy ?? null,
  approvedAt: toIsoOrNull(run.approvedAt),
  pausedAt: toIsoOrNull(run.pausedAt),
  finishedAt: toIsoOrNull(run.finishedAt),
});

export const decimalOrNull = (minor: number | null, currency: string): string | null =>
  minor === null ? null : toDecimal(minor, currency);
