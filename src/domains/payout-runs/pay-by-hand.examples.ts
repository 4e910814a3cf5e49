import { createHash } from 'node:crypto';
import type { BulkReport, ResultsReport } from './pay-by-hand.wire.ts';

export const PAYOUT_IDS = ['0198f1c2-b3d0-7a15-8c42-3f0e9d7b6a51', '0198f1c2-b3d0-7a15-8c42-3f0e9d7b6a52'] as const;
/** Digest of both payouts. */
export const DIGEST = createHash('sha256').update(PAYOUT_IDS.join()).digest('hex');

const done = (payoutId: string, status: 'processing' | 'completed' | 'failed') =>
  ({ payoutId, result: 'done', status, reason: null, message: null }) as const;

const reportOf = (items: BulkReport['items']): BulkReport => ({
  done: items.length,
  unchanged: 0,
  refused: 0,
  remaining: 0,
  items,
});

export const processedExample = reportOf(PAYOUT_IDS.map((id) => done(id, 'processing')));
export const completedExample = reportOf(PAYOUT_IDS.map((id) => done(id, 'completed')));
export const failedExample = reportOf([done(PAYOUT_IDS[1], 'failed')]);

const FILE_URL = 'https://tributary.example/files/exports/payment-file.csv?token=eyJwYXltZW50Il0';

export const runFilesExample = {
  files: [
    {
      name: 'paypal-eur.csv',
      payouts: 1,
      content: `ada@blog.example,125.00,EUR,adabyron,Acme Partners ${PAYOUT_IDS[0]},PAYPAL\r\n`,
      url: FILE_URL,
    },
  ],
  omitted: [PAYOUT_IDS[1]],
  url: FILE_URL,
  expiresAt: '2026-02-01T09:15:00.000Z',
  digest: DIGEST,
  items: 2,
  totals: { eur: 25_000 },
  handedOut: { payouts: 0, lastAt: null, lastBy: null },
};

export const resultsBodyExample = {
  csv: `payoutId,bankReference,executedAt,amount,currency,result\n${PAYOUT_IDS[0]},SCT 2026-4711,2026-01-31,125.00,EUR,paid\n`,
};

export const resultsExample: ResultsReport = {
  done: 1,
  unchanged: 0,
  refused: 0,
  remaining: 0,
  lines: [{ ...done(PAYOUT_IDS[0], 'completed'), line: 2 }],
};
