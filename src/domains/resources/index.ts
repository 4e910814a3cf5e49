import { removeDiscardedFiles } from './use-cases/remove-discarded-files.ts';
import { writeResourceMails } from './use-cases/write-resource-mails.ts';

export { type Download, openDownload } from './open-download.ts';
export { RECEIPT_LIMIT_MS, receiveUpload } from './receive-upload.ts';

/** What a worker repeats. */
export const RESOURCE_TASKS = { removeDiscardedFiles, writeResourceMails };
