import { notice } from '../../components/blocks.ts';
import type { Fields, FormView } from '../../components/form.ts';
import { attributes, type Html, html, nothing } from '../../html.ts';
import type { payoutForms } from './payout-forms.ts';
import { awaitsApproval, isByHand, type PayoutData, type PayoutState } from './payout-state.ts';

type Name = keyof typeof payoutForms;
// biome-ignore lint/suspicious/noExplicitAny: forms with any fields
type Forms = Readonly<Record<Name, FormView<any>>>;

/** What can be done with a payout now: the first is what comes next, the others are there for exceptions. */
const actionsOf = (payout: PayoutData): { next: Name[]; other: Name[] } => {
  const { status, needsAttention, reviewReason, failureCode } = payout;
  const manual = isByHand(payout);
  if (reviewReason === 'contradiction') return { next: ['resolve'], other: [] };
  if (reviewReason === 'return_unconfirmed') return { next: ['comeBack', 'resolve'], other: [] };
  if (awaitsApproval(payout)) return { next: ['approve', 'cancel'], other: [] };
  if (status === 'pending') return { next: manual ? ['process'] : [], other: ['cancel'] };
  if (status === 'processing')
    return manual
      ? { next: ['instructions', 'complete'], other: ['fail'] }
      : { next: needsAttention ? ['complete', 'fail'] : [], other: [] };
  if (status === 'completed') return { next: [], other: manual ? ['instructions', 'comeBack'] : ['comeBack'] };
  return { next: failureCode === 'cancelled' ? [] : ['retry'], other: failureCode === 'cancelled' ? ['retry'] : [] };
};

interface Look {
  title: string;
  submit: string;
  tone?: 'danger';
}

const LOOKS: Readonly<Record<Name, Look>> = {
  approve: { title: 'Approve', submit: 'Approve' },
  cancel: { title: 'Cancel', submit: 'Cancel the payout', tone: 'danger' },
  process: { title: 'Begin the payment', submit: 'Begin the payment' },
  instructions: { title: 'Payment instructions', submit: 'Show payment instructions' },
  complete: { title: 'Mark as paid', submit: 'Mark as paid' },
  fail: { title: 'Mark as failed', submit: 'Mark as failed', tone: 'danger' },
  comeBack: { title: 'The money came back', submit: 'Record the return', tone: 'danger' },
  resolve: { title: 'Resolve', submit: 'Resolve' },
  retry: { title: 'Retry', submit: 'Retry' },
};

const renderForm = (form: FormView<Fields>, { submit, tone }: Look): Html => form.render({ submit, ...(tone ? { tone } : {}) });

/** The state, what comes next, and the forms for it. Of a form that was refused, the reason is always shown. */
export const actionsView = (payout: PayoutData, state: PayoutState, forms: Forms): Html => {
  const { next, other } = actionsOf(payout);
  const isRefusing = awaitsApproval(payout);
  const lookOf = (name: Name): Look => (name === 'cancel' && isRefusing ? { ...LOOKS.cancel, submit: 'Refuse' } : LOOKS[name]);
  const names = Object.keys(forms) as Name[];
  const refused = names.filter((name) => forms[name].isSent && !next.includes(name) && !other.includes(name));
  const shown = (list: readonly Name[]): Name[] => list.filter((name) => forms[name].isAllowed);
  const buttons = shown(next);
  const others = shown([...other, ...refused]);
  const isOpen = others.some((name) => forms[name].isSent);
  return html`${notice(html`<p>${state.text}</p>${state.next !== null && html`<p><strong>${state.next}</strong></p>`}`, state.tone)}${
    buttons.length > 0 &&
    html`<div class="card">${buttons.map((name) => html`<div class="action">${renderForm(forms[name], lookOf(name))}</div>`)}</div>`
  }${
    others.length > 0
      ? html`<details class="card"${attributes({ open: isOpen })}><summary>More that can be done</summary>${others.map(
          (name) => html`<h2>${lookOf(name).title}</h2>${renderForm(forms[name], lookOf(name))}`,
        )}</details>`
      : nothing
  }`;
};
