import type { BankFolderActivities, BankFoldersResult } from '../src/contracts/workflows/bank-folders.ts';
import { QUEUES } from '../src/contracts/workflows/queues.ts';
import { activitiesOn, folders } from './support/activities.ts';

/** What is left then waits for the next run. */
const MAX_ROUNDS = 50;

/** Puts bank files into the outbox, and imports what banks put into the inbox. */
export async function bankFolders(): Promise<BankFoldersResult> {
  const { handOverFiles, importInbox } = activitiesOn<BankFolderActivities>(QUEUES.reviews, folders);
  const { handedOver } = await handOverFiles.executeWithOptions({ summary: 'Put bank files into the outbox' }, []);
  const result: BankFoldersResult = { handedOver, imported: 0, failed: 0 };
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const pass = await importInbox.executeWithOptions({ summary: 'Import files of banks' }, []);
    result.imported += pass.imported;
    result.failed += pass.failed;
    if (!pass.more) break;
  }
  return result;
}
