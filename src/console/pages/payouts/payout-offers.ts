import type { OperationSuccess } from '../../../api/pipeline/call-operation.ts';

/** As lists have it. */
export type PayoutData = OperationSuccess<'listPayouts'>['data'][number];
/** As it is read by itself: with what the person can do with it. */
export type PayoutPageData = OperationSuccess<'getPayout'>['data'];
/** An entry of its timeline. */
export type Entry = OperationSuccess<'getPayoutTimeline'>['data'][number];
