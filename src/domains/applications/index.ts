export { getApplicationSnapshot, UNFINISHED_APPLICATIONS } from './application-workflow.ts';
export { APPLICATION_EVENTS } from './applications.examples.ts';
export { eraseApplicationMentions, eraseApplications, withdrawAllApplications } from './erase-applications.ts';
export { type SubmitApplicationInput, type SubmittedApplication, submitApplication } from './submit-application.ts';
export { expireApplication, noteCancellation, remindApplication } from './use-cases/application.ts';
export { createAffiliate } from './use-cases/create-affiliate.ts';
