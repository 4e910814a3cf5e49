import { z } from 'zod';
import type { RailDefinition } from './rail.ts';

/** The default rail: a person pays outside the system and marks the payout as paid or failed. Nothing is sent. */
export const manualRail: RailDefinition = {
  name: 'manual',
  accountSchema: z.object({}),
  secrets: [],
  identityOf: () => 'none',
  canPay: () => null,
  open: () => null,
};
