import { html } from '../../html.ts';
import type { join as english } from '../en/join.ts';

export const join: typeof english = {
  title: (program) => `Bei ${program} mitmachen`,
  heading: (program) => html`Bei ${program} mitmachen`,
  intro: 'Empfehlen Sie es mit Ihrem eigenen Link, und erhalten Sie eine Provision auf das, was andere kaufen.',
  commissions: {
    one_time: (percent) => `${percent} der ersten Zahlung jedes Kunden`,
    recurring: (percent) => `${percent} jeder Zahlung jedes Kunden`,
    recurring_limited: (percent, months) =>
      `${percent} der Zahlungen jedes Kunden in ${months === '1' ? 'einem Monat' : `${months} Monaten`}`,
  },
  invited: (company, program) => `${company} lädt Sie zu ${program} ein`,
  invitedHeading: (company, program) => html`${company} lädt Sie zu ${program} ein`,
  openUntil: 'Offen bis',
  ended: {
    used_up: 'Diese Einladung wurde so oft angenommen, wie es möglich ist.',
    expired: 'Diese Einladung ist abgelaufen. Bitten Sie das Unternehmen um eine neue.',
    program_inactive: 'Das Programm nimmt derzeit niemanden auf.',
  },
  mailToInvited: 'Wir senden einen Link und einen Code an die Adresse, für die die Einladung gilt.',
  website: 'Webseite',
  counted: 'Verkäufe, die zählen',
  countedFor: (days) => `Bis ${days} ${days === '1' ? 'Tag' : 'Tage'} nach einem Klick`,
  hold: 'Wartefrist',
  noHold: 'Keine',
  days: (days) => `${days} ${days === '1' ? 'Tag' : 'Tage'}`,
  closed: 'Dieses Programm nimmt derzeit niemanden ohne Einladung auf.',
  sent: 'Ein Link und ein Code sind unterwegs. Öffnen Sie den Link, oder geben Sie hier den Code ein. Beide gelten einmal, 15 Minuten lang.',
  goOnAs: (name) => `Weiter als ${name}`,
  confirmTitle: 'Adresse bestätigen',
  confirmText: 'Noch ein Schritt, dann sehen Sie die Bedingungen und machen mit.',
  atOnce: 'Sie nehmen sofort teil und erhalten Ihren ersten Link.',
  reviewed: 'Das Unternehmen entscheidet über Ihre Bewerbung. Sie erhalten dann eine E-Mail.',
  acceptAndJoin: 'Bedingungen annehmen und mitmachen',
  acceptAndApply: 'Bedingungen annehmen und bewerben',
  answer: (n) => `Antwort ${n}`,
  termsChanged: 'Die Bedingungen haben sich inzwischen geändert. Bitte lesen Sie sie noch einmal.',
  welcome: (program) => `Willkommen bei ${program}`,
  toLinks: 'Zu Ihren Links',
  yourLink:
    'Das ist Ihr erster Link. Teilen Sie ihn, oder lassen Sie den Code scannen: Was dann gekauft wird, bringt Ihnen eine Provision.',
  payoutHint: 'Damit Sie bezahlt werden, geben Sie an, wohin gezahlt werden soll. Das geht auch später.',
  waitingTitle: 'Ihre Bewerbung ist abgeschickt',
  waitingText: 'Sie erhalten eine E-Mail, wenn darüber entschieden ist.',
};
