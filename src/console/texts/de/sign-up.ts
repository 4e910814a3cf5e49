import type { signUp as english } from '../en/sign-up.ts';

export const signUp: typeof english = {
  title: 'Konto eröffnen',
  intro:
    'Für ein Unternehmen, das andere für vermittelte Verkäufe bezahlt. Das Konto gehört Ihnen, und Sie laden ein, wer mitarbeitet.',
  company: 'Unternehmen',
  confirmText: 'Noch ein Schritt, dann ist das Konto Ihres Unternehmens eröffnet.',
  hasAccount: 'Ich habe ein Konto',
  open: 'Konto für ein Unternehmen eröffnen',
  goOnAs: (name) => `Als ${name} ein weiteres Unternehmen anlegen`,
};
