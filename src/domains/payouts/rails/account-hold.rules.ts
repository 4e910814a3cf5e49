import type { FaultClass } from '../../../contracts/faults.ts';
import { after, DAY_MS, HOUR_MS, MINUTE_MS } from '../../../platform/clock.ts';
import type { Answer } from './answer.ts';

/** Pauses before the attempts that try a held account; later ones are daily. */
const PROBE_PAUSES_MS: readonly number[] = [15 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS];

/** When the next attempt may try a held account, after so many others tried in vain. */
export const probeAfter = (now: Date, probes: number): Date => after(now, PROBE_PAUSES_MS[probes] ?? DAY_MS);

/** Whether an order may try a held account now. */
export const turnOf = (probeAt: Date, now: Date): 'probe' | 'wait' => (now < probeAt ? 'wait' : 'probe');

/** Whoever refuses for these looked at the order, and so had nothing against the account. */
const FAULTS_OF_OTHERS: ReadonlySet<FaultClass> = new Set(['payee', 'order', 'compliance']);

/** Whether an answer proves that the account can pay. What was refused here, before it was sent, proves nothing. */
export const provesAccount = ({ outcome, fault, response }: Answer): boolean => {
  if (outcome !== 'failed') return outcome !== 'unknown';
  return response.sent !== false && fault !== null && FAULTS_OF_OTHERS.has(fault.class);
};
