import type { ReplayInput } from '../../contracts/webhooks.ts';
import { WORKFLOW_IDS } from '../../contracts/workflows.ts';
import { isoOf, sql } from '../../platform/database/sql.ts';
import { unfinishedRows } from '../../platform/outbox/unfinished-rows.ts';

export const UNFINISHED_REPLAYS = unfinishedRows<ReplayInput>({
  name: 'webhook replays',
  from: sql`webhook_replay r`,
  id: sql`r.id`,
  isUnfinished: sql`r.state = 'running'`,
  changedAt: sql`r.updated_at`,
  topics: ['webhook.replay'],
  payload: {
    replayId: sql`r.id`,
    merchantId: sql`r.merchant_id`,
    endpointId: sql`r.endpoint_id`,
    since: isoOf(sql`r.since`),
    until: isoOf(sql`r.until`),
  },
  messageOf: (payload) => ({ topic: 'webhook.replay', subjectId: payload.replayId, suffix: '', payload }),
  workflowIdOf: WORKFLOW_IDS.webhookReplay,
});
