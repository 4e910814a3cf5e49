import { ALL_EVENT_TYPES, type EventType, isExtended, resourceOf, SCOPE_OF_RESOURCE } from '../../../contracts/events.ts';
import { PAGE_DEFAULT } from '../../../contracts/limits.ts';
import { MINUTE_MS } from '../../../platform/clock.ts';
import { type Context, callerOf, merchantOf } from '../../../platform/context.ts';
import { firstRow, type RawBuilder, rows, sql } from '../../../platform/database/sql.ts';
import { anyOf } from '../../../platform/database/table.ts';
import { invalid } from '../../../platform/errors.ts';
import type { EventCatalog } from '../../../platform/event-definition.ts';
import type { Feed } from '../../../platform/http/operation.ts';
import { invalidCursor, type Position, readCursor, writeCursor } from '../../../platform/http/pages.ts';
import { FIRST_ID, LAST_ID } from '../../../platform/ids.ts';
import { db } from '../../tables.ts';
import { envelopeExample } from '../webhooks.examples.ts';
import { type EventTypeView, type EventView, eventSchema, toEvent } from './events.wire.ts';

/** Position of the oldest open transaction: each event below it is visible, or was rolled back. */
export const EVENT_HORIZON = sql<number>`(select pg_snapshot_xmin(pg_current_snapshot())::text::bigint + ahead from event_order)`;

const LIST = 'events';
/** Events that one call with a filter looks at, however few of them match. */
const MAX_LOOKED_AT = 1_000;
/** Longer than any transaction, and than clocks differ. */
const SINCE_MARGIN_MS = 15 * MINUTE_MS;
const START: Position = { key: '0', id: FIRST_ID };

export interface ListEventsInput {
  after?: string | undefined;
  since?: string | undefined;
  limit?: number | undefined;
  types?: readonly EventType[] | undefined;
  extended?: boolean | undefined;
}

/** The last row has no body: it is the last event that was looked at. */
interface Row {
  id: string;
  position: string;
  body: Buffer | null;
  hasMore: boolean;
}

/** `withheld`: types on this page whose `data` the key may not read. */
type EventFeed = Feed<EventView> & { withheld?: readonly EventType[] };

/**
 * Events without those of tests, in the order of the transactions that recorded them, oldest first. It ends before the oldest
 * transaction that is still open: what is recorded later comes later in the list, so a reader who follows the cursor misses nothing.
 */
export const listEvents = async (ctx: Context, input: ListEventsInput): Promise<EventFeed> => {
  const { after, limit: size = PAGE_DEFAULT, types } = input;
  const withExtended = types ? types.some(isExtended) : input.extended === true;
  const position = await positionAfter(ctx, input);
  const found = await rows(ctx.em, eventRows({ merchantId: merchantOf(ctx), after: position, size, types, withExtended }));
  const items = found.filter((row): row is Row & { body: Buffer } => row.body !== null);
  const shown = items.slice(0, size);
  const last = items.length > size ? shown.at(-1) : found.at(-1);
  const { scopes } = callerOf(ctx);
  const isWithheld = ({ type }: EventView): boolean => !scopes.includes(SCOPE_OF_RESOURCE[resourceOf(type)]);
  const events = shown.map(({ body }) => toEvent(body));
  const withheld = [...new Set(events.filter(isWithheld).map(({ type }) => type))].sort();
  return {
    items: events.map((event) => (isWithheld(event) ? withoutData(event) : event)),
    ...(withheld.length === 0 ? {} : { withheld }),
    hasMore: last?.hasMore ?? false,
    nextCursor: last ? writeCursor(ctx, LIST, { key: last.position, id: last.id }) : (after ?? null),
  };
};

/** What the event is about stays secret from a key that may not read it by other operations. */
const withoutData = ({ data: _data, ...event }: EventView): EventView => event;

interface FeedPage {
  merchantId: string;
  after: Position;
  size: number;
  types: readonly EventType[] | undefined;
  withExtended: boolean;
}

/** A template: it reads the page and the end of what was looked at, which has no body. */
const eventRows = ({ merchantId, after, size, types, withExtended }: FeedPage) => {
  const most = sql.raw(String(types ? MAX_LOOKED_AT : size + 1));
  const eventsWhere = (condition: RawBuilder<unknown>) => sql`(select id, position, type, body from webhook_event
        where merchant_id = ${merchantId} and not test and ${condition}
          and position < ${EVENT_HORIZON}
          and (position, id) > (${after.key}, ${after.id})
        order by position, id limit ${most})`;
  return sql<Row>`with looked_at as (
        select * from (${eventsWhere(sql`not extended`)} ${withExtended ? sql`union all ${eventsWhere(sql`extended`)}` : sql``}) as listed
        order by position, id limit ${most}
      ), page as (
        select id, position, body from looked_at where ${types ? sql`type = ${anyOf(types)}` : sql`true`}
        order by position, id limit ${sql.raw(String(size + 1))}
      )
      select id, position::text, body, "hasMore" from (
        select id, position, body, true as "hasMore" from page
        union all
        select id, position, null, (select count(*) from looked_at) = ${most}
        from (select id, position from looked_at order by position desc, id desc limit 1) as last
        where (select count(*) from page) <= ${sql.raw(String(size))}
      ) as found order by body is null, found.position, id`;
};

const positionAfter = (ctx: Context, { after, since }: ListEventsInput): Promise<Position> | Position => {
  if (after !== undefined && since !== undefined) {
    const message = 'cannot be combined with after';
    throw invalid('BAD_REQUEST', 'Use one of since and after', [{ path: 'since', code: 'mixed_pagination', message }]);
  }
  if (after !== undefined) return positionOf(ctx, after);
  return since === undefined ? START : positionBefore(ctx, Date.parse(since) - SINCE_MARGIN_MS);
};

/**
 * Throws when the event of the cursor does not exist any more: it expired, or the database was restored to a time before it.
 * What the reader missed is not known then.
 */
const positionOf = async (ctx: Context, cursor: string): Promise<Position> => {
  const at = readCursor(ctx, LIST, cursor, 'after');
  const found = await firstRow(
    ctx.em,
    db
      .selectFrom('webhook_event')
      .select('id')
      .where('id', '=', at.id)
      .where('position', '=', sql<number>`${at.key}`)
      .where('merchantId', '=', merchantOf(ctx)),
  );
  if (found) return at;
  throw invalidCursor('after', 'has expired: list from the oldest event, or from a time with since', 'expired_cursor');
};

/** The end of a transaction that made the id of an event before that time: those that make one after `since` come later. */
const positionBefore = async (ctx: Context, timeMs: number): Promise<Position> => {
  const time = new Date(Math.max(0, timeMs)).toISOString();
  const found = await firstRow(
    ctx.em,
    db
      .selectFrom('webhook_event')
      .select(sql<string>`position::text`.as('position'))
      .where('id', '<', sql<string>`first_uuid_at(${time})`)
      .orderBy('id', 'desc')
      .limit(1),
  );
  return found ? { key: found.position, id: LAST_ID } : START;
};

/** In the order of the specification, then extended ones. They are the same for everybody. */
export const listEventTypes = (events: EventCatalog): EventTypeView[] =>
  ALL_EVENT_TYPES.map((type) => {
    const { description, example } = events[type];
    const extended = isExtended(type);
    return {
      type,
      resource: resourceOf(type),
      extended,
      description,
      example: eventSchema.parse(envelopeExample(type, example)),
    };
  });
