import type { applicationForAffiliate as en } from './application.affiliate.en.ts';

export const applicationForAffiliate: typeof en = {
  states: {
    to_decide: { label: 'In Prüfung', text: 'Das Unternehmen entscheidet innerhalb von 30 Tagen.' },
    approved: { label: 'Angenommen', text: 'Sie nehmen an dem Programm teil.' },
    declined: { label: 'Abgelehnt', text: 'Das Unternehmen hat Ihre Bewerbung nicht angenommen.' },
    expired: { label: 'Abgelehnt', text: 'Das Unternehmen hat nicht rechtzeitig entschieden. Sie können sich erneut bewerben.' },
    withdrawn: { label: 'Zurückgezogen', text: 'Sie haben Ihre Bewerbung zurückgezogen.' },
    blocked: { label: 'Gesperrt', text: 'Sie können sich für dieses Programm nicht mehr bewerben.' },
  },
  reasons: { program_archived: 'Das Programm nimmt zurzeit niemanden auf.' },
  next: { decide: null, decline: null, add_affiliate: null },
};
