import type { EventListener } from '../../platform/context.ts';
import { sql } from '../../platform/database/sql.ts';
import { recordEvent } from './use-cases/record-event.ts';

/**
 * Hears every event of every room. Who is subscribed is settled here, in the transaction in which the event happens:
 * endpoints made, changed or removed afterwards change nothing about it.
 */
export const fanOutEvent: EventListener = async (ctx, event) => {
  await recordEvent(ctx, event, {
    trigger: 'schedule',
    recipients: sql`endpoint.status = 'active' and ${event.type} = any(endpoint.subscribed_events)
      and (endpoint.program_id is null or endpoint.program_id = ${event.programId}::uuid)`,
  });
};
