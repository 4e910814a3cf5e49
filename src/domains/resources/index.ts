export { type Download, openDownload } from './open-download.ts';
export { RECEIPT_LIMIT_MS, receiveUpload } from './receive-upload.ts';
export { removeDiscardedFiles } from './use-cases/remove-discarded-files.ts';
export { writeResourceMails } from './use-cases/write-resource-mails.ts';
