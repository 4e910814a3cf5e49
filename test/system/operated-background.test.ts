import type { WorkflowHandle } from '@temporalio/client';
import { laneOf, slotOf } from '../../src/domains/webhooks/lanes/slots.ts';
import { emitInternal, inTransaction } from '../../src/platform/context.ts';
import { makeAffiliate, makeMerchant, makeProgram, saleEvent, sendUnscreened, unique } from '../support/factories.ts';
import { OPERATIONS, type Operation, operate } from '../support/operate.ts';
import { type Receiver, startReceiver } from '../support/receiver/receiver.ts';
import { type FakeSmtpServer, startSmtpServer } from '../support/smtp/smtp-server.ts';
import { openTestSystem, type TestSystem } from '../support/system.ts';
import { until } from '../support/until.ts';
import { useForFile } from '../support/use-for-file.ts';

/** Long enough for what an operator does meanwhile, on a busy machine. */
const MAIL_PAUSE_MS = 4_000;

const system = useForFile(async (): Promise<TestSystem & { smtp: FakeSmtpServer; receiver: Receiver }> => {
  const [smtp, receiver] = await Promise.all([startSmtpServer(), startReceiver()]);
  const opened = await openTestSystem({
    env: { SMTP_URL: smtp.url, MAIL_FROM: 'Tributary <mail@example.com>' },
    mailTiming: { retryAfterMs: [MAIL_PAUSE_MS], giveUpAfterMs: 120_000 },
    reconcile: { everyMs: 500, graceMs: 100 },
  });
  const close = async () => {
    await opened.close();
    await Promise.all([smtp.stop(), receiver.stop()]);
  };
  return { ...opened, smtp, receiver, close };
});

const context = () => system.runtime.context({ kind: 'system', name: 'test' });
const client = () => system.temporal.clients.background;
const prefixed = (id: string) => system.runtime.config.TEMPORAL_QUEUE_PREFIX + id;

interface Case {
  workflowId: string;
  /** Lets it go on, and returns how often it did what it is for. */
  finish(): Promise<number>;
}

const rowOf = async (statement: string, ...values: unknown[]): Promise<Record<string, unknown>> =>
  (await context().em.execute(statement, values))[0] ?? {};

const SUBSCRIBED = ['program.created'];

const makeEndpoint = async (behaviour: string) => {
  const { key } = await makeMerchant(system.runtime);
  const path = `/${behaviour}/${unique()}`;
  const body = { name: 'test', url: system.receiver.url(path), subscribedEvents: SUBSCRIBED };
  const { data } = await system.call('POST', '/webhooks', { key, body });
  const endpointId: string = data.endpoint.id;
  const received = async () => (await system.receiver.received(path)).length;
  const isDelivered = async () =>
    until(
      'the delivery has succeeded',
      () => rowOf('select id, status from webhook_delivery where endpoint_id = ? order by id', endpointId),
      (row) => row['status'] === 'succeeded',
    );
  return { key, endpointId, received, isDelivered };
};

/** Its first attempt failed; the second one is accepted. */
const delivery = async (): Promise<Case> => {
  const { key, endpointId, received, isDelivered } = await makeEndpoint('sequence/500,200');
  await makeProgram(system, key);
  const { id } = await until(
    'the first attempt is recorded',
    () => rowOf('select id, attempts from webhook_delivery where endpoint_id = ?', endpointId),
    (row) => row['attempts'] === 1,
  );
  const finish = async () => {
    await isDelivered();
    return (await received()) - 1;
  };
  return { workflowId: `webhook/${id}`, finish };
};

/** Replays two events while what happened shortly before it is not committed. */
const replay = async (): Promise<Case> => {
  const { key, endpointId, isDelivered, received } = await makeEndpoint('status/200');
  const since = new Date().toISOString();
  await makeProgram(system, key);
  await isDelivered();
  const begun = Promise.withResolvers<void>();
  const mayCommit = Promise.withResolvers<void>();
  const committing = inTransaction(context(), async ({ em }) => {
    await em.execute('select pg_current_xact_id()');
    begun.resolve();
    await mayCommit.promise;
  });
  await begun.promise;
  const request = { key, body: { since, status: ['succeeded'] } };
  const { id } = (await system.call('POST', `/webhooks/${endpointId}/replay`, request)).data;
  const finish = async () => {
    mayCommit.resolve();
    await committing;
    const { queued } = await until(
      'the replay is completed',
      () => rowOf('select state, deliveries_queued as queued from webhook_replay where id = ?', id),
      (row) => row['state'] === 'completed',
    );
    await until('the event has arrived a second time', received, (count) => count > 1);
    return Math.max(Number(queued), (await received()) - 1);
  };
  return { workflowId: `webhook-replay/${id}`, finish };
};

const lane = async (): Promise<Case> => {
  const { key, endpointId, received, isDelivered } = await makeEndpoint('status/200');
  const finish = async () => {
    await makeProgram(system, key);
    await isDelivered();
    return received();
  };
  return { workflowId: prefixed(`webhook-lane/${laneOf(slotOf(endpointId), 8)}`), finish };
};

/** It screened a first sale; another one follows. */
const screening = async (): Promise<Case> => {
  const { key } = await makeMerchant(system.runtime);
  const program = await makeProgram(system, key);
  const { code, affiliateId } = await makeAffiliate(system.runtime, program.programId);
  const sell = async () => {
    const { data } = await sendUnscreened(system, program, saleEvent({ referralCode: code }));
    await until(
      'the sale is screened',
      () => rowOf('select screened_at from conversion where id = ?', data.conversionId),
      (row) => Boolean(row['screened_at']),
    );
  };
  await sell();
  const finish = async () => {
    await sell();
    const screened = 'select sum(conversions) as times from conversion_hour where affiliate_id = ?';
    return Number((await rowOf(screened, affiliateId))['times']) - 1;
  };
  return { workflowId: prefixed(`screening/${Number.parseInt(affiliateId.slice(-1), 16)}`), finish };
};

/** The mail server refuses it at first. */
const mail = async (): Promise<Case> => {
  const { merchantId } = await makeMerchant(system.runtime);
  const address = `later.1+${unique()}@example.com`;
  await context().em.execute('update merchant set email = ? where id = ?', [address, merchantId]);
  await inTransaction(context(), (ctx) =>
    emitInternal(ctx, {
      type: 'payout.approval_threshold_changed',
      merchantId,
      changeId: '1',
      oldThreshold: null,
      newThreshold: { usd: 50_000 },
    }),
  );
  const read = () => rowOf('select id, status, tries, message_id, last_error from mail where subject_id = ?', merchantId);
  const { id, message_id: messageId } = await until('the mail has failed once', read, (row) => Boolean(row['last_error']));
  const finish = async () => {
    await until('the mail is sent', read, (row) => row['status'] === 'sent');
    const mails = await system.smtp.mailsTo(address);
    expect(new Set(mails.map((sent) => sent.messageId))).toEqual(new Set([messageId]));
    return mails.length;
  };
  return { workflowId: `mail/${id}`, finish };
};

const CASES: Readonly<Record<string, () => Promise<Case>>> = { delivery, replay, lane, screening, mail };

const isRunning = (handle: WorkflowHandle) =>
  until(
    `${handle.workflowId} is running`,
    () => handle.describe().catch(() => null),
    (found) => found?.status.name === 'RUNNING' && (found.historyLength ?? 0) > 4,
  );

const CANCELLABLE = ['delivery'];

it.each(Object.entries(CASES).flatMap(([name, make]) => OPERATIONS.map((operation: Operation) => ({ name, make, operation }))))(
  'FI11: a $name whose workflow is $operation does its work once',
  async ({ name, make, operation }) => {
    const { workflowId, finish } = await make();
    const handle = client().workflow.getHandle(workflowId);
    await isRunning(handle);
    const copy = await operate(client(), workflowId, operation);
    if (operation === 'cancelled' && !CANCELLABLE.includes(name)) expect((await handle.describe()).status.name).toBe('RUNNING');
    expect(await finish()).toBe(1);
    if (copy) {
      expect(await copy.result()).toEqual({ status: 'superseded' });
      expect((await copy.describe()).searchAttributes).toMatchObject({ State: ['superseded'] });
    }
  },
);
