import { randomUUID } from 'node:crypto';
import type { OutboxMessage } from '../../src/contracts/outbox.ts';
import { inTransaction } from '../../src/platform/context.ts';
import { rows, sql } from '../../src/platform/database/sql.ts';
import { enqueue } from '../../src/platform/outbox/outbox.ts';
import type { Dispatch } from '../../src/temporal/relay/dispatch.ts';
import { createRelay, type RelayOptions } from '../../src/temporal/relay/relay.ts';
import type { OutboxEntry, WorkflowStart } from '../../src/temporal/relay/routing.ts';
import type { TestApi } from '../support/api.ts';

/** What the tests of the relay use: an empty outbox for each test, and relays whose workflow id is the row's subject. */
export const useOutbox = (api: TestApi) => {
  const context = () => api.runtime.context({ kind: 'system', name: 'test' });
  beforeEach(() => context().em.execute('delete from outbox'));

  const payload = { merchantId: randomUUID(), endpointId: randomUUID() };
  const enqueueOne = async (more: Partial<OutboxMessage<'webhook.deliver'>> = {}): Promise<string> => {
    const subjectId = more.subjectId ?? api.runtime.ids.next();
    const message = { topic: 'webhook.deliver', suffix: '', payload, ...more, subjectId } as const;
    await inTransaction(context(), (ctx) => enqueue(ctx, message));
    return subjectId;
  };
  const waiting = () =>
    rows(
      context().em,
      sql<{ subject: string; attempts: number; failures: number; error: string | null; held: boolean; failed: boolean }>`
        select subject_id as subject, attempts, failures, last_error as error, failed_at is not null as failed,
          coalesce(lease_expires_at > now(), false) as held from outbox order by seq`,
    );
  const relayTo = (dispatch: Dispatch, more: Partial<RelayOptions> = {}) =>
    createRelay({
      orm: api.runtime.orm,
      ids: api.runtime.ids,
      log: api.runtime.log,
      dispatch,
      route: (entry: OutboxEntry) => ({ workflowId: entry.subjectId, args: [entry.payload] }) as unknown as WorkflowStart,
      ...more,
    });
  /** Many rows in one statement, of a priority. Resolves to their number. */
  const enqueueMany = (count: number, priority: number) =>
    context().em.execute(
      `insert into outbox (topic, priority, subject_id, payload) select 'webhook.deliver', ?, gen_random_uuid(), ?
        from generate_series(1, ?)`,
      [priority, JSON.stringify({ ...payload, priority }), count],
    );
  const run = (statement: string) => context().em.execute(statement);
  return { context, payload, enqueueOne, enqueueMany, waiting, relayTo, run };
};
