import { FRESH_CHECK_MS, FRESH_CHECK_REQUIRED } from '../../contracts/people.ts';
import { after } from '../../platform/clock.ts';
import type { Context, PersonActor } from '../../platform/context.ts';
import { AppError } from '../../platform/errors.ts';
import type { FreshCheck } from '../../platform/http/operation.ts';

/** What the person has to do: whoever has a passkey uses it, and what only a passkey opens needs one. */
const neededBy = (rule: FreshCheck, { proof }: PersonActor): FreshCheck =>
  rule === 'passkey' || proof.hasPasskey ? 'passkey' : 'code';

/** FORBIDDEN for a person whose session has not proved within five minutes who they are. Keys cannot be asked. */
export const assertFresh = ({ actor, clock }: Pick<Context, 'actor' | 'clock'>, rule: FreshCheck): void => {
  if (actor.kind !== 'person') return;
  const { passkeyAt, codeAt, hasPasskey } = actor.proof;
  const isRecent = (at: Date | null): boolean => at !== null && after(at, FRESH_CHECK_MS) > clock.now();
  const needs = neededBy(rule, actor);
  if (isRecent(passkeyAt) || (needs === 'code' && isRecent(codeAt))) return;
  throw new AppError('FORBIDDEN', 'A passkey or a new code is required within the last five minutes', {
    reason: FRESH_CHECK_REQUIRED,
    needs,
    hasPasskey,
  });
};
