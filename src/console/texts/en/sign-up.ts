/** Texts of the pages on which companies open accounts. */
export const signUp = {
  title: 'Open an account',
  intro: 'For a company that pays others for sales they bring. You are its owner, and invite the people who work with you.',
  company: 'Company',
  confirmText: 'With one more step the account of your company is open.',
  hasAccount: 'I have an account',
  open: 'Open an account for a company',
  goOnAs: (name: string): string => `Add another company as ${name}`,
};
