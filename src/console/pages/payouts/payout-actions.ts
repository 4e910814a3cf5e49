import type { PayoutAction } from '../../../contracts/situations/payout.ts';
import { payoutButtons } from '../../../texts/payout.finance.en.ts';
import type { ActionLook, ActionsOf } from '../../actions.ts';
import { facts } from '../../components/blocks.ts';
import { type Child, html } from '../../html.ts';
import { nameOf } from '../../name.ts';
import { mustOthersApprove } from '../../offers.ts';
import type { PageCall } from '../../page.ts';
import { refusalText, waitingForApproval } from '../../refusals.ts';
import type { payoutForms } from './payout-forms.ts';
import { methodText } from './payout-method.ts';
import type { PayoutPageData } from './payout-offers.ts';

type Look = ActionLook & { form: keyof typeof payoutForms };

const { approve, reject, cancel, process, complete, fail, return: comeBack, resolve, retry } = payoutButtons;

/** What brings the payout further, by the next step of its situation. The rest is there for exceptions. */
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
  change_order: ['retry'],
  ask_why: ['retry'],
  resolve_hold: ['retry'],
  pay_again: ['retry'],
};

/** What each does, beside the figures that the person confirms. */
const looksOf = (payout: PayoutPageData, call: Pick<PageCall, 'format'>): Readonly<Record<PayoutAction, Look>> => {
  const figures = facts([
    ['Amount', call.format.money(payout.amount, payout.currency)],
    ['Reference', payout.paymentReference],
    ['Payee', nameOf(payout.affiliateName ?? payout.affiliateCode)],
    ['Payout method', methodText(payout)],
  ]);
  const asking = (text: string): Child => html`${figures}<p>${text}</p>`;
  const isRejecting = payout.situation.state === 'to_approve' && !mustOthersApprove(payout);
  return {
    approve: {
      form: 'approve',
      label: approve,
      title: 'Approve this payout?',
      confirm: asking('The payout is then sent, or ready for someone to pay.'),
    },
    process: {
      form: 'process',
      label: process,
      title: 'Start this payment?',
      confirm: asking("From then on, the payout can't be cancelled. Pay it as the instructions say."),
    },
    read_instructions: { form: 'instructions', label: payoutButtons.read_instructions },
    complete: {
      form: 'complete',
      label: complete,
      title: 'Record the payment?',
      confirm: asking('The affiliate is notified, and the amount counts as paid.'),
    },
    resolve: { form: 'resolve', label: resolve, title: 'What became of the payment?', confirm: figures },
    retry: {
      form: 'retry',
      label: retry,
      title: 'Retry this payout?',
      confirm: asking('A new payout of what is payable now takes its place, to the current payout details.'),
    },
    return: { form: 'comeBack', label: comeBack, title: 'Did the money come back?', tone: 'danger', confirm: figures },
    fail: {
      form: 'fail',
      label: fail,
      title: 'Record that it was not paid?',
      tone: 'danger',
      confirm: asking('Only if it never will be. The amount is then payable again, in the next payout.'),
    },
    cancel: {
      form: 'cancel',
      label: isRejecting ? reject : cancel,
      title: isRejecting ? 'Reject this payout?' : 'Cancel this payout?',
      tone: 'danger',
      confirm: asking(
        payout.status === 'pending'
          ? 'Nothing is sent. The amount is payable again.'
          : 'The payment provider is asked to cancel the payment. Once it has, the amount is payable again. If the affiliate claims it first, they keep the money.',
      ),
    },
  };
};

/** Buttons of a payout. Someone who had a part in it reads who else can approve it. */
export const payoutActions = async (payout: PayoutPageData, call: PageCall<'listPeople'>): Promise<ActionsOf> => {
  const others = mustOthersApprove(payout) ? await waitingForApproval(call, []) : null;
  return {
    offers: payout.availableActions,
    looks: looksOf(payout, call),
    next: NEXT[payout.situation.next ?? ''] ?? [],
    refusal: (action, code) => (action === 'approve' && others !== null ? others : refusalText(code)),
  };
};
