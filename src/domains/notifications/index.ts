export { closeActivityPeriod, findActivityPeriod, writeActivityMails } from './activity-mails.steps.ts';
export { finishMailTry, startMailTry } from './mail-delivery.steps.ts';
export { mailOnEvent } from './mail-on-event.steps.ts';
export { mailOnInternalEvent } from './mail-on-internal-event.steps.ts';
export {
  allowStrangers,
  findMailAllowance,
  findSubscription,
  liftMailSuppression,
  type SubscribedTo,
  unsubscribe,
} from './subscriptions.steps.ts';
export { listUnsentMails, retryMails, UNFINISHED_MAILS } from './unfinished-mails.steps.ts';
export { deleteExpiredMails } from './use-cases/delete-expired-mails.ts';
export { eraseMails } from './use-cases/erase-mails.ts';
export { writeWeeklyDigests } from './use-cases/write-weekly-digests.ts';
export { writeWaitingPayoutMails } from './waiting-payouts.steps.ts';
