import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { v7 } from 'uuid';
import type { DifferenceKind } from '../../src/contracts/reconciliation.ts';
import { compareAccount, listOpenDifferences } from '../../src/domains/reconciliation/index.ts';
import { type OwnTestApi, openTestApi } from './api.ts';
import { makePayout } from './payouts.ts';
import { rowsOf } from './rail-payouts.ts';
import { useForFile } from './use-for-file.ts';

const HOUR = 3_600_000;
const hoursAgo = (hours: number): string => new Date(Date.now() - hours * HOUR).toISOString();

export interface ListedTransfer {
  id: string;
  idempotencyKey: string;
  reference: string;
  amount: number;
  currency: string;
  status: string;
  failureCode: string | null;
  executedCount: number;
  fee: number;
  receiver: string | null;
  createdAt: string;
}

export interface ListApi extends OwnTestApi {
  /** What the provider lists. */
  transfers: ListedTransfer[];
  /** The status of its answers. */
  answer: { status: number };
}

/** An API of its own whose provider lists what the test says, in pages as the sandbox has them. */
export const useListApi = (): ListApi =>
  useForFile(async () => {
    const transfers: ListedTransfer[] = [];
    const answer = { status: 200 };
    const server = createServer((request, response) => {
      const query = new URL(request.url ?? '', 'http://localhost').searchParams;
      const from = transfers.findIndex(({ id }) => id === query.get('after')) + 1;
      const page = transfers.slice(from, from + Number(query.get('limit')));
      const isWithin = ({ createdAt }: ListedTransfer) =>
        createdAt >= (query.get('since') ?? '') && createdAt < (query.get('until') ?? '');
      const next = from + page.length < transfers.length ? page.at(-1)?.id : null;
      response.writeHead(answer.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ transfers: page.filter(isWithin), next }));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const api = await openTestApi(
      {
        RAIL_PAYPAL: 'sandbox',
        SANDBOX_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        SANDBOX_API_KEY: 'sandbox-key-for-tests',
        SANDBOX_NOTIFICATION_SECRET: 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=',
      },
      { asOwner: true },
    );
    const close = async () => {
      await api.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    };
    return { ...api, transfers, answer, close };
  });

export const systemOf = (api: ListApi) => api.runtime.context({ kind: 'system', name: 'test' });

/** Compares the account of the installation now. */
export const compareSandbox = async (api: ListApi) => {
  const [merchant, another] = await rowsOf(api, 'select id from merchant limit 2');
  const account = { rail: 'sandbox', merchantId: another ? null : (merchant?.id ?? null), railAccountId: null } as const;
  return compareAccount(systemOf(api), api.runtime.rails, { account, trigger: 'operator' });
};

/** Payouts that were paid four days ago, which the provider lists alike. */
export const makePaidPayouts = async (api: ListApi, count: number) => {
  const template = await makePayout(api);
  const { cipher } = systemOf(api);
  const at = hoursAgo(100);
  const payouts = Array.from({ length: count }, (_, n) => {
    const id = v7();
    const details = { method: 'paypal', paypalEmail: `payee-${n}@example.com` };
    return {
      id,
      amount: 1_000 + n,
      payment_reference: `PAID-${id}`,
      receiver: details.paypalEmail,
      details: cipher.encrypt(JSON.stringify(details), placeOf(id)),
    };
  });
  const paid = { status: 'completed', completed_at: at, processing_at: at, created_at: at, updated_at: at };
  await rowsOf(
    api,
    `insert into payout select (jsonb_populate_record(t, patch)).* from payout t, jsonb_array_elements(?::jsonb) patch where t.id = ?`,
    [JSON.stringify(payouts.map(({ receiver: _, ...row }) => ({ ...row, ...paid }))), template.payoutId],
  );
  const attempts = payouts.map(({ id }) => ({
    ...{ id: v7(), payout_id: id, n: 1, rail: 'sandbox', idempotency_key: `payout-${id}-1`, outcome: 'paid', send_count: 1 },
    ...{ resend_count: 0, fee: 25, fee_returned: 0, look_up_requested: false, not_taken: false, may_be_taken: false, version: 1 },
    ...{ first_sent_at: at, last_sent_at: at, created_at: at, updated_at: at },
  }));
  await rowsOf(
    api,
    `insert into payout_attempt select r.* from jsonb_array_elements(?::jsonb) patch, jsonb_populate_record(null::payout_attempt, patch) r`,
    [JSON.stringify(attempts)],
  );
  api.transfers.push(...payouts.map(({ id, amount, receiver }) => transferOf({ payoutId: id, amount, receiver })));
  return { ...template, payouts };
};

const placeOf = (row: string) => ({ table: 'payout', column: 'details', row });

export const transferOf = (of: { payoutId: string; amount: number; receiver: string }): ListedTransfer => ({
  id: `trf_${of.payoutId}`,
  idempotencyKey: `payout-${of.payoutId}-1`,
  reference: of.payoutId,
  amount: of.amount,
  currency: 'usd',
  status: 'paid',
  failureCode: null,
  executedCount: 1,
  fee: 25,
  receiver: of.receiver,
  createdAt: hoursAgo(100),
});

type Plant = (api: ListApi, transfer: ListedTransfer) => Promise<unknown> | unknown;

/** How each kind of difference comes to be. */
const PLANTS: Readonly<Record<DifferenceKind, Plant>> = {
  missing_there: ({ transfers }, transfer) => transfers.splice(transfers.indexOf(transfer), 1),
  missing_here: ({ transfers }, { receiver, amount }) =>
    transfers.push(transferOf({ payoutId: v7(), amount, receiver: `again-${receiver}` })),
  amount: (_, transfer) => Object.assign(transfer, { amount: transfer.amount + 1 }),
  currency: (_, transfer) => Object.assign(transfer, { currency: 'eur' }),
  state: (_, transfer) => Object.assign(transfer, { status: 'failed', fee: 0 }),
  twice: (_, transfer) => Object.assign(transfer, { executedCount: 2 }),
  fee: (_, transfer) => Object.assign(transfer, { fee: 30 }),
  destination: (_, transfer) => Object.assign(transfer, { receiver: 'eve@example.com' }),
  late: async (api, transfer) => {
    Object.assign(transfer, { status: 'accepted' });
    await rowsOf(api, `update payout_attempt set outcome = 'accepted' where payout_id = ?`, [transfer.reference]);
  },
  unknown_reference: (_, transfer) => Object.assign(transfer, { reference: v7() }),
};

/** Plants differences of all kinds in turn among payouts that are listed alike. Returns "kind payout", as `findDifferences` does. */
export const plantDifferences = async (api: ListApi, count: number): Promise<string[]> => {
  const kinds = Object.keys(PLANTS) as DifferenceKind[];
  const chosen = api.transfers.slice(0, count);
  const planted: string[] = [];
  for (const [n, transfer] of chosen.entries()) {
    const kind = kinds[n % kinds.length] ?? 'missing_here';
    const { reference } = transfer;
    await PLANTS[kind](api, transfer);
    planted.push(`${kind} ${kind === 'missing_here' ? `trf_${api.transfers.at(-1)?.reference}` : reference}`);
  }
  return planted.sort();
};

export const findDifferences = async (api: ListApi): Promise<string[]> => {
  const open = await listOpenDifferences(systemOf(api), { limit: 1_000 });
  return open.map(({ kind, payoutId, theirs }) => `${kind} ${payoutId ?? theirs?.reference}`).sort();
};
