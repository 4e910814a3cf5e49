import type { WorkflowDescriptor } from './descriptor.ts';
import { QUEUES } from './queues.ts';

/** Each runs at least once and is safe to repeat. */
export interface BankFolderActivities {
  /** Puts files that are ready into the outbox; returns how many. */
  handOverFiles(): Promise<{ handedOver: number }>;
  /** Imports what banks answered, for about 20 seconds. `more`: files are left for another call. */
  importInbox(): Promise<{ imported: number; failed: number; more: boolean }>;
}

export interface BankFoldersResult {
  handedOver: number;
  imported: number;
  failed: number;
}

export const bankFolders = {
  type: 'bankFolders',
  namespace: 'background',
  queues: [QUEUES.reviews],
  schedule: {
    id: 'bank-folders',
    interval: null,
    catchupWindow: '1 minute',
    summary: 'Exchange bank files through folders',
    details:
      'Started by a worker while a bank file waits for the outbox or a file of a bank is in the inbox. Pause its Schedule to stop both. Nothing is put into the outbox while payments are on hold.',
  },
} as const satisfies WorkflowDescriptor;
