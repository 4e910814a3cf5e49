import { EVERY_EXTENDED, type EventType, isExtended, SCHEMA_VERSION } from '../../../contracts/events.ts';
import { DELIVERY_PRIORITIES, type DeliveryTrigger } from '../../../contracts/webhooks.ts';
import type { Context, EventListener } from '../../../platform/context.ts';
import { givenOf } from '../../../platform/database/compiled.ts';
import { type RawBuilder, rows, sql } from '../../../platform/database/sql.ts';
import { columnsFrom, tableOf } from '../../../platform/database/table.ts';
import { bodyPartsOf, subjectOf, type WebhookEvent } from './envelope.rules.ts';

const priorityOf = (type: string, test: boolean): number => {
  if (test) return DELIVERY_PRIORITIES.test;
  return type.startsWith('payout.') ? DELIVERY_PRIORITIES.payout : DELIVERY_PRIORITIES.other;
};

const COLUMNS = { id: 'uuid', programId: 'uuid', subject: 'uuid', head: 'text', tail: 'text' } as const;

/** The number of each event among those of its subject, whose row stays locked until the commit, in the order of ids. Test events are not counted. */
const sequences = (test: boolean): RawBuilder<unknown> =>
  test
    ? sql`select subject as id, 1 as sequence from given`
    : sql`insert into webhook_subject as counted (id, sequence) select subject, 1 from given order by subject
        on conflict (id) do update set sequence = counted.sequence + 1 returning counted.id, counted.sequence`;

/**
 * Writes events of one type and one merchant about different subjects, and a delivery for each `endpoint` that `recipients` selects for an
 * `event`: one statement in the caller's transaction, a template, because P10 measures it. The lanes find new deliveries by themselves.
 * Returns the ids of the deliveries.
 */
export const recordEvents = async (
  ctx: Context,
  events: readonly WebhookEvent[],
  to: { recipients: RawBuilder<unknown>; trigger: Extract<DeliveryTrigger, 'schedule' | 'test'> },
): Promise<string[]> => {
  const [first] = events;
  if (!first) return [];
  const { type, merchantId } = first;
  const createdAt = ctx.clock.now();
  const at = createdAt.toISOString();
  const test = to.trigger === 'test';
  const given = events.map((event) => {
    const id = ctx.ids.next();
    const parts = bodyPartsOf(event, { id, createdAt, environment: ctx.settings.environment, test });
    return { id, programId: event.programId, subject: subjectOf(event), ...parts };
  });
  const recorded = await rows(
    ctx.em,
    sql<{ id: string }>`
      with given as materialized (
        select * from ${tableOf(givenOf(columnsFrom(given, COLUMNS)), COLUMNS, 'given')}
      ), subject as (
        ${sequences(test)}
      ), event as (
        insert into webhook_event (id, merchant_id, program_id, type, schema_version, test, extended, body, occurred_at)
        select given.id, ${merchantId}, given.program_id, ${type}, ${SCHEMA_VERSION}, ${test}, ${isExtended(type)},
          convert_to(head || sequence || tail, 'UTF8'), ${at}
        from given join subject on subject.id = given.subject
        returning id, program_id
      )
      insert into webhook_delivery (id, event_id, endpoint_id, merchant_id, slot, priority, trigger, status, next_attempt_at,
        created_at, updated_at)
      select uuidv7(), event.id, endpoint.id, endpoint.merchant_id, endpoint.slot, ${priorityOf(type, test)}, ${to.trigger},
        'pending', ${at}, ${at}, ${at}
      from event, webhook_endpoint endpoint
      where endpoint.merchant_id = ${merchantId} and endpoint.deleted_at is null and ${to.recipients}
      returning id`,
  );
  return recorded.map((row) => row.id);
};

const isSubscribed = (type: EventType): RawBuilder<unknown> =>
  isExtended(type)
    ? sql`endpoint.extended_events && ${[type, EVERY_EXTENDED]}::text[]`
    : sql`${type} = any(endpoint.subscribed_events)`;

/** Events of one statement: a body has up to 256 KiB, and most have one. */
const MAX_EVENTS = 200;

/**
 * Listens to the events of all domains. Recipients are selected in the transaction that emits the events; endpoints that
 * are created, updated or deleted later do not change them.
 */
export const fanOutEvents: EventListener = async (ctx, events) => {
  const [first] = events;
  if (!first) return;
  const recipients = sql`endpoint.status = 'active' and ${isSubscribed(first.type)}
    and (endpoint.program_id is null or endpoint.program_id = event.program_id)`;
  for (let from = 0; from < events.length; from += MAX_EVENTS)
    await recordEvents(ctx, events.slice(from, from + MAX_EVENTS), { trigger: 'schedule', recipients });
};
