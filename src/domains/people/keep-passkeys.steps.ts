import { recordChange } from '../../platform/audit-log/record-change.ts';
import type { Context } from '../../platform/context.ts';
import { lockName } from '../../platform/database/lock-name.ts';
import { PasskeyReplacement } from './passkey-replacement.entity.ts';

/** Serializes what decides whether passkeys of a person count. Taken before sessions and passkeys are locked: the same order everywhere. */
export const lockPasskeysOf = (ctx: Context, personId: string): Promise<number> => lockName(ctx, `passkeys:${personId}`);

export const findReplacement = (ctx: Context, personId: string): Promise<PasskeyReplacement | null> =>
  ctx.em.findOne(PasskeyReplacement, { personId, status: 'pending' }, { refresh: true });

/** How somebody said that the passkeys stay. `rule`: the person belongs to others than the owner who asked. */
type StoppedBy = 'passkey' | 'link' | 'person' | 'owner' | 'removal' | 'rule';

/** Stops the replacement of a person's passkeys, if there is one. The caller holds their lock. */
export const keepPasskeysOf = async (ctx: Context, personId: string, stoppedBy: StoppedBy): Promise<void> => {
  const found = await findReplacement(ctx, personId);
  if (!found) return;
  found.stop(ctx.clock.now());
  const { ownerId } = found;
  await recordChange(ctx, {
    ownerId,
    action: 'person.passkey_replacement_stopped',
    resourceId: personId,
    after: { stoppedBy },
  });
};
