import type { WorkflowType } from '../../src/contracts/workflows/index.ts';
import { inTransaction } from '../../src/platform/context.ts';
import type { TestApi } from './api.ts';
import { makeApplication } from './applications.ts';
import { makeAffiliate, makeMerchant, makePayable, makeProgram, saleEvent, sendUnscreened, unique } from './factories.ts';
import { draftRun } from './payout-runs.ts';
import { makeManualPayout } from './payouts.ts';
import type { Receiver } from './receiver/receiver.ts';
import type { FakeSmtpServer } from './smtp/smtp-server.ts';
import { pause, until } from './until.ts';

/** A workflow that waits for minutes, and what lets it go on to its end. */
export interface OpenWork {
  type: WorkflowType;
  workflowId: string;
  finish(): Promise<unknown>;
  /** Throws unless it did its work once. */
  check(): Promise<void>;
}

export interface OpenWorkInput {
  api: TestApi;
  receiver: Receiver;
  smtp: FakeSmtpServer;
  /** Retries wait until this time. */
  retryAfterMs: number;
}

const rowOf = async ({ runtime }: TestApi, statement: string, ...values: unknown[]): Promise<Record<string, unknown>> =>
  (await runtime.context({ kind: 'system', name: 'test' }).em.execute(statement, values))[0] ?? {};

const expectOk = async (request: Promise<{ status: number; text: string }>): Promise<void> => {
  const { status, text } = await request;
  if (status !== 200) throw new Error(text);
};

const expectEqual = (found: unknown, expected: unknown): void => {
  if (found !== expected) throw new Error(`${found} instead of ${expected}`);
};

const payouts = async ({ api }: OpenWorkInput): Promise<OpenWork[]> => {
  const manual = await makeManualPayout(api);
  const both = await makeManualPayout(api);
  for (const verb of ['process', 'complete']) await both.act(verb, {});
  await rowOf(
    api,
    `insert into payout_contradiction (payout_id, n, attempt_id, recorded, reported, opened_at)
      select payout_id, 1, id, 'paid', 'failed', now() from payout_attempt where payout_id = ? returning n`,
    both.payoutId,
  );
  await rowOf(
    api,
    `update payout set needs_attention = true, review_reason = 'contradiction' where id = ? returning id`,
    both.payoutId,
  );
  const payee = await makePayable(api, { local: `ok+${unique()}` });
  const run = await draftRun(api, payee);
  const statusIs = async (payoutId: string, status: string) =>
    expectEqual((await rowOf(api, 'select status from payout where id = ?', payoutId))['status'], status);
  return [
    {
      type: 'payoutLifecycle',
      workflowId: `payout/${manual.payoutId}`,
      async finish() {
        await expectOk(manual.act('process'));
        await expectOk(manual.act('complete', {}));
      },
      check: () => statusIs(manual.payoutId, 'completed'),
    },
    {
      type: 'payoutContradiction',
      workflowId: `payout/${both.payoutId}/contradiction/1`,
      finish: () => expectOk(both.act('resolve', { outcome: 'paid', note: 'It arrived' })),
      check: () => statusIs(both.payoutId, 'completed'),
    },
    {
      type: 'payoutRun',
      workflowId: `payout-run/${run.runId}`,
      finish: () => expectOk(run.confirm()),
      async check() {
        const paid = `select count(*)::int as times from payout where payout_run_id = ? and status = 'completed'`;
        expectEqual((await rowOf(api, paid, run.runId))['times'], 1);
      },
    },
  ];
};

/** Corrects a payout that the provider executed, while nobody has evidence yet that it came back. */
const correction = async ({ api }: OpenWorkInput): Promise<OpenWork> => {
  const { key, affiliateId, programId } = await makePayable(api, { local: `ok+${unique()}` });
  const { id } = (await api.call('POST', '/payouts', { key, body: { affiliateId, programId } })).data;
  const statusOf = async () => (await rowOf(api, 'select status from payout where id = ?', id))['status'];
  await until('the payout is completed', statusOf, (status) => status === 'completed');
  const giveBack = (more: object) =>
    expectOk(api.call('POST', `/payouts/${id}/return`, { key, body: { note: 'The bank says so', ...more } }));
  await giveBack({});
  return {
    type: 'payoutCorrection',
    workflowId: `payout/${id}/correction/1`,
    finish: () => giveBack({ evidence: 'Statement 7' }),
    check: async () => expectEqual(await statusOf(), 'failed'),
  };
};

const application = async ({ api }: OpenWorkInput): Promise<OpenWork> => {
  const { applicationId, key } = await makeApplication(api);
  return {
    type: 'applicationReview',
    workflowId: `application/${applicationId}`,
    finish: () => expectOk(api.call('POST', `/applications/${applicationId}/approve`, { key, body: {} })),
    async check() {
      expectEqual((await rowOf(api, 'select status from application where id = ?', applicationId))['status'], 'approved');
    },
  };
};

const makeEndpoint = async ({ api, receiver }: OpenWorkInput, behaviour: string) => {
  const { key } = await makeMerchant(api.runtime);
  const path = `/${behaviour}/${unique()}`;
  const body = { name: 'test', url: receiver.url(path), subscribedEvents: ['program.created'] };
  const endpointId: string = (await api.call('POST', '/webhooks', { key, body })).data.endpoint.id;
  await makeProgram(api, key);
  const read = () =>
    rowOf(api, 'select id, status, attempts from webhook_delivery where endpoint_id = ? order by id limit 1', endpointId);
  const receives = (times: number) =>
    until(
      `the endpoint has received ${times} requests`,
      async () => (await receiver.received(path)).length,
      (count) => count === times,
    );
  return { key, endpointId, read, receives };
};

const delivery = async (input: OpenWorkInput): Promise<OpenWork> => {
  const { read, receives } = await makeEndpoint(input, 'sequence/500,200');
  const { id } = await until('the first attempt is recorded', read, ({ attempts }) => attempts === 1);
  const late = `update webhook_delivery set next_attempt_at = now() + ? * interval '1 millisecond' where id = ? returning id`;
  await rowOf(input.api, late, input.retryAfterMs, id);
  return {
    type: 'webhookDelivery',
    workflowId: `webhook/${id}`,
    finish: () => until('the delivery has succeeded', read, ({ status }) => status === 'succeeded'),
    check: async () => void (await receives(2)),
  };
};

const KEEP_ALIVE_MS = 5_000;

/** It waits for a transaction that began before it. */
const replay = async (input: OpenWorkInput): Promise<OpenWork> => {
  const { api } = input;
  const { key, endpointId, read, receives } = await makeEndpoint(input, 'status/200');
  await until('the delivery has succeeded', read, ({ status }) => status === 'succeeded');
  const begun = Promise.withResolvers<void>();
  let isOver = false;
  const committing = inTransaction(api.runtime.context({ kind: 'system', name: 'test' }), async ({ em }) => {
    await em.execute('select pg_current_xact_id()');
    begun.resolve();
    while (!isOver) {
      await em.execute('select 1');
      await pause(KEEP_ALIVE_MS, 'Postgres ends transactions that are idle for longer');
    }
  });
  await begun.promise;
  const body = { since: new Date(Date.now() - 600_000).toISOString(), status: ['succeeded'] };
  const { id } = (await api.call('POST', `/webhooks/${endpointId}/replay`, { key, body })).data;
  return {
    type: 'webhookReplay',
    workflowId: `webhook-replay/${id}`,
    async finish() {
      isOver = true;
      await committing;
    },
    check: async () => void (await receives(2)),
  };
};

/** Sales of one affiliate keep it from ending. */
const screening = async ({ api }: OpenWorkInput): Promise<OpenWork> => {
  const { key } = await makeMerchant(api.runtime);
  const program = await makeProgram(api, key);
  const { code, affiliateId } = await makeAffiliate(api.runtime, program.programId);
  let sales = 0;
  const sell = async () => {
    const { data } = await sendUnscreened(api, program, saleEvent({ referralCode: code }));
    if (data?.outcome === 'recorded') sales++;
  };
  await sell();
  const timer = setInterval(() => void sell(), KEEP_ALIVE_MS);
  const prefix = api.runtime.config.TEMPORAL_QUEUE_PREFIX;
  return {
    type: 'screening',
    workflowId: `${prefix}screening/${Number.parseInt(affiliateId.slice(-1), 16)}`,
    finish: async () => clearInterval(timer),
    async check() {
      const screened = 'select sum(conversions)::int as times from conversion_hour where affiliate_id = ?';
      const timesOf = async () => (await rowOf(api, screened, affiliateId))['times'];
      expectEqual(await until('every sale is counted', timesOf, (times) => times === sales), sales);
    },
  };
};

/** The mail server refuses it once: the next try is a minute later. */
const mail = async ({ api, smtp }: OpenWorkInput): Promise<OpenWork> => {
  const { merchantId, key } = await makeMerchant(api.runtime);
  const address = `later.1+${unique()}@example.com`;
  await rowOf(api, 'update merchant set email = ? where id = ? returning id', address, merchantId);
  // Tells the merchant of the secret for its events.
  await makeProgram(api, key);
  const read = () =>
    rowOf(api, 'select id, status, last_error as error from mail where merchant_id = ? order by id limit 1', merchantId);
  const { id } = await until('the mail has failed once', read, ({ error }) => Boolean(error));
  return {
    type: 'mailDelivery',
    workflowId: `mail/${id}`,
    finish: () => until('the mail is sent', read, ({ status }) => status === 'sent'),
    async check() {
      expectEqual((await smtp.mailsTo(address)).filter(({ messageId }) => messageId).length, 1);
    },
  };
};

/** Open work of each type of workflow that ends by itself, but for runs of Schedules. */
export const makeOpenWork = async (input: OpenWorkInput): Promise<OpenWork[]> => [
  await correction(input),
  ...(await payouts(input)),
  await application(input),
  await delivery(input),
  await replay(input),
  await screening(input),
  await mail(input),
];
