import { type Html, html } from '../../html.ts';

/** Of the pages on which people join a program. */
export const join = {
  title: (program: string): string => `Join ${program}`,
  heading: (program: Html): Html => html`Join ${program}`,
  intro: 'Recommend it with a link of your own, and earn a commission on what people buy.',
  commissions: {
    one_time: (percent: string, _months: string): string => `${percent} of the first payment of each customer`,
    recurring: (percent: string, _months: string): string => `${percent} of every payment of each customer`,
    recurring_limited: (percent: string, months: string): string =>
      `${percent} of the payments of each customer in ${months} months`,
  },
  invited: (company: string, program: string): string => `${company} invites you to ${program}`,
  invitedHeading: (company: Html, program: Html): Html => html`${company} invites you to ${program}`,
  openUntil: 'Open until',
  ended: {
    used_up: 'This invite has been claimed as often as it can be.',
    expired: 'This invite has expired. Ask the company for another one.',
    program_inactive: 'The program takes nobody at the moment.',
  },
  mailToInvited: 'We mail a link and a code to the address that the invite is for.',
  website: 'Website',
  counted: 'Counts',
  countedFor: (days: string): string => `Sales up to ${days} days after a click`,
  paidAfter: 'Payable after',
  days: (days: string): string => `${days} days`,
  closed: 'This program takes nobody without an invite at the moment.',
  sent: 'A link and a code are on their way. Open the link, or enter the code here. Both work once, for 15 minutes.',
  goOnAs: (name: string): string => `Go on as ${name}`,
  confirmTitle: 'Confirm your address',
  confirmText: 'With one more step you see the terms, and join.',
  atOnce: 'You are a member at once, and get your first link.',
  reviewed: 'The company decides on your application. You get a mail then.',
  acceptAndJoin: 'Accept the terms and join',
  acceptAndApply: 'Accept the terms and apply',
  answer: (n: string): string => `Answer ${n}`,
  termsChanged: 'The terms have changed meanwhile. Read them again.',
  welcome: (program: string): string => `Welcome to ${program}`,
  yourLink: 'This is your first link. Share it, or let people scan the code: what they buy earns you a commission.',
  payoutHint: 'To be paid, say where the money should go. You can do this later.',
  waitingTitle: 'Your application is sent',
  waitingText: 'You get a mail when it is decided.',
};
