import { EVERY_EXTENDED, type EventType, isExtended, SCHEMA_VERSION } from '../../../contracts/events.ts';
import { DELIVERY_PRIORITIES, type DeliveryTrigger } from '../../../contracts/webhooks.ts';
import type { Context, EventListener } from '../../../platform/context.ts';
import { compileOnce, type Given } from '../../../platform/database/compiled.ts';
import { type RawBuilder, rows, sql, statementOf } from '../../../platform/database/sql.ts';
import { columnsFrom, type Lists, tableOf } from '../../../platform/database/table.ts';
import { invariant } from '../../../platform/errors.ts';
import { bodyPartsOf, subjectOf, type WebhookEvent } from './envelope.rules.ts';

const priorityOf = (type: string, test: boolean): number => {
  if (test) return DELIVERY_PRIORITIES.test;
  return type.startsWith('payout.') ? DELIVERY_PRIORITIES.payout : DELIVERY_PRIORITIES.other;
};

const COLUMNS = { id: 'uuid', programId: 'uuid', subject: 'uuid', head: 'text', tail: 'text' } as const;

/** The number of each event among those of its subject, whose row stays locked until the commit, in the order of ids. */
const COUNTED = sql`insert into webhook_subject as counted (id, sequence) select subject, 1 from given order by subject
  on conflict (id) do update set sequence = counted.sequence + 1 returning counted.id, counted.sequence`;

const UNCOUNTED = sql`select subject as id, 1 as sequence from given`;

const isSubscribed = (type: RawBuilder<string>, extended: boolean): RawBuilder<unknown> =>
  extended
    ? sql`endpoint.extended_events && array[${type}::text, ${sql.lit(EVERY_EXTENDED)}]`
    : sql`${type} = any(endpoint.subscribed_events)`;

interface EventRow {
  id: string;
  programId: string | null;
  subject: string;
  head: string;
  tail: string;
}

interface EventValues {
  type: EventType;
  merchantId: string;
  priority: number;
  at: string;
  /** A test event goes to this endpoint only. */
  testOf: string | undefined;
}

const EXTENDED = 'extended';

/** A template, because P10 measures it. */
const insertEvents = compileOnce(
  ({ type, merchantId, priority, at, testOf, ...rows }: Given<EventValues & Lists<EventRow>>, shape) => {
    const extended = shape === EXTENDED;
    const recipients = testOf
      ? sql`endpoint.id = ${testOf}`
      : sql`endpoint.status = 'active' and ${isSubscribed(type, extended)}
          and (endpoint.program_id is null or endpoint.program_id = event.program_id)`;
    const trigger: DeliveryTrigger = testOf ? 'test' : 'schedule';
    return statementOf(sql<{ id: string }>`
      with given as materialized (
        select * from ${tableOf(rows, COLUMNS, 'given')}
      ), subject as (
        ${testOf ? UNCOUNTED : COUNTED}
      ), event as (
        insert into webhook_event (id, merchant_id, program_id, type, schema_version, test, extended, body, occurred_at)
        select given.id, ${merchantId}::uuid, given.program_id, ${type}, ${sql.lit(SCHEMA_VERSION)}, ${sql.lit(testOf !== undefined)}, ${sql.lit(extended)},
          convert_to(head || sequence || tail, 'UTF8'), ${at}::timestamptz
        from given join subject on subject.id = given.subject
        returning id, program_id
      )
      insert into webhook_delivery (id, event_id, endpoint_id, merchant_id, slot, priority, trigger, status, next_attempt_at,
        created_at, updated_at)
      select uuidv7(), event.id, endpoint.id, endpoint.merchant_id, endpoint.slot, ${priority}::smallint, ${sql.lit(trigger)},
        'pending', ${at}::timestamptz, ${at}::timestamptz, ${at}::timestamptz
      from event, webhook_endpoint endpoint
      where endpoint.merchant_id = ${merchantId}::uuid and endpoint.deleted_at is null and ${recipients}
      returning id`);
  },
);

/**
 * Writes events of one type and one merchant about different subjects, and a delivery for each endpoint that subscribes to them, or for
 * one that is tested: one statement in the caller's transaction. The lanes find new deliveries by themselves. Returns the ids of the
 * deliveries.
 */
export const recordEvents = async (ctx: Context, events: readonly WebhookEvent[], testOf?: string): Promise<string[]> => {
  const [first] = events;
  if (!first) return [];
  const { type, merchantId } = first;
  const areAlike = events.every((event) => event.type === type && event.merchantId === merchantId);
  invariant(areAlike, 'events that are recorded at once are of one type and one merchant');
  const createdAt = ctx.clock.now();
  const test = testOf !== undefined;
  const given = events.map((event) => {
    const id = ctx.ids.next();
    const parts = bodyPartsOf(event, { id, createdAt, environment: ctx.settings.environment, test });
    return { id, programId: event.programId, subject: subjectOf(event), ...parts };
  });
  const values = { type, merchantId, priority: priorityOf(type, test), at: createdAt.toISOString(), testOf };
  const statement = insertEvents({ ...values, ...columnsFrom<EventRow>(given, COLUMNS) }, isExtended(type) ? EXTENDED : '');
  return (await rows(ctx.em, statement)).map(({ id }) => id);
};

/** Events of one statement: a body has up to 256 KiB, and most have one. */
const MAX_EVENTS = 200;

/**
 * Listens to the events of all domains. Recipients are selected in the transaction that emits the events; endpoints that
 * are created, updated or deleted later do not change them.
 */
export const fanOutEvents: EventListener = async (ctx, events) => {
  for (let from = 0; from < events.length; from += MAX_EVENTS) await recordEvents(ctx, events.slice(from, from + MAX_EVENTS));
};
