export { type Download, openDownload } from './open-download.calls.ts';
export { RECEIPT_LIMIT_MS, receiveUpload } from './receive-upload.calls.ts';
export { removeDiscardedFiles } from './use-cases/remove-discarded-files.ts';
export { writeResourceMails } from './use-cases/write-resource-mails.ts';
