import type { Context } from '../../../platform/context.ts';
import { finishFile, listAbandoned } from '../make-file.steps.ts';
import { failPayments } from './discard-bank-file.ts';

/**
 * Goes on with files that nobody works on any more, since a process died: one that was being made is finished with the payments in it, and
 * one that was being discarded loses the rest of them. Returns how many. One that fails is tried again by the next call.
 */
export const finishAbandonedFiles = async (ctx: Context): Promise<number> => {
  let finished = 0;
  for (const { id, status, discardNote } of await listAbandoned(ctx)) {
    const own = { ...ctx, em: ctx.em.fork() as Context['em'] };
    try {
      if (status === 'making') await finishFile(own, id);
      else await failPayments(own, id, discardNote ?? '');
      finished++;
    } catch (err) {
      ctx.log.error({ err, bankFileId: id }, 'a bank file that was left unfinished cannot be finished');
    }
  }
  return finished;
};
