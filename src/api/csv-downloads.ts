import type { FastifyInstance } from 'fastify';
import { auditLogCsv } from '../domains/audit-log/index.ts';
import { assertGranted } from '../domains/auth/index.ts';
import { bankFileDownload } from '../domains/bank-files/index.ts';
import { journalCsv } from '../domains/ledger/index.ts';
import { paymentFileDownload, payoutRunCsv } from '../domains/payout-runs/index.ts';
import { payoutCsv } from '../domains/payouts/index.ts';
import { CSV_PATH, type CsvDownload, openCsv, type TextDownload } from '../platform/http/csv-download.ts';
import type { FilesInput } from './files.routes.ts';
import { LIMITS } from './hardening/limits.ts';

/** The CSV files that signed URLs give out. */
export const CSV_DOWNLOADS: readonly (CsvDownload | TextDownload)[] = [
  payoutCsv,
  payoutRunCsv,
  paymentFileDownload,
  bankFileDownload,
  auditLogCsv,
  journalCsv,
];

interface CsvRoute {
  Params: { name: string };
  Querystring: { token?: unknown };
}

const HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'cache-control': 'private, no-store',
  'referrer-policy': 'no-referrer',
} as const;

/** A URL works for as long as the key or role that created it: who may is asked again. */
export const mountCsvDownloads = (app: FastifyInstance, { runtime, limit }: FilesInput, downloads = CSV_DOWNLOADS): void => {
  const { deadlines, enterExport } = app.hardening;
  const options = { exposeHeadRoute: false, onRequest: limit };
  app.get<CsvRoute>(`${CSV_PATH}/:name`, options, async (request, reply) => {
    const ctx = runtime.context({ kind: 'system', name: 'downloadCsv' }, request.log);
    const token = String(request.query.token ?? '');
    const file = openCsv(ctx, downloads, { name: request.params.name, token });
    await assertGranted(ctx, file);
    enterExport(reply, { direction: 'download', merchantId: file.merchantId, token, address: request.address });
    deadlines.extend(reply.raw, LIMITS.transfers.downloadMs);
    const text = await file.open();
    return reply
      .headers({ ...HEADERS, 'content-type': file.type, 'content-disposition': `attachment; filename="${file.fileName}"` })
      .send(text);
  });
};
