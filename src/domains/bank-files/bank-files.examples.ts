import type {
  BankBookingView,
  BankFileEventView,
  BankFileLineView,
  BankFilePreview,
  BankFileRecord,
  BankFileView,
  BankImportView,
  MadeFiles,
} from './bank-files.wire.ts';

const BY = 'key:0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e11';
const PAYOUT_ID = '0198f1c2-c3d4-7a11-8b22-3c4d5e6f7a91';
const DIGEST = '3f1d0c8a2b4e6f7081929a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c5d6e7f';

export const bankFileExample: BankFileView = {
  id: '0198f1c2-c3d4-7a11-8b22-3c4d5e6f7b01',
  rail: 'sepa',
  accountId: '0198f1c2-c3d4-7a11-8b22-3c4d5e6f7b02',
  account: 'DE89…3000',
  messageId: '20260202-000012-DE3000-7B2C',
  name: '20260202-000012-DE3000-7B2C.xml',
  status: 'ready',
  executionDate: '2026-02-03',
  instant: false,
  single: false,
  runId: '0198f1c2-c3d4-7a11-8b22-3c4d5e6f7a81',
  payments: 2,
  total: 25_000,
  currency: 'eur',
  digest: DIGEST,
  results: { open: 2, accepted: 0, paid: 0, failed: 0, returned: 0 },
  payeeMismatches: 0,
  bankState: null,
  bankStateAt: null,
  acceptedAt: null,
  createdBy: BY,
  createdAt: '2026-02-02T09:00:00.000Z',
  readyAt: '2026-02-02T09:00:01.000Z',
  downloads: 0,
  downloadedBy: [],
  downloadedAt: null,
  handedOverAt: null,
  discardedBy: null,
  discardedAt: null,
  discardNote: null,
};

export const bankFileRecordExample: BankFileRecord = {
  ...bankFileExample,
  discardAsks: 'note',
  availableActions: [
    { action: 'download', refusedBecause: null },
    { action: 'discard', refusedBecause: null },
  ],
};

export const madeFilesExample: MadeFiles = { files: [bankFileExample], refused: [], remaining: 0 };

export const previewExample: BankFilePreview = {
  account: 'DE89…3000',
  payments: 2,
  total: 25_000,
  currency: 'eur',
  files: 1,
  executionDate: '2026-02-03',
  instant: false,
  changedNames: 1,
  changed: [{ payoutId: PAYOUT_ID, affiliateCode: 'zoe', payee: 'Zoë Müller', payeeAsSent: 'Zoe Mueller' }],
  leftOut: 0,
  heldBack: [],
};

export const bankFileEventExample: BankFileEventView = {
  id: '0198f1c2-c3d4-7a11-8b22-3c4d5e6f7b06',
  type: 'reported',
  by: BY,
  message: 'P000031',
  state: 'ACTC',
  payments: 2,
  createdAt: '2026-02-02T15:00:00.000Z',
};

export const discardedExample: BankFileView = {
  ...bankFileExample,
  status: 'discarded',
  results: { open: 0, accepted: 0, paid: 0, failed: 2, returned: 0 },
  discardedBy: BY,
  discardedAt: '2026-02-02T10:00:00.000Z',
  discardNote: 'Never uploaded: it has the wrong date',
};

export const bankFileLineExample: BankFileLineView = {
  id: '0198f1c2-c3d4-7a11-8b22-3c4d5e6f7b03',
  position: 1,
  payoutId: PAYOUT_ID,
  affiliateCode: 'zoe',
  amount: 12_500,
  currency: 'eur',
  status: 'open',
  payee: 'Zoë Müller',
  payeeAsSent: 'Zoe Mueller',
  account: 'NL91…4300',
  state: 'RVMC',
  reason: null,
  payeeCheck: 'close_match',
  suggestedName: 'Zoe Muller',
};

export const contentExample = {
  name: bankFileExample.name,
  content:
    '<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09">…</Document>\n',
  digest: DIGEST,
  url: 'https://api.example.com/files/exports/bank-file.xml?token=eyJhbGciOi',
  expiresAt: '2026-02-02T09:20:00.000Z',
};

export const bankImportExample: BankImportView = {
  id: '0198f1c2-c3d4-7a11-8b22-3c4d5e6f7b04',
  kind: 'statement',
  messageId: 'S000017',
  changed: 2,
  outcomes: { noted: 0, accepted: 0, paid: 2, failed: 0, returned: 0, toDecide: 0 },
  unchanged: 0,
  foreign: 14,
  unmatched: 0,
  list: [],
  repeated: false,
  remaining: 0,
  importedBy: BY,
  createdAt: '2026-02-04T07:00:00.000Z',
};

export const bankBookingExample: BankBookingView = {
  id: '0198f1c2-c3d4-7a11-8b22-3c4d5e6f7b05',
  bookedOn: '2026-02-03',
  direction: 'debit',
  kind: 'payment',
  amount: 12_501,
  currency: 'eur',
  bankReference: 'B000031',
  reason: null,
  payoutId: PAYOUT_ID,
  fileId: null,
  problem: 'other_amount',
  createdAt: '2026-02-04T07:00:00.000Z',
};

export const importBankStatementExample = {
  data: bankImportExample,
  body: { content: '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08">…</Document>' },
};
