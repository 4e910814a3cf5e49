import { z } from 'zod';
import { BANK_FILE_ACTIONS, BANK_FILE_STATUSES, BOOKING_PROBLEMS } from '../../contracts/bank-files.ts';
import { MAX_RUN_ITEMS } from '../../contracts/payout-runs.ts';
import { RAIL_NAMES } from '../../contracts/rails.ts';
import { availableActionsOf } from '../../platform/http/available-actions.ts';
import * as fields from '../../platform/http/fields.ts';
import { pageQuery } from '../../platform/http/pages.ts';
import {
  amountMinor,
  fileText,
  line,
  paragraph,
  storedUuid,
  stringOrNull,
  timestamp,
  timestampOrNull,
  uuid,
} from '../../platform/http/schemas.ts';

/** Size of a file in a body. */
const MAX_CONTENT_CHARS = 1_000_000;
/** Payouts of a preview that are listed with what is special about them. */
export const MAX_PREVIEWED = 200;

const resultsSchema = z.object({
  open: z.int().describe('Payments about which the bank said nothing yet'),
  accepted: z.int().describe('Payments that the bank accepted and has not booked yet'),
  paid: z.int().describe('Payments that the bank booked'),
  failed: z.int().describe('Payments that the bank rejected, or of a discarded file: their amounts are payable again'),
  returned: z.int().describe('Payments that came back: their amounts are payable again'),
});

export const bankFileSchema = z
  .object({
    id: fields.id,
    rail: z.enum(RAIL_NAMES).describe('Rail whose payments are in the file'),
    accountId: storedUuid.describe('Version of the payout account that pays'),
    account: z.string().describe('The same by its number, masked'),
    messageId: z.string().describe('Name of the file at the bank: date, running number and account'),
    name: z.string().describe('Name under which the file is downloaded'),
    status: z
      .enum(BANK_FILE_STATUSES)
      .describe(
        '`making`: payments are being added; send the request again if it stays so. `ready`: can be downloaded. `discarding` and `discarded`: no bank executes it',
      ),
    executionDate: z.iso.date().describe('Day on which the bank executes it'),
    instant: z.boolean().describe('Whether instant payments are ordered'),
    single: z.boolean().describe('Whether it was made for one payout'),
    runId: storedUuid.nullable().describe('Run whose payouts it holds; null for a file of all that waited'),
    payments: z.int().describe('Number of payments'),
    total: amountMinor.describe('Sum of the payments, in integer minor units'),
    currency: fields.currencyCode,
    digest: stringOrNull.describe('SHA-256 of the file in hexadecimal digits; null while it is being made'),
    results: resultsSchema.describe('What became of the payments'),
    payeeMismatches: z
      .int()
      .describe(
        'Payees whose name does not match the account, as the bank says. You authorize or cancel the file at the bank as a whole',
      ),
    bankState: stringOrNull.describe(
      'Code that the bank reported last about the whole file, such as ACTC; null if it reported none',
    ),
    bankStateAt: timestampOrNull.describe('When that was imported'),
    acceptedAt: timestampOrNull.describe('When the bank first accepted any of it. It cannot be discarded after that'),
    createdBy: z.string().describe('Who made it'),
    createdAt: fields.createdAt,
    readyAt: timestampOrNull.describe('When it was ready; null while it is being made'),
    downloads: z.int().describe('How often it was downloaded'),
    downloadedBy: z.array(z.string()).describe('Who downloaded it'),
    downloadedAt: timestampOrNull.describe('When it was last downloaded; null if it never was'),
    handedOverAt: timestampOrNull.describe('When it was written to the outbox of the server; null if it was not'),
    discardedBy: stringOrNull.describe('Who discarded it; null unless it was'),
    discardedAt: timestampOrNull.describe('When it was discarded; null unless it was'),
    discardNote: stringOrNull.describe('Why it was discarded; null unless it was'),
  })
  .meta({ id: 'BankFile' });
export type BankFileView = z.input<typeof bankFileSchema>;

const DISCARD_ASKS = ['note', 'name', 'second_actor'] as const;
export type DiscardAsks = (typeof DISCARD_ASKS)[number];

export const bankFileRecordSchema = bankFileSchema
  .extend({
    discardAsks: z
      .enum(DISCARD_ASKS)
      .describe(
        'What discarding needs. `note`: why, and nothing else. `name`: the name of the file too, since somebody got it. `second_actor`: neither who made nor who downloaded it may discard it',
      ),
    availableActions: availableActionsOf(BANK_FILE_ACTIONS),
  })
  .meta({ id: 'BankFileRecord' });
export type BankFileRecord = z.input<typeof bankFileRecordSchema>;

export const bankFileLineSchema = z
  .object({
    id: fields.id,
    position: z.int().describe('Number of the payment in the file, from 1'),
    payoutId: storedUuid.describe('Payout that it pays'),
    affiliateCode: z.string().describe('Referral code under which the affiliate is known'),
    amount: amountMinor.describe('What is paid, in integer minor units'),
    currency: fields.currencyCode,
    status: z.enum(['open', 'accepted', 'paid', 'failed', 'returned']).describe('What became of it'),
    payee: stringOrNull.describe("Account holder as in the affiliate's payout details; null after an erasure"),
    payeeAsSent: stringOrNull.describe('The same in the characters that banks take, as the file has it'),
    account: stringOrNull.describe('Account that is paid, masked'),
    state: stringOrNull.describe('Code that the bank reported last about it, such as ACSC; null if it reported none'),
    reason: stringOrNull.describe("The bank's code for why it was rejected or came back"),
    payeeCheck: stringOrNull.describe(
      '`match`, `close_match`, `no_match`, `not_applicable`, `not_completed` or `mismatches`: how the bank compared the name; null if it did not',
    ),
    suggestedName: stringOrNull.describe('Name of the account holder that the bank suggests for a close match'),
  })
  .meta({ id: 'BankFileLine' });
export type BankFileLineView = z.input<typeof bankFileLineSchema>;

const previewedSchema = {
  payoutId: storedUuid.describe('Payout that it pays'),
  affiliateCode: z.string().describe('Referral code under which the affiliate is known'),
};

export const bankFilePreviewSchema = z
  .object({
    account: z.string().describe('Account that would pay, masked'),
    payments: z.int().describe('Payments that the file would hold'),
    total: amountMinor.describe('Sum of these payments, in integer minor units'),
    currency: fields.currencyCode
      .nullable()
      .describe('Currency of the amounts: ISO 4217 code, lower case; null if no payout waits'),
    files: z.int().describe('Number of files that they would become: your bank takes a limited number of payments in each'),
    executionDate: z.iso.date().describe('Day on which the bank would execute it, unless you name another'),
    instant: z.boolean().describe('Whether instant payments would be ordered, unless you say otherwise'),
    changedNames: z.int().describe('Payees whose name contains characters that banks do not take'),
    changed: z
      .array(
        z.object({
          ...previewedSchema,
          payee: z.string().describe("Account holder as in the affiliate's payout details"),
          payeeAsSent: z.string().describe('The same in the characters that banks take, as the file would have it'),
        }),
      )
      .max(MAX_PREVIEWED)
      .describe('The first 200 of those'),
    leftOut: z.int().describe('Payouts that wait and that the file would not hold'),
    heldBack: z
      .array(
        z.object({
          ...previewedSchema,
          amount: amountMinor.describe('Its amount, in integer minor units'),
          reason: z.string().describe('Stable code, such as APPROVAL_REQUIRED, RUN_PAUSED or RAIL_CANNOT_PAY'),
          cause: stringOrNull.describe('Why the account cannot pay it, as in `details.cause` of RAIL_CANNOT_PAY; null otherwise'),
        }),
      )
      .max(MAX_PREVIEWED)
      .describe('The first 200 of those, with what is known to stand against them. Making the file may find more'),
  })
  .meta({ id: 'BankFilePreview' });
export type BankFilePreview = z.input<typeof bankFilePreviewSchema>;

const WAITING = {
  runId: uuid.optional().describe('Only payouts of this run. Default: all that wait'),
  payoutId: uuid.optional().describe('Only this payout. Default: all that wait'),
};

export const previewQuery = z
  .strictObject(WAITING)
  .refine(({ runId, payoutId }) => runId === undefined || payoutId === undefined, {
    path: ['payoutId'],
    message: 'cannot be combined with runId',
  });

export const BANK_FILE_EVENT_TYPES = ['made', 'downloaded', 'reported', 'discarded'] as const;
export type BankFileEventType = (typeof BANK_FILE_EVENT_TYPES)[number];

export const bankFileEventSchema = z
  .object({
    id: fields.id,
    type: z
      .enum(BANK_FILE_EVENT_TYPES)
      .describe(
        '`reported`: a status file or a statement of the bank that named it was imported. The others are what was done with it',
      ),
    by: z.string().describe('Who did it: `key:<id>`, `person:<id>` or `system:<name>`'),
    message: stringOrNull.describe("Name of the bank's message at the bank; null for all other types"),
    state: stringOrNull.describe('Code of the bank about the whole file, such as ACTC; null if it said none'),
    payments: z.int().nullable().describe('Payments in the file, or payments of it that the message named; null otherwise'),
    createdAt: fields.createdAt,
  })
  .meta({ id: 'BankFileEvent' });
export type BankFileEventView = z.input<typeof bankFileEventSchema>;

export const madeFilesSchema = z
  .object({
    files: z.array(bankFileSchema).describe('The files that were made; more than one above the limit of your bank'),
    refused: z
      .array(z.object({ payoutId: storedUuid.describe('Payout that still waits'), reason: z.string().describe('Stable code') }))
      .max(1_000)
      .describe('Payouts that cannot be paid now, and why. At most 1,000 are listed'),
    remaining: z
      .int()
      .describe('Payouts that the request had no time for: send it again, with the same idempotency key or a new one'),
  })
  .meta({ id: 'MadeBankFiles' });
export type MadeFiles = z.input<typeof madeFilesSchema>;

export const makeFilesBody = z
  .strictObject({
    runId: uuid.optional().describe('Only payouts of this run. Default: all that wait'),
    payoutId: uuid
      .optional()
      .describe('Only this payout. Your bank always compares the name of the payee of a single payment. Default: all that wait'),
    executionDate: z.iso
      .date()
      .optional()
      .describe(
        'Day on which the bank executes the file: one on which banks of the euro area settle. Default: that of the run, or the next such day',
      ),
    instant: z.boolean().optional().describe('Orders instant payments. Default: the setting of the payout account'),
  })
  .refine(({ runId, payoutId }) => runId === undefined || payoutId === undefined, {
    path: ['payoutId'],
    message: 'cannot be combined with runId',
  });

export const bankFilesQuery = z.strictObject({
  runId: uuid.optional().describe('Only files of this run'),
  status: z.enum(BANK_FILE_STATUSES).optional().describe('Only files in this state'),
  ...pageQuery,
});

export const onlyPages = z.strictObject(pageQuery);

export const bankFileContentSchema = z
  .object({
    name: z.string().describe('Name of the file'),
    content: z.string().describe('The file: XML in UTF-8 with the recipients in clear. The same in every response'),
    digest: z.string().describe('SHA-256 of the content in hexadecimal digits'),
    url: z.url().describe('URL of the file. Whoever has it can use it until it expires'),
    expiresAt: timestamp.describe('When the URL stops working, ten minutes after it was created'),
  })
  .meta({ id: 'BankFileContent' });

export const discardBody = z.strictObject({
  note: paragraph(1_000).min(1).describe('Why no bank executes it: it was never uploaded, or it was cancelled there'),
  name: line(60)
    .optional()
    .describe(
      'Name of the file, needed once it was downloaded and no approval threshold is set: it proves that you mean this one. Default: not compared',
    ),
});

export const importBody = z
  .strictObject({
    content: fileText(MAX_CONTENT_CHARS)
      .optional()
      .describe('The file: XML of your bank, at most 1 MB in a request. Default: the file in `gzip`'),
    gzip: z
      .base64()
      .max(MAX_CONTENT_CHARS)
      .optional()
      .describe('The file compressed by gzip, in base64: for up to 10 MiB of XML. Default: the file in `content`'),
  })
  .refine(({ content, gzip }) => (content === undefined) !== (gzip === undefined), {
    path: ['content'],
    message: 'send either content or gzip',
  });

const outcomesSchema = z.object({
  noted: z.int().describe('Noted, such as the comparison of a name: nothing follows'),
  accepted: z.int().describe('Accepted: they wait for their booking'),
  paid: z.int().describe('Booked: their payouts are completed'),
  failed: z.int().describe('Rejected: their amounts are payable again'),
  returned: z.int().describe('Came back: their amounts are payable again'),
  toDecide: z.int().describe('A person has to decide'),
});

export const bankImportSchema = z
  .object({
    id: fields.id,
    kind: z
      .enum(['status', 'statement'])
      .describe('`status`: pain.002, about a file. `statement`: camt.053 or camt.054, bookings'),
    messageId: stringOrNull.describe('Name of the message at the bank'),
    changed: z.int().describe('Payments that changed'),
    outcomes: outcomesSchema.describe('The same by what the bank says about them'),
    unchanged: z.int().describe('Payments of which the same was known'),
    foreign: z.int().describe('Bookings of the account that have nothing to do with payouts'),
    unmatched: z.int().describe('What names something that is not known here, or is in doubt'),
    list: z
      .array(z.object({ id: z.string().describe('What the bank names'), why: z.string().describe('Stable code') }))
      .describe('The first 200 of those'),
    repeated: z.boolean().describe('Whether this file was imported before: nothing changed'),
    remaining: z.int().describe('Payments that the request had no time for: send it again'),
    importedBy: z.string().describe('Who imported it'),
    createdAt: fields.createdAt,
  })
  .meta({ id: 'BankImport' });
export type BankImportView = z.input<typeof bankImportSchema>;

export const bankBookingSchema = z
  .object({
    id: fields.id,
    bookedOn: z.iso.date().describe('Day on which the bank booked it'),
    direction: z.enum(['debit', 'credit']).describe('`debit`: money left the account'),
    kind: z.enum(['payment', 'return']).describe('`return`: money that came back'),
    amount: amountMinor.describe('What was booked, in integer minor units'),
    currency: fields.currencyCode,
    bankReference: stringOrNull.describe('How the bank names the booking'),
    reason: stringOrNull.describe("The bank's code for why a payment came back"),
    payoutId: storedUuid.nullable().describe('Payout that it names; null if it names none that is known'),
    fileId: storedUuid.nullable().describe('Bank file that it is the sum of; null otherwise'),
    problem: z
      .enum(BOOKING_PROBLEMS)
      .describe(
        '`unknown_payment`, `unknown_file`: it names something that is not known here. `other_amount`: the amount is not that of the payout or the file. `no_reason`: money with the id of a payout came in, and the bank does not say that it is a return',
      ),
    createdAt: fields.createdAt,
  })
  .meta({ id: 'BankBooking' });
export type BankBookingView = z.input<typeof bankBookingSchema>;

/** Refused payouts of one request that are listed. */
export const MAX_REFUSED = 1_000;
/** Payouts of one request. */
export const MAX_PAYOUTS = MAX_RUN_ITEMS;
