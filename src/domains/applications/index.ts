export { APPLICATION_STEPS } from './application-steps.ts';
export { APPLICATION_EVENTS } from './applications.examples.ts';
export { eraseApplications } from './erase-applications.ts';
export { type SubmitApplicationInput, type SubmittedApplication, submitApplication } from './submit-application.ts';
export { UNFINISHED_APPLICATIONS } from './unfinished-applications.ts';
export { createAffiliate } from './use-cases/create-affiliate.ts';
export { withdrawAllApplications } from './use-cases/withdraw-all-applications.ts';
