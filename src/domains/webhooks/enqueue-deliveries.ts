import { type RawBuilder, sql } from '../../platform/database/sql.ts';
import { enqueueEach } from '../../platform/outbox/outbox.ts';

/** The last part of a statement: enqueues each delivery in `from`. The suffix names the run, see `DeliveryInput`. */
export const enqueueDeliveries = (suffix: RawBuilder<unknown>, from: RawBuilder<unknown>): RawBuilder<unknown> =>
  enqueueEach({
    topic: 'webhook.deliver',
    suffix,
    subjectId: sql`id`,
    payload: { merchantId: sql`merchant_id`, endpointId: sql`endpoint_id` },
    from,
  });
