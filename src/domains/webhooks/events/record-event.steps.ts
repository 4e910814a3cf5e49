import { EVERY_EXTENDED, type EventType, isExtended, SCHEMA_VERSION } from '../../../contracts/events.ts';
import { DELIVERY_PRIORITIES, type DeliveryTrigger } from '../../../contracts/webhooks.ts';
import type { Context, EventListener } from '../../../platform/context.ts';
import { execute, type RawBuilder, rows, sql } from '../../../platform/database/sql.ts';
import { bodyPartsOf, subjectOf, type WebhookEvent } from './envelope.rules.ts';

const priorityOf = (type: string, test: boolean): number => {
  if (test) return DELIVERY_PRIORITIES.test;
  return type.startsWith('payout.') ? DELIVERY_PRIORITIES.payout : DELIVERY_PRIORITIES.other;
};

/** The number of the event among those of its subject, whose row stays locked until the commit. Test events are not counted. */
const sequenceOf = (event: WebhookEvent, test: boolean): RawBuilder<unknown> =>
  test
    ? sql`select 1 as sequence`
    : sql`insert into webhook_subject as counted (id, sequence) values (${subjectOf(event)}, 1)
        on conflict (id) do update set sequence = counted.sequence + 1 returning sequence`;

/**
 * Writes the event and a delivery for each endpoint that `recipients` selects: one statement in the caller's transaction, a template,
 * because P10 measures it. The lanes find new deliveries by themselves. Returns the ids of the deliveries.
 */
export const recordEvent = async (
  ctx: Context,
  event: WebhookEvent,
  to: { recipients: RawBuilder<unknown>; trigger: Extract<DeliveryTrigger, 'schedule' | 'test'> },
): Promise<string[]> => {
  const id = ctx.ids.next();
  const createdAt = ctx.clock.now();
  const at = createdAt.toISOString();
  const test = to.trigger === 'test';
  const { head, tail } = bodyPartsOf(event, { id, createdAt, environment: ctx.settings.environment, test });
  const recorded = await rows(
    ctx.em,
    sql<{ id: string }>`
      with subject as (
        ${sequenceOf(event, test)}
      ), event as (
        insert into webhook_event (id, merchant_id, program_id, type, schema_version, test, extended, body, occurred_at)
        select ${id}, ${event.merchantId}, ${event.programId}, ${event.type}, ${SCHEMA_VERSION}, ${test}, ${isExtended(event.type)},
          convert_to(${head}::text || sequence || ${tail}::text, 'UTF8'), ${at}
        from subject
        returning id
      )
      insert into webhook_delivery (id, event_id, endpoint_id, merchant_id, slot, priority, trigger, status, next_attempt_at,
        created_at, updated_at)
      select uuidv7(), event.id, endpoint.id, endpoint.merchant_id, endpoint.slot, ${priorityOf(event.type, test)}, ${to.trigger},
        'pending', ${at}, ${at}, ${at}
      from event, webhook_endpoint endpoint
      where endpoint.merchant_id = ${event.merchantId} and endpoint.deleted_at is null and ${to.recipients}
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
 * Listens to the events of all domains. Recipients are selected in the transaction that emits the event; endpoints that
 * are created, updated or deleted later do not change them.
 */
export const fanOutEvents: EventListener = async (ctx, events) => {
  const [event] = events;
  if (!event) return;
  if (events.length > 1) {
    for (let from = 0; from < events.length; from += MAX_EVENTS) await recordEvents(ctx, events.slice(from, from + MAX_EVENTS));
    return;
  }
  await recordEvent(ctx, event, {
    trigger: 'schedule',
    recipients: sql`endpoint.status = 'active' and ${isSubscribed(event.type)}
      and (endpoint.program_id is null or endpoint.program_id = ${event.programId})`,
  });
};

/** As `recordEvent`, for several events of one type and one merchant about different subjects, which are locked in the order of ids. */
const recordEvents = async (ctx: Context, events: readonly WebhookEvent[]): Promise<void> => {
  const [first] = events;
  if (!first) return;
  const { type, merchantId } = first;
  const createdAt = ctx.clock.now();
  const at = createdAt.toISOString();
  const { environment } = ctx.settings;
  const given = events.map((event) => {
    const id = ctx.ids.next();
    const { programId } = event;
    return { id, programId, subject: subjectOf(event), ...bodyPartsOf(event, { id, createdAt, environment, test: false }) };
  });
  await execute(
    ctx.em,
    sql`with given as materialized (
        select * from unnest(${given.map(({ id }) => id)}::uuid[], ${given.map(({ programId }) => programId)}::uuid[],
          ${given.map(({ subject }) => subject)}::uuid[], ${given.map(({ head }) => head)}::text[],
          ${given.map(({ tail }) => tail)}::text[]) as given(id, program_id, subject, head, tail)
      ), subject as (
        insert into webhook_subject as counted (id, sequence) select subject, 1 from given order by subject
        on conflict (id) do update set sequence = counted.sequence + 1 returning counted.id, counted.sequence
      ), event as (
        insert into webhook_event (id, merchant_id, program_id, type, schema_version, extended, body, occurred_at)
        select given.id, ${merchantId}, given.program_id, ${type}, ${SCHEMA_VERSION}, ${isExtended(type)},
          convert_to(head || sequence || tail, 'UTF8'), ${at}
        from given join subject on subject.id = given.subject
        returning id, program_id
      )
      insert into webhook_delivery (id, event_id, endpoint_id, merchant_id, slot, priority, trigger, status, next_attempt_at,
        created_at, updated_at)
      select uuidv7(), event.id, endpoint.id, endpoint.merchant_id, endpoint.slot, ${priorityOf(type, false)}, 'schedule', 'pending',
        ${at}, ${at}, ${at}
      from event join webhook_endpoint endpoint on endpoint.program_id is null or endpoint.program_id = event.program_id
      where endpoint.merchant_id = ${merchantId} and endpoint.deleted_at is null and endpoint.status = 'active' and ${isSubscribed(type)}`,
  );
};
