/** 1: the merchant exists. 2: the company has its name. 4: the merchant said that the setup is complete. */
export const LAST_ONBOARDING_STEP = 4;
export type OnboardingStep = 2 | typeof LAST_ONBOARDING_STEP;
