import { z } from 'zod';
import { MAX_RUN_ITEMS, PAYMENT_FILE_FORMATS } from '../../contracts/payout-runs.ts';
import { PAYOUT_STATUSES, type PayoutStatus } from '../../contracts/payouts.ts';
import { AppError } from '../../platform/errors.ts';
import {
  amountsByCurrency,
  fileText,
  paragraph,
  queryBoolean,
  stringOrNull,
  timestampOrNull,
  uuid,
} from '../../platform/http/schemas.ts';
import { bankTimes, type PaymentFiles } from '../payouts/index.ts';
import type { Worked } from './each-payout.steps.ts';

export const MAX_RESULT_LINES = MAX_RUN_ITEMS;
const MAX_RESULTS_CHARS = 1_000_000;

const BULK_RESULTS = ['done', 'unchanged', 'refused', 'remaining'] as const;

const itemSchema = z.object({
  payoutId: stringOrNull.describe('The payout; null for a line that names none'),
  result: z
    .enum(BULK_RESULTS)
    .describe(
      '`unchanged`: it was so before, with the same reference and date. `refused`: see `reason`. `remaining`: the request had no time for it',
    ),
  status: z.enum(PAYOUT_STATUSES).nullable().describe('Status of the payout now; null if it was refused or is remaining'),
  reason: stringOrNull.describe(
    'Why it was refused: `details.reason` of the same error for one payout, or its code; null if it was not. For a person to look at: `PAID_TWICE`, `NEVER_PAID`, `OTHER_REFERENCE`, `OTHER_DATE` and `AMOUNT_DIFFERS` contradict what is known. `NO_RESULT`: the line says nothing',
  ),
  message: stringOrNull.describe('The same for people; null if it was not refused'),
});

const counts = {
  done: z.int().describe('Payouts that changed'),
  unchanged: z.int().describe('Payouts that were so before'),
  refused: z.int().describe('Payouts, or lines of the file, that were refused; nothing changed for them'),
  remaining: z
    .int()
    .describe('Payouts that the request had no time for: send it again, with the same idempotency key or a new one'),
};

export const bulkReportSchema = z
  .object({ ...counts, items: z.array(itemSchema).describe('One for each payout, in no particular order') })
  .meta({ id: 'BulkReport' });
export type BulkReport = z.infer<typeof bulkReportSchema>;

export const resultsReportSchema = z
  .object({
    ...counts,
    lines: z
      .array(itemSchema.extend({ line: z.int().describe('Number of the line in the file, from 1; the header has one too') }))
      .describe('One for each line of the file, in its order'),
  })
  .meta({ id: 'ResultsReport' });
export type ResultsReport = z.infer<typeof resultsReportSchema>;

export const runFileSchema = z
  .object({
    files: z
      .array(
        z.object({
          name: z.string().describe('Name of the file'),
          payouts: z.int().describe('Number of payouts in the file'),
          content: z.string().describe('The file: CSV in UTF-8 with the recipients in clear'),
          url: z.url().nullable().describe('URL of this file. Whoever has it can use it until `expiresAt`'),
        }),
      )
      .describe('More than one where a provider takes one currency, or so many rows, per file'),
    omitted: z.array(z.string()).describe('Ids of payouts that the format cannot pay. They are not handed out'),
    url: z.url().nullable().describe('URL of the file; null if there is none, or if there are several, which have their own'),
    expiresAt: timestampOrNull.describe('When the URLs stop working, ten minutes after they were created; null without a file'),
    digest: stringOrNull.describe(
      'Names the manual payouts of the run that are processing, in these files or not. Confirm it as `digest` of `…/complete`; null if there are none',
    ),
    items: z.int().describe('How many payouts `digest` names'),
    totals: z
      .record(z.string(), z.int())
      .meta({ override: { type: 'object', additionalProperties: { type: 'integer' } } })
      .describe('What they are, by currency in integer minor units'),
    handedOut: z
      .object({
        payouts: z.int().describe('How many of them were in a file before'),
        lastAt: timestampOrNull.describe('When that was last; null if there are none'),
        lastBy: stringOrNull.describe(
          'Name of the key, the person or the part of the system that read that file; null if there are none',
        ),
      })
      .describe('Payouts that were in a file before. They are left out unless you send `again=true`'),
  })
  .meta({ id: 'PayoutRunFiles' });

type RunFilesView = z.input<typeof runFileSchema>;
export type HandedOut = RunFilesView['handedOut'];
/** Without URLs, which only a caller with a key or a role gets. `fileId`: null without a file. */
export interface RunFiles extends Omit<RunFilesView, 'files' | 'url' | 'expiresAt'>, Pick<PaymentFiles, 'files'> {
  fileId: string | null;
}

export const runFileQuery = z.strictObject({
  format: z
    .enum(PAYMENT_FILE_FORMATS)
    .default('csv')
    .describe(
      "`csv`: all columns. `paypal`: PayPal's file for Payouts on the web. `wise`: Wise's batch template, for EUR by IBAN, for PayPal addresses by email. Default: csv",
    ),
  again: queryBoolean.optional().describe('true: also payouts that were in a file before. Default: false'),
});

const payoutIds = z.array(uuid).min(1).max(MAX_RUN_ITEMS).describe('Payouts of the run');
const note = paragraph(1000);

const payoutsDigest = z
  .string()
  .length(64)
  .regex(/^[0-9a-f]*$/, 'must be hexadecimal digits');

export const completeRunBody = z
  .strictObject({
    payoutIds: payoutIds.optional().describe('Payouts of the run. Default: those that `digest` names'),
    digest: payoutsDigest
      .optional()
      .describe('`digest` of the run or of its file: the payouts that were processing when you saw it. Default: not compared'),
    items: z.int().min(0).max(MAX_RUN_ITEMS).optional().describe('How many payouts these are, as you saw. Default: not compared'),
    total: amountsByCurrency.optional().describe('What they are, by currency in integer minor units. Default: not compared'),
    note: note.optional().describe('Text for your own records. Default: none'),
    executedAt: bankTimes.executedAt,
  })
  .refine(({ payoutIds, digest }) => payoutIds !== undefined || digest !== undefined, {
    path: ['payoutIds'],
    message: 'is required without digest',
  });

export const failRunBody = z.strictObject({
  payoutIds,
  note: note.optional().describe('Text for your own records. Default: none'),
});

export const returnRunBody = z.strictObject({
  payoutIds,
  note: note.min(1).describe('How you know'),
  occurredAt: bankTimes.occurredAt,
});

export const resultsBody = z.strictObject({
  csv: fileText(MAX_RESULTS_CHARS).describe(
    'CSV with a header. `payoutId` and `result` (`paid`, `failed` or `returned`) are required; `bankReference`, `executedAt`, `amount` and `currency` are optional. At most 10,000 lines',
  ),
});

/** What a payout is after the work, and whether it was that before. */
export interface Done {
  status: PayoutStatus;
  unchanged: boolean;
}

/** `null`: nothing was done for want of time. */
export const toItem = (payoutId: string | null, outcome: AppError | Done | null): z.infer<typeof itemSchema> => {
  if (outcome instanceof AppError) {
    const { reason } = outcome.details ?? {};
    const code = typeof reason === 'string' ? reason : outcome.code;
    return { payoutId, result: 'refused', status: null, reason: code, message: outcome.message };
  }
  if (outcome === null) return { payoutId, result: 'remaining', status: null, reason: null, message: null };
  return { payoutId, result: outcome.unchanged ? 'unchanged' : 'done', status: outcome.status, reason: null, message: null };
};

export const toReport = ({ outcomes, remaining }: Worked<Done>): BulkReport => {
  const items = [
    ...outcomes.map((outcome) => toItem(outcome.payoutId, 'done' in outcome ? outcome.done : outcome.refused)),
    ...remaining.map((payoutId) => toItem(payoutId, null)),
  ];
  const countOf = (result: (typeof BULK_RESULTS)[number]) => items.filter((item) => item.result === result).length;
  return {
    done: countOf('done'),
    unchanged: countOf('unchanged'),
    refused: countOf('refused'),
    remaining: countOf('remaining'),
    items,
  };
};
