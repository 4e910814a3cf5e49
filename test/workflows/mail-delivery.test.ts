import type { WorkflowHandle } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { MAIL_TIMING, type MailDeliveryResult, type MailState, type MailTiming } from '../../src/contracts/mail.ts';
import { listUnsentMails, retryMails } from '../../src/domains/notifications/index.ts';
import { emitInternal, inTransaction } from '../../src/platform/context.ts';
import { firstRow, sql } from '../../src/platform/database/sql.ts';
import { makeMerchant, unique } from '../support/factories.ts';
import { recordHistory } from '../support/histories.ts';
import { type FakeSmtpServer, startSmtpServer } from '../support/smtp/smtp-server.ts';
import { openTestSystem, type TestSystem } from '../support/system.ts';
import { until } from '../support/until.ts';
import { currentDetailsOf } from '../support/workflow-details.ts';

/** Longer than a worker takes to start beside other tests. */
const GIVE_UP_AFTER_MS = 60_000;
const FAST: MailTiming = { retryAfterMs: [50, 100], giveUpAfterMs: GIVE_UP_AFTER_MS };

let smtp: FakeSmtpServer;
let system: TestSystem;
beforeAll(async () => {
  smtp = await startSmtpServer();
  system = await openTestSystem({
    env: { SMTP_URL: smtp.url, MAIL_FROM: 'Tributary <mail@example.com>' },
    mailTiming: FAST,
    reconcile: { everyMs: 500, graceMs: 100 },
  });
});
afterAll(async () => {
  await system?.close();
  await smtp?.stop();
});

const context = () => system.runtime.context({ kind: 'system', name: 'test' });

interface MailRow {
  id: string;
  status: string;
  tries: number;
  messageId: string;
  lastError: string | null;
  recipient: string | null;
  payload: string | null;
}

const rowOf = async (subjectId: string): Promise<MailRow> => {
  const row = await firstRow(
    context().em,
    sql<MailRow>`select id, status, tries, message_id as "messageId", last_error as "lastError", recipient, payload
      from mail where subject_id = ${subjectId}::uuid`,
  );
  if (!row) throw new Error('there is no mail');
  return row;
};

/** A mail to a merchant whose address tells the mail server what to do. */
const mailTo = async (mode: string, { queuedAgoMs = 0 } = {}) => {
  const { merchantId } = await makeMerchant(system.runtime);
  const address = `${mode}+${unique()}@example.com`;
  await context().em.execute('update merchant set email = ? where id = ?', [address, merchantId]);
  const clock = { now: () => new Date(Date.now() - queuedAgoMs) };
  await inTransaction({ ...context(), clock }, (ctx) =>
    emitInternal(ctx, {
      type: 'payout.approval_threshold_changed',
      merchantId,
      changeId: '1',
      oldThreshold: null,
      newThreshold: { usd: 50_000 },
    }),
  );
  const { id, messageId } = await rowOf(merchantId);
  const handle = system.temporal.clients.background.workflow.getHandle(`mail/${id}`);
  const untilStatus = (status: string) =>
    until(
      `the mail is ${status}`,
      () => rowOf(merchantId),
      (row) => row.status === status,
    );
  return { id, messageId, address, merchantId, handle, untilStatus };
};

/** The result once the workflow exists. */
const resultOf = (handle: WorkflowHandle): Promise<MailDeliveryResult> =>
  until(
    'the workflow has ended',
    () => handle.describe().catch(() => null),
    (found) => found !== null && found.status.name !== 'RUNNING',
  ).then(() => handle.result());

it('a mail that is refused twice for now is sent at the third try, under one Message-ID', async () => {
  const { id, messageId, address, handle, untilStatus } = await mailTo('later.2');
  expect(await untilStatus('sent')).toMatchObject({ tries: 3, lastError: null, recipient: null, payload: null });
  const [mail, ...more] = await smtp.waitForMails(address);
  expect(more).toEqual([]);
  expect(mail).toMatchObject({ messageId, recipients: [address], from: { address: 'mail@example.com' } });
  expect(mail?.text).toContain('500.00 USD');
  expect(await resultOf(handle)).toMatchObject({ status: 'sent', tries: 3, next: null, mailId: id });
  const described = await handle.describe();
  expect(described.searchAttributes).toMatchObject({ State: ['sent'], NeedsAttention: [false] });
  await recordHistory(handle, 'mailDelivery', 'sent-at-third');
});

it('no address and no text is in the history, the search attributes, the details or the summary', async () => {
  const { address, handle, untilStatus } = await mailTo('later.1');
  await untilStatus('sent');
  await resultOf(handle);
  const history = historyToJSON(await handle.fetchHistory());
  const decoded = history.replace(/"data":\s*"([^"]+)"/g, (_all, data: string) => Buffer.from(data, 'base64').toString());
  const description = JSON.stringify((await handle.describe()).searchAttributes) + (await currentDetailsOf(handle));
  for (const secret of [address, address.split('@')[0] ?? '', '50,000', 'try later', 'Company']) {
    expect(history + decoded + description).not.toContain(secret);
  }
  expect(decoded).toContain('Approval of payouts changed, to the merchant');
});

it('a permanent rejection is final: one try, shown to the operator with what to do', async () => {
  const { id, handle, untilStatus, merchantId } = await mailTo('refuse');
  expect(await untilStatus('given_up')).toMatchObject({ tries: 1, lastError: 'address_refused' });
  expect(await resultOf(handle)).toMatchObject({
    status: 'given_up',
    lastError: 'address_refused',
    smtpCode: 550,
    next: expect.stringContaining(`mail retry --id ${id}`),
  });
  expect((await handle.describe()).searchAttributes).toMatchObject({ State: ['given_up'], NeedsAttention: [true] });
  expect(await currentDetailsOf(handle)).toContain('the mail server refuses the address (550)');
  // Text that is no code would have its hyphens turned into a dash.
  expect(await currentDetailsOf(handle)).toContain(`\`npm run admin -- mail retry --id ${id}\``);
  expect(await handle.query<MailState>('currentState')).toMatchObject({ needsAttention: true, waitingFor: 'nothing' });
  expect(await listUnsentMails(context(), { limit: 100 })).toContainEqual(
    expect.objectContaining({ id, merchantId, status: 'given_up', lastError: 'address_refused', smtpCode: 550 }),
  );
  await recordHistory(handle, 'mailDelivery', 'refused');
});

it('a mail that cannot be decrypted is given up at once with a reason, and is sent when it can be', async () => {
  const { id, address, merchantId, handle, untilStatus } = await mailTo('refuse');
  await untilStatus('given_up');
  await resultOf(handle);
  const { payload } = await rowOf(merchantId);
  const { cipher, em } = context();
  // Ciphertext of another column.
  await em.execute('update mail set payload = recipient where id = ?', [id]);
  expect(await retryMails(context(), { id })).toBe(1);
  const damaged = await until(
    'the mail is recorded as unreadable',
    () => rowOf(merchantId),
    ({ lastError }) => lastError === 'unreadable',
  );
  expect(damaged).toMatchObject({ status: 'given_up', tries: 2 });
  expect(await resultOf(handle)).toMatchObject({
    lastError: 'unreadable',
    next: expect.stringContaining(`mail retry --id ${id}`),
  });
  expect(await currentDetailsOf(handle)).toContain('cannot be decrypted');
  expect(await listUnsentMails(context(), { limit: 100 })).toContainEqual(
    expect.objectContaining({ id, status: 'given_up', lastError: 'unreadable', smtpCode: null }),
  );
  const fixed = address.replace('refuse', 'ok');
  const recipient = cipher.encrypt(fixed, { table: 'mail', column: 'recipient', row: id });
  await em.execute('update mail set recipient = ?, payload = ? where id = ?', [recipient, payload, id]);
  expect(await retryMails(context(), { id })).toBe(1);
  await untilStatus('sent');
  expect(await smtp.waitForMails(fixed)).toHaveLength(1);
});

it('a mail is given up when its time is over, and an operator can send it again', async () => {
  const { id, messageId, address, handle, untilStatus, merchantId } = await mailTo('later', {
    queuedAgoMs: GIVE_UP_AFTER_MS - 8_000,
  });
  await context().em.execute(`update merchant set email = ? where id = ?`, ['other@example.com', merchantId]);
  const given = await untilStatus('given_up');
  expect(given).toMatchObject({ lastError: 'refused_for_now' });
  expect(given.tries).toBeGreaterThan(1);
  await resultOf(handle);
  // The address works from now on.
  const { cipher, em } = context();
  const fixed = address.replace('later', 'ok');
  await em.execute('update mail set recipient = ? where id = ?', [
    cipher.encrypt(fixed, { table: 'mail', column: 'recipient', row: id }),
    id,
  ]);
  expect(await retryMails(context(), { id })).toBe(1);
  expect(await retryMails(context(), { id })).toBe(0);
  await untilStatus('sent');
  const [mail] = await smtp.waitForMails(fixed);
  expect(mail).toMatchObject({ messageId });
  expect(await retryMails(context(), { id })).toBe(0);
});

it('a mail whose reply was lost is sent again under the same Message-ID', async () => {
  const { messageId, address, untilStatus } = await mailTo('lose-reply.1');
  expect(await untilStatus('sent')).toMatchObject({ tries: 2 });
  const received = await smtp.waitForMails(address, 2);
  expect(received.map((mail) => mail.messageId)).toEqual([messageId, messageId]);
  expect(new Set(received.map(({ html }) => html)).size).toBe(1);
});

it.each(['terminate', 'cancel'] as const)('a workflow that somebody tries to %s does not lose its mail', async (verb) => {
  const { address, handle, untilStatus } = await mailTo('later.6');
  await until(
    'the workflow is running',
    () => handle.describe().catch(() => null),
    (found) => found?.status.name === 'RUNNING',
  );
  await handle[verb]();
  expect((await untilStatus('sent')).tries).toBeGreaterThanOrEqual(7);
  expect(await smtp.waitForMails(address)).toHaveLength(1);
});

it('in production there are tries for 72 hours, with pauses that grow', () => {
  const { retryAfterMs, giveUpAfterMs } = MAIL_TIMING;
  expect(giveUpAfterMs).toBe(72 * 3_600_000);
  expect([...retryAfterMs].sort((a, b) => a - b)).toEqual(retryAfterMs);
});
