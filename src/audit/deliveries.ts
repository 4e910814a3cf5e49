import { ATTEMPT_DAYS, DELIVERY_DAYS } from '../contracts/limits.ts';
import { STANDARD_SCHEDULE } from '../domains/webhooks/index.ts';
import { DAY_MS } from '../platform/clock.ts';
import { firstRow, type RawBuilder, rows, sql } from '../platform/database/sql.ts';
import { type Audit, type Check, type Finding, type FindingRow, findingsOf, MAX_FINDINGS } from './audit.ts';

/** Whether an event reached an endpoint that changed shortly before it cannot be decided. */
const UNCERTAIN = '5 seconds';

/** I5 and I6: compares changes with events, events with deliveries, and deliveries with what receivers got. */
export const checkDeliveries: Check = async (audit) => {
  const count = await firstRow(
    audit.ctx.em,
    sql<{ events: number; deliveries: number }>`select (select count(*) from webhook_event) as events,
      (select count(*) from webhook_delivery) as deliveries`,
  );
  Object.assign(audit.counts, count);
  return [
    ...findingsOf('I5', await missingEvents(audit)),
    ...findingsOf('I5', await missingDeliveries(audit)),
    ...findingsOf('I5', await wrongEnds(audit)),
    ...findingsOf('I6', await unfoundedEvents(audit)),
    ...(await checkReceived(audit)),
  ];
};

/** What is older may have been removed by retention. */
const keptSince = ({ ctx }: Audit, days: number): RawBuilder<unknown> =>
  sql`${new Date(ctx.clock.now().getTime() - days * DAY_MS).toISOString()}::timestamptz`;

const EVENTS = sql<unknown>`(select id, type, occurred_at, convert_from(body, 'UTF8')::jsonb #>> '{data,id}' as subject
  from webhook_event where not test and (type like 'payout.%' or type like 'conversion.%'))`;

/** Each transition of a payout and each conversion has exactly one event. */
const missingEvents = (audit: Audit): Promise<FindingRow[]> => {
  const since = keptSince(audit, DELIVERY_DAYS);
  return rows(
    audit.ctx.em,
    sql<FindingRow>`with expected as (
        select 'payout' as kind, payout_id::text as subject, 'payout.' || replace(to_status, 'pending', 'created') as type,
            count(*) as times
          from payout_timeline where to_status is not null and at >= ${since} group by payout_id, to_status
        union all select 'conversion', id::text, 'conversion.created', 1 from conversion where created_at >= ${since})
      select format('%s %s', e.kind, e.subject) as subject, format('%s was emitted %s times', e.type, count(t.id)) as detail
      from expected e left join ${EVENTS} t on t.subject = e.subject and t.type = e.type and t.occurred_at >= ${since}
      group by e.kind, e.subject, e.type, e.times having count(t.id) <> e.times limit ${MAX_FINDINGS}`,
  );
};

/** Only endpoints that have not changed since the event: for others the former subscription is unknown. */
const missingDeliveries = (audit: Audit): Promise<FindingRow[]> =>
  rows(
    audit.ctx.em,
    sql<FindingRow>`select 'event ' || e.id as subject, format('%s has no delivery to endpoint %s', e.type, w.id) as detail
      from webhook_event e join webhook_endpoint w on w.merchant_id = e.merchant_id
      where e.id >= first_uuid_at(${keptSince(audit, DELIVERY_DAYS)}) and not e.test and w.status = 'active' and w.deleted_at is null
        and w.updated_at < e.occurred_at - ${UNCERTAIN}::interval
        and (e.type = any(w.subscribed_events) or e.extended and w.extended_events && array[e.type, '*']) and (w.program_id is null or w.program_id = e.program_id)
        and not exists (select 1 from webhook_delivery d where d.event_id = e.id and d.endpoint_id = w.id)
      limit ${MAX_FINDINGS}`,
  );

/** A final delivery is never attempted again, so its status must be justified. */
const wrongEnds = (audit: Audit): Promise<FindingRow[]> =>
  rows(
    audit.ctx.em,
    sql<FindingRow>`select 'delivery ' || d.id as subject, d.status || ' ' || case d.status
          when 'succeeded' then 'without an attempt that succeeded'
          when 'exhausted' then 'after ' || d.auto_attempts || ' attempts'
          when 'parked' then 'although its endpoint is active or deleted'
          else 'although its endpoint was not deleted and its event has not expired' end as detail
      from webhook_delivery d left join webhook_endpoint w on w.id = d.endpoint_id
      where case d.status
        when 'succeeded' then d.updated_at >= ${keptSince(audit, ATTEMPT_DAYS)} and not exists (select 1 from webhook_attempt a
          where a.delivery_id = d.id and a.outcome = 'succeeded' and a.http_status between 200 and 299)
        when 'exhausted' then d.trigger <> 'test' and d.auto_attempts < ${STANDARD_SCHEDULE.delaysMs.length}
        when 'parked' then (w.status = 'active' or w.deleted_at is not null) and not w.unparking
        when 'cancelled' then w.id is not null and w.deleted_at is null and d.event_id >= first_uuid_at(${keptSince(audit, DELIVERY_DAYS)})
        else false end
      limit ${MAX_FINDINGS}`,
  );

/** Events without their object. */
const unfoundedEvents = ({ ctx }: Audit): Promise<FindingRow[]> =>
  rows(
    ctx.em,
    sql<FindingRow>`select 'event ' || t.id as subject, t.type || ' for an object that does not exist' as detail
      from ${EVENTS} t
      where (t.type like 'payout.%' and not exists (select 1 from payout p where p.id::text = t.subject))
        or (t.type like 'conversion.%' and not exists (select 1 from conversion c where c.id::text = t.subject))
      limit ${MAX_FINDINGS}`,
  );

interface DeliveredRow {
  event_id: string;
  url: string;
  status: string;
  body: Buffer;
}

const checkReceived = async ({ ctx, received, counts }: Audit): Promise<Finding[]> => {
  if (!received) return [];
  counts['received'] = received.length;
  const known = await rows(
    ctx.em,
    sql<DeliveredRow>`select d.event_id, w.url, d.status, e.body
      from webhook_delivery d join webhook_endpoint w on w.id = d.endpoint_id join webhook_event e on e.id = d.event_id`,
  );
  const keyOf = (url: string, eventId: string): string => `${eventId} ${url}`;
  const bodies = new Map(known.map((row) => [keyOf(row.url, row.event_id), row.body]));
  const seen = new Set(received.map((webhook) => keyOf(webhook.url, webhook.eventId)));
  const lost = known.filter((row) => row.status === 'succeeded' && !seen.has(keyOf(row.url, row.event_id)));
  const unexpected = received.flatMap((webhook): FindingRow[] => {
    const body = bodies.get(keyOf(webhook.url, webhook.eventId));
    if (body && Buffer.from(body).equals(webhook.body)) return [];
    return [
      {
        subject: `event ${webhook.eventId}`,
        detail: body ? 'was received with another body' : 'was received but never committed',
      },
    ];
  });
  return [
    ...findingsOf(
      'I5',
      lost.map((row) => ({ subject: `event ${row.event_id}`, detail: 'succeeded but was never received' })),
    ),
    ...findingsOf('I6', unexpected),
  ].slice(0, MAX_FINDINGS);
};

/**
 * I5 of mails: affiliates are told of each completed payout, except people who were erased. A mail about several payouts names
 * the person, and is written within the hour.
 */
export const checkPayoutMails: Check = async ({ ctx }) =>
  findingsOf(
    'I5',
    await rows(
      ctx.em,
      sql<FindingRow>`select 'payout ' || p.id as subject, 'is completed, and no mail tells its affiliate' as detail
        from payout p join affiliate a on a.id = p.affiliate_id join affiliate_profile f on f.id = a.profile_id
        where p.status = 'completed' and f.erased_at is null and not exists (
          select from mail m where m.kind = 'payout_completed' and (m.subject_id = p.id
            or m.subject_id = f.id and m.created_at > p.completed_at - interval '1 hour' and m.created_at < p.completed_at + interval '1 hour'))
        limit ${MAX_FINDINGS}`,
    ),
  );
