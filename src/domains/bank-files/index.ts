export type { BankImportView } from './bank-files.wire.ts';
export { eraseFileMentions, eraseFileNotes } from './erase-bank-files.steps.ts';
export { type AccountMovements, movementsOfAccount } from './movements.queries.ts';
export { finishAbandonedFiles } from './use-cases/finish-abandoned-files.ts';
export { bankFileDownload } from './use-cases/get-bank-file-content.ts';
export { areFilesWaiting, handOverFiles } from './use-cases/hand-over-files.ts';
export { importBankFile } from './use-cases/import-bank-statement.ts';
export { importInbox, isInboxFilled } from './use-cases/import-inbox.ts';
