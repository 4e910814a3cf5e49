import type { BankFolderActivities } from '../src/contracts/workflows/bank-folders.ts';
import { handOverFiles, importInbox } from '../src/domains/bank-files/index.ts';
import type { Context } from '../src/platform/context.ts';
import { translated } from './support/failures.ts';
import { startHeartbeats } from './support/heartbeats.ts';

export interface BankFolderRuntime {
  context(): Context;
  /** Undefined: files are not exchanged in this direction. */
  outbox: string | undefined;
  inbox: string | undefined;
}

/** Each runs at least once and is safe to repeat. */
export const bankFolderActivities = ({ context, outbox, inbox }: BankFolderRuntime): BankFolderActivities =>
  translated(() => context().log, {
    async handOverFiles() {
      if (outbox === undefined) return { handedOver: 0 };
      const stop = startHeartbeats();
      return { handedOver: await handOverFiles(context(), { outbox }).finally(stop) };
    },
    async importInbox() {
      if (inbox === undefined) return { imported: 0, failed: 0, more: false };
      const stop = startHeartbeats();
      return importInbox(context(), { inbox }).finally(stop);
    },
  } satisfies BankFolderActivities);
