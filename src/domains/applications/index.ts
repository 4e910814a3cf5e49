export { getApplicationSnapshot, UNFINISHED_APPLICATIONS } from './application-workflow.ts';
export { APPLICATION_EVENTS } from './applications.examples.ts';
export { eraseApplications } from './erase-applications.ts';
export { type SubmitApplicationInput, type SubmittedApplication, submitApplication } from './submit-application.ts';
export { createAffiliate } from './use-cases/create-affiliate.ts';
export { expireApplication } from './use-cases/expire-application.ts';
export { noteCancellation } from './use-cases/note-cancellation.ts';
export { remindApplication } from './use-cases/remind-application.ts';
export { withdrawAllApplications } from './use-cases/withdraw-all-applications.ts';
