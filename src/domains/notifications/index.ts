import { closeActivityPeriod } from './use-cases/close-activity-period.ts';
import { findActivityPeriod } from './use-cases/find-activity-period.ts';
import { finishMailTry } from './use-cases/finish-mail-try.ts';
import { startMailTry } from './use-cases/start-mail-try.ts';
import { writeActivityMails } from './use-cases/write-activity-mails.ts';
import { writeWeeklyDigests } from './use-cases/write-weekly-digests.ts';

export { mailOnEvent } from './mail-on-event.ts';
export { mailOnInternalEvent } from './mail-on-internal-event.ts';
export { listUnsentMails } from './mails.queries.ts';
export { UNFINISHED_MAILS } from './unfinished-mails.ts';
export { deleteExpiredMails } from './use-cases/delete-expired-mails.ts';
export { eraseMails } from './use-cases/erase-mails.ts';
export { retryMails } from './use-cases/retry-mails.ts';

/** What the workflow of a mail carries out, one transaction each. */
export const MAIL_STEPS = { startMailTry, finishMailTry };
export const DIGEST_STEPS = { findActivityPeriod, writeActivityMails, closeActivityPeriod, writeWeeklyDigests };
