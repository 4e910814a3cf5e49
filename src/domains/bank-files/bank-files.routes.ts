import { operation } from '../../platform/http/operation.ts';
import { idParams } from '../../platform/http/schemas.ts';
import { listBankFileHistory } from './bank-file-history.queries.ts';
import { listBankFileLines } from './bank-file-lines.queries.ts';
import { previewBankFile } from './bank-file-preview.queries.ts';
import * as examples from './bank-files.examples.ts';
import { getBankFile, listBankFiles, listBankImports, listUnmatchedBookings, readBankFile } from './bank-files.queries.ts';
import * as wire from './bank-files.wire.ts';
import { discardBankFile } from './use-cases/discard-bank-file.ts';
import { getBankFileContent } from './use-cases/get-bank-file-content.ts';
import { bytesOf, importBankStatement } from './use-cases/import-bank-statement.ts';
import { makeBankFiles } from './use-cases/make-bank-files.ts';

const tag = 'Bank Files';
const read = { tag, access: { keys: ['merchant'], scope: 'payouts:read' } } as const;
const write = {
  tag,
  access: { keys: ['merchant'], scope: 'payouts:write' },
  errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT'],
} as const;
/** Payouts are worked on in transactions of their own, before the one of the request. */
const bulk = { ...write, commits: true, isPartial: ({ remaining }: { remaining: number }) => remaining > 0 } as const;
/** Recipients in clear. */
const handedOut = { ...write, params: idParams, freshCheck: 'code', audited: true, commits: true } as const;
const discarding = {
  ...write,
  params: idParams,
  freshCheck: 'passkey',
  commits: true,
  isPartial: ({ status }: { status: string }) => status === 'discarding',
} as const;

export const bankFileRoutes = [
  operation({
    id: 'makeBankFiles',
    method: 'POST',
    path: '/bank-files',
    ...bulk,
    summary: 'Make bank files',
    description:
      'Puts payouts that wait for a bank file into one: those of a run, one payout, or all. From then on they cannot be canceled, and each is at most in one file. More payments than your bank takes become several files. A payout that cannot be paid now is listed in `refused` and waits on. A run that still creates its payouts is refused (409 `RUN_NOT_READY`), and without a run its payouts wait on. Files are pain.001.001.09 in euro.',
    body: wire.makeFilesBody,
    reply: wire.madeFilesSchema,
    status: 201,
    reasons: [
      'NOTHING_TO_PUT_INTO_FILE',
      'RAIL_CANNOT_PAY',
      'RAIL_NOT_FILE',
      'RUN_NOT_READY',
      'RUN_PAUSED',
      'PAYMENTS_HELD',
      'BUSY',
    ],
    example: { data: examples.madeFilesExample, body: { runId: examples.bankFileExample.runId } },
    prepare: ({ ctx, body }) => makeBankFiles(ctx, body),
    handle: async ({ prepared }) => prepared,
  }),
  operation({
    id: 'listBankFiles',
    method: 'GET',
    path: '/bank-files',
    ...read,
    summary: 'List bank files',
    description: 'Returns files, newest first.',
    query: wire.bankFilesQuery,
    paged: true,
    reply: wire.bankFileSchema,
    example: { data: [examples.bankFileExample] },
    handle: ({ ctx, query }) => listBankFiles(ctx, query),
  }),
  operation({
    id: 'previewBankFile',
    method: 'GET',
    path: '/bank-files/preview',
    tag,
    access: write.access,
    errors: write.errors,
    summary: 'Preview a bank file',
    description:
      'Returns what a file would hold if it was made now: how many payments, their sum, payees whose names are written differently, and payouts that would be left out. Changes nothing.',
    query: wire.previewQuery,
    reply: wire.bankFilePreviewSchema,
    reasons: ['RAIL_CANNOT_PAY', 'RAIL_NOT_FILE'],
    example: { data: examples.previewExample },
    handle: ({ ctx, query }) => previewBankFile(ctx, query),
  }),
  operation({
    id: 'importBankStatement',
    method: 'POST',
    path: '/bank-files/statements',
    ...bulk,
    summary: 'Import a status file or statement',
    description:
      'Takes what your bank returns: status files (pain.002.001 versions 03, 10, 12, 14 and 15) and bookings (camt.053 and camt.054, versions 02 and 08). Accepted payments wait for their booking; a booking completes a payout, a return makes its amount payable again. The same file or booking twice changes nothing. What names something that is not known here is counted in `unmatched`.',
    body: wire.importBody,
    reply: wire.bankImportSchema,
    reasons: ['OTHER_ACCOUNT', 'BUSY'],
    example: examples.importBankStatementExample,
    prepare: ({ ctx, body }) => importBankStatement(ctx, { bytes: bytesOf(body) }),
    handle: async ({ prepared }) => prepared,
  }),
  operation({
    id: 'listBankImports',
    method: 'GET',
    path: '/bank-files/statements',
    ...read,
    summary: 'List imported bank messages',
    description: 'Returns status files and statements that were imported, newest first, with what became of them.',
    query: wire.onlyPages,
    paged: true,
    reply: wire.bankImportSchema,
    example: { data: [examples.bankImportExample] },
    handle: ({ ctx, query }) => listBankImports(ctx, query),
  }),
  operation({
    id: 'listUnmatchedBookings',
    method: 'GET',
    path: '/bank-files/bookings',
    ...read,
    summary: 'List unmatched bookings',
    description:
      'Returns bookings of imported statements that name a payout or a bank file and from which nothing follows, newest first. `problem` says why.',
    query: wire.onlyPages,
    paged: true,
    reply: wire.bankBookingSchema,
    example: { data: [examples.bankBookingExample] },
    handle: ({ ctx, query }) => listUnmatchedBookings(ctx, query),
  }),
  operation({
    id: 'getBankFile',
    method: 'GET',
    path: '/bank-files/{id}',
    ...read,
    params: idParams,
    errors: ['NOT_FOUND', 'FORBIDDEN'],
    summary: 'Retrieve a bank file',
    description: 'Returns the file with what became of its payments, and what you may do with it now.',
    reply: wire.bankFileRecordSchema,
    example: { data: examples.bankFileRecordExample },
    handle: ({ ctx, params }) => getBankFile(ctx, params.id),
  }),
  operation({
    id: 'listBankFileLines',
    method: 'GET',
    path: '/bank-files/{id}/lines',
    tag,
    access: write.access,
    params: idParams,
    errors: ['NOT_FOUND', 'FORBIDDEN'],
    summary: 'List the payments of a bank file',
    description:
      'Returns the payments in the order of the file, with the name of the payee as it was sent beside the original, and what the bank said about each.',
    query: wire.onlyPages,
    paged: true,
    reply: wire.bankFileLineSchema,
    example: { data: [examples.bankFileLineExample] },
    handle: ({ ctx, params, query }) => listBankFileLines(ctx, params.id, query),
  }),
  operation({
    id: 'listBankFileHistory',
    method: 'GET',
    path: '/bank-files/{id}/history',
    ...read,
    params: idParams,
    errors: ['NOT_FOUND', 'FORBIDDEN'],
    summary: 'List the history of a bank file',
    description:
      'Returns who made, downloaded and discarded the file, and which messages of the bank were about it, newest first.',
    query: wire.onlyPages,
    paged: true,
    reply: wire.bankFileEventSchema,
    example: { data: [examples.bankFileEventExample] },
    handle: ({ ctx, params, query }) => listBankFileHistory(ctx, params.id, query),
  }),
  operation({
    id: 'getBankFileContent',
    method: 'GET',
    path: '/bank-files/{id}/content',
    ...handedOut,
    summary: 'Download a bank file',
    description:
      'Returns the file for your bank, always with the same bytes. It contains the recipients in clear: each call is recorded in the timeline of each payout in it.',
    reply: wire.bankFileContentSchema,
    reasons: ['BANK_FILE_NOT_READY', 'BANK_FILE_DISCARDED', 'PAYMENTS_HELD'],
    example: { data: examples.contentExample },
    prepare: ({ ctx, params }) => getBankFileContent(ctx, params),
    handle: async ({ prepared }) => prepared,
  }),
  operation({
    id: 'discardBankFile',
    method: 'POST',
    path: '/bank-files/{id}/discard',
    ...discarding,
    summary: 'Discard a bank file',
    description:
      'For a file that no bank executes: it was never uploaded, or it was canceled there. Its payouts fail with `file_discarded`, and their amounts are payable again. Refused once the bank accepted any of it (409 `RAIL_ACCEPTED`). A file that somebody downloaded could still be uploaded: where an approval threshold is set, only a second actor may discard it (409 `SAME_ACTOR`); otherwise send its `name`.',
    body: wire.discardBody,
    reply: wire.bankFileSchema,
    reasons: ['BANK_FILE_NOT_READY', 'RAIL_ACCEPTED', 'SAME_ACTOR'],
    example: { data: examples.discardedExample, body: { note: 'Never uploaded: it has the wrong date' } },
    prepare: ({ ctx, params, body }) => discardBankFile(ctx, { ...body, id: params.id }),
    handle: ({ ctx, params }) => readBankFile(ctx, params.id),
  }),
];
