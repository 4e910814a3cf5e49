export { closeActivityPeriod, findActivityPeriod, writeActivityMails } from './activity-mails.ts';
export { mailOnEvent } from './mail-on-event.ts';
export { mailOnInternalEvent } from './mail-on-internal-event.ts';
export { finishMailTry, startMailTry } from './mail-steps.ts';
export {
  allowStrangers,
  findMailAllowance,
  findSubscription,
  liftMailSuppression,
  type SubscribedTo,
  unsubscribe,
} from './subscriptions.ts';
export { listUnsentMails, retryMails, UNFINISHED_MAILS } from './unfinished-mails.ts';
export { deleteExpiredMails } from './use-cases/delete-expired-mails.ts';
export { eraseMails } from './use-cases/erase-mails.ts';
export { writeWeeklyDigests } from './use-cases/write-weekly-digests.ts';
export { writeWaitingPayoutMails } from './waiting-payouts.ts';
