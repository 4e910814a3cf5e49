import { eventDefinition, type PayloadsOf } from '../../platform/event-definition.ts';
import { type FlagView, flagSchema } from './flags.wire.ts';

export const resolvedFlagExample: FlagView = {
  id: '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e61',
  affiliateId: '0198f1c2-9c20-7e13-a4d5-66b0c3f8d927',
  type: 'self_referral',
  status: 'dismissed',
  details: { clicks: 3 },
  note: 'Checked with the affiliate.',
  createdAt: '2026-01-15T09:30:00.000Z',
  resolvedAt: '2026-02-01T08:00:00.000Z',
};

export const FLAG_EVENTS = {
  'flag.resolved': eventDefinition('A flag was resolved.', flagSchema, resolvedFlagExample),
};

declare module '../../contracts/events.ts' {
  interface EventPayloads extends PayloadsOf<typeof FLAG_EVENTS> {}
}
