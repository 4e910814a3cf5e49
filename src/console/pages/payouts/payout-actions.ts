import type { PayoutAction } from '../../../contracts/situations/payout.ts';
import { payoutButtons } from '../../../texts/payout.finance.en.ts';
import { notice } from '../../components/blocks.ts';
import type { Fields, FormView } from '../../components/form.ts';
import { attributes, type Html, html, nothing } from '../../html.ts';
import { mustOthersApprove } from '../../offers.ts';
import type { PageCall } from '../../page.ts';
import type { Said } from '../../said.ts';
import type { payoutForms } from './payout-forms.ts';
import { offersOf, type PayoutPageData } from './payout-offers.ts';

type Name = keyof typeof payoutForms;
// biome-ignore lint/suspicious/noExplicitAny: forms with any fields
type Forms = Readonly<Record<Name, FormView<any>>>;

interface Look {
  form: Name;
  title: string;
  submit: string;
  tone?: 'danger';
}

const { approve, reject, cancel, process, complete, fail, return: comeBack, resolve, retry } = payoutButtons;

const LOOKS: Readonly<Record<PayoutAction, Look>> = {
  approve: { form: 'approve', title: approve, submit: approve },
  cancel: { form: 'cancel', title: cancel, submit: cancel, tone: 'danger' },
  process: { form: 'process', title: process, submit: process },
  read_instructions: { form: 'instructions', title: 'Payment instructions', submit: payoutButtons.read_instructions },
  complete: { form: 'complete', title: complete, submit: complete },
  fail: { form: 'fail', title: fail, submit: fail, tone: 'danger' },
  return: { form: 'comeBack', title: 'The money came back', submit: comeBack, tone: 'danger' },
  resolve: { form: 'resolve', title: resolve, submit: resolve },
  retry: { form: 'retry', title: retry, submit: retry },
};

/** What brings the payout further; the rest is there for exceptions. */
const NEXT: Readonly<Record<string, readonly PayoutAction[]>> = {
  approve: ['approve', 'cancel'],
  start_payment: ['process'],
  record_payment: ['read_instructions', 'complete'],
  ask_provider: ['complete', 'fail'],
  wait_for_provider: ['complete'],
  confirm_return: ['return', 'resolve'],
  resolve: ['resolve'],
  ask_for_details: ['retry'],
  add_funds: ['retry'],
  mend_account: ['retry'],
  ask_why: ['retry'],
  resolve_hold: ['retry'],
  pay_again: ['retry'],
};

const renderForm = (form: FormView<Fields>, { submit, tone }: Look): Html => form.render({ submit, ...(tone ? { tone } : {}) });

const nextText = (payout: PayoutPageData, said: Said): string | null => {
  if (mustOthersApprove(payout))
    return 'Someone else has to approve it: you created it, had a part in it, or joined after it was created.';
  return payout.retriedBy === null ? said.next : null;
};

interface Shown {
  payout: PayoutPageData;
  said: Said;
}

/** The situation, what comes next, and the forms for it. The reason why a form was refused is always shown. */
export const actionsView = ({ payout, said }: Shown, forms: Forms, call: Pick<PageCall, 'format'>): Html => {
  const { situation } = payout;
  const offers = offersOf(payout);
  const next = NEXT[situation.next ?? ''] ?? [];
  const lookOf = (offer: PayoutAction): Look => {
    const isRejecting = offer === 'cancel' && situation.state === 'to_approve' && !mustOthersApprove(payout);
    return isRejecting ? { ...LOOKS.cancel, title: reject, submit: reject } : LOOKS[offer];
  };
  const sent = (Object.keys(LOOKS) as PayoutAction[]).filter(
    (offer) => forms[LOOKS[offer].form].isSent && !offers.includes(offer),
  );
  const shown = (list: readonly PayoutAction[]): Look[] => list.map(lookOf).filter(({ form }) => forms[form].isAllowed);
  const buttons = shown(offers.filter((offer) => next.includes(offer)));
  const others = shown([...offers.filter((offer) => !next.includes(offer)), ...sent]);
  const isOpen = others.some(({ form }) => forms[form].isSent);
  const toDo = nextText(payout, said);
  return html`${notice(
    html`<p>${said.text}</p>${toDo !== null && html`<p><strong>${toDo}</strong></p>`}${situation.until !== null && html`<p>Deadline: ${call.format.time(situation.until)}</p>`}`,
    said.tone,
  )}${
    buttons.length > 0 &&
    html`<div class="card">${buttons.map((look) => html`<div class="action">${renderForm(forms[look.form], look)}</div>`)}</div>`
  }${
    others.length > 0
      ? html`<details class="card"${attributes({ open: isOpen })}><summary>More actions</summary>${others.map(
          (look) => html`<h2>${look.title}</h2>${renderForm(forms[look.form], look)}`,
        )}</details>`
      : nothing
  }`;
};
