export { closeActivityPeriod, findActivityPeriod, writeActivityMails } from './activity-mails.ts';
export { mailOnEvent } from './mail-on-event.ts';
export { mailOnInternalEvent } from './mail-on-internal-event.ts';
export { finishMailTry, startMailTry } from './mail-steps.ts';
export { deleteExpiredMails, eraseMails } from './remove-mails.ts';
export { listUnsentMails, retryMails, UNFINISHED_MAILS } from './unfinished-mails.ts';
export { writeWeeklyDigests } from './use-cases/write-weekly-digests.ts';
