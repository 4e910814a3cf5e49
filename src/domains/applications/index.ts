export { getApplicationSnapshot, UNFINISHED_APPLICATIONS } from './application-workflow.steps.ts';
export { APPLICATION_EVENTS } from './applications.examples.ts';
export { eraseApplicationMentions, eraseApplications, withdrawAllApplications } from './erase-applications.steps.ts';
export { type SubmitApplicationInput, type SubmittedApplication, submitApplication } from './submit-application.steps.ts';
export { expireApplication, noteCancellation, remindApplication } from './use-cases/application.ts';
export { createAffiliate } from './use-cases/create-affiliate.ts';
