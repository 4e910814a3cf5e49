import { eventDefinition, type PayloadsOf } from '../../platform/event-definition.ts';
import { type FlagDetailView, type FlagRecord, type FlagStats, type FlagView, flagSchema } from './flags.wire.ts';

export const flagExample: FlagView = {
  id: '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e61',
  affiliateId: '0198f1c2-9c20-7e13-a4d5-66b0c3f8d927',
  programId: '0198f1c2-8b11-7d02-93c4-55a9b2e7c816',
  type: 'manual_review',
  status: 'open',
  details: { evidenceCount: 1, evidence: [{ at: '2026-01-15T09:30:00.000Z', note: 'Bids on our brand name' }] },
  note: 'Bids on our brand name',
  conversionCount: 1,
  dueAt: '2026-01-29T09:30:00.000Z',
  deadlineAction: null,
  holdEndedAt: null,
  createdAt: '2026-01-15T09:30:00.000Z',
  resolvedAt: null,
};

export const flagRecordExample: FlagRecord = {
  ...flagExample,
  situation: { state: 'to_decide', reason: null, waitsFor: 'reviewer', until: flagExample.dueAt, next: 'decide' },
};

export const flagDetailExample: FlagDetailView = {
  ...flagRecordExample,
  conversionIds: ['0198f1c2-5a30-7f47-8a1b-9d3c6e2f7b05'],
  nextConversionId: null,
};

export const resolvedFlagExample: FlagView = {
  ...flagExample,
  status: 'dismissed',
  note: 'Checked with the affiliate.',
  holdEndedAt: '2026-02-01T08:00:00.000Z',
  resolvedAt: '2026-02-01T08:00:00.000Z',
};

export const flagStatsExample: FlagStats = { open: 1, reviewed: 2, dismissed: 4, confirmed: 1, total: 8 };

export const createFlagExample = {
  affiliateId: flagExample.affiliateId,
  conversionIds: ['0198f1c2-5a30-7f47-8a1b-9d3c6e2f7b05'],
  note: 'Bids on our brand name',
};

export const FLAG_EVENTS = {
  'flag.created': eventDefinition(
    'A flag was opened: what it is linked to is neither approved nor paid until it is resolved.',
    flagSchema,
    flagExample,
  ),
  'flag.resolved': eventDefinition('A flag was resolved.', flagSchema, resolvedFlagExample),
};

declare module '../../contracts/events.ts' {
  interface EventPayloads extends PayloadsOf<typeof FLAG_EVENTS> {}
}
