import type { EventListener } from '../../platform/context.ts';
import { sql } from '../../platform/database/sql.ts';
import { recordEvent } from './record-event.ts';

/**
 * Listens to the events of all domains. Recipients are selected in the transaction that emits the event; endpoints that
 * are created, updated or deleted later do not change them.
 */
export const fanOutEvent: EventListener = async (ctx, event) => {
  await recordEvent(ctx, event, {
    trigger: 'schedule',
    recipients: sql`endpoint.status = 'active' and ${event.type} = any(endpoint.subscribed_events)
      and (endpoint.program_id is null or endpoint.program_id = ${event.programId}::uuid)`,
  });
};
