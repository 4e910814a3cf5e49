import { isPaidByPerson } from '../../../contracts/rails.ts';
import { runButtons } from '../../../texts/payout-run.finance.en.ts';
import type { ActionLook, ActionsOf, AnyForms } from '../../actions.ts';
import { amountLines, withAmount } from '../../amounts.ts';
import { facts, notice } from '../../components/blocks.ts';
import { counted } from '../../counted.ts';
import { attributes, type Child, type Html, html } from '../../html.ts';
import { mustOthersApprove } from '../../offers.ts';
import type { PageCall } from '../../page.ts';
import { refusalText, waitingForApproval } from '../../refusals.ts';
import type { runForms } from './run-forms.ts';
import type { RunOffer } from './run-offers.ts';
import { type RunData, sumOf } from './run-totals.ts';

export type RunForms = { [Name in keyof typeof runForms]: AnyForms[string] };

/** Sends along what the person sees now: a form that is shown again must not repeat what was seen before. */
const seen = ({ items, total, digest }: { items: number; total: object; digest?: string | null }): Html =>
  html`<input type="hidden" name="items" value="${items}"><input type="hidden" name="total" value="${JSON.stringify(total)}">${digest !== undefined && html`<input type="hidden" name="digest" value="${digest ?? ''}">`}`;

const looksOf = (run: RunData, call: PageCall): Readonly<Record<RunOffer, ActionLook & { form: keyof typeof runForms }>> => {
  const { items, total } = run;
  const isRejecting = run.situation.state === 'to_approve' && !mustOthersApprove(run);
  const asking = (text: string): Child =>
    html`${facts([
      ['Total', amountLines(total, call)],
      ['Affiliates', call.format.number(items)],
    ])}<p>${text}</p>`;
  return {
    confirm: {
      form: 'confirm',
      label: `${runButtons.confirm} ${withAmount(total, counted(items, 'affiliate', call), call)}`,
      title: 'Start this payout run?',
      confirm: asking('Payouts are then created and sent, or wait for an approval where one is needed.'),
      content: seen({ items, total }),
    },
    approve: {
      form: 'approve',
      label: runButtons.approve,
      title: 'Approve this payout run?',
      confirm: asking('Payouts are then created and sent.'),
    },
    resume: { form: 'resume', label: runButtons.resume },
    pause: { form: 'pause', label: runButtons.pause },
    cancel: {
      form: 'cancel',
      label: isRejecting ? runButtons.reject : runButtons.cancel,
      title: isRejecting ? 'Reject this payout run?' : 'Cancel this payout run?',
      tone: 'danger',
      confirm: asking('No further payouts are created. Those that were sent already are still paid.'),
    },
  };
};

const NEXT: Readonly<Record<string, readonly RunOffer[]>> = {
  confirm: ['confirm'],
  approve: ['approve', 'cancel'],
  resume: ['resume'],
};

/** Buttons of a run. Nothing is confirmed while it has nobody to pay. */
export const runActions = async (run: RunData, call: PageCall): Promise<ActionsOf> => {
  const others = mustOthersApprove(run) ? await waitingForApproval(call, [run.createdBy, run.confirmedBy]) : null;
  return {
    offers: run.availableActions.filter(({ action }) => action !== 'confirm' || run.items > 0),
    looks: looksOf(run, call),
    next: NEXT[run.situation.next ?? ''] ?? [],
    refusal: (action, code) => (action === 'approve' && others !== null ? others : refusalText(code)),
  };
};

/** Manual payouts of a run: start them, files, and what became of them. A paused run starts none, and hands out no file. */
export const manualView = (run: RunData, forms: RunForms, call: PageCall): Html | false => {
  const manual = run.totals.filter(({ rail }) => rail !== null && isPaidByPerson(rail));
  const [pending, processing] = (['pending', 'processing'] as const).map((status) =>
    sumOf(manual.filter(({ result }) => result === status)),
  ) as [ReturnType<typeof sumOf>, ReturnType<typeof sumOf>];
  const isSent = forms.process.isSent || forms.complete.isSent || forms.results.isSent || forms.files.isSent;
  if (pending.items + processing.items === 0 && !isSent) return false;
  if (!forms.process.isAllowed) return false;
  const isPaused = run.status === 'paused';
  const { format } = call;
  return html`<p>${format.number(pending.items)} to start, ${format.number(processing.items)} in progress.</p><div class="card">${
    ((pending.items > 0 && !isPaused) || forms.process.isSent) &&
    forms.process.render({ submit: `${runButtons.process} (${format.number(pending.items)})` })
  }${
    (processing.items > 0 || isSent) &&
    html`${(!isPaused || forms.files.isSent) && html`<details${attributes({ open: forms.files.isSent })}><summary>Payment files</summary>${forms.files.render({ submit: 'Get files', isDownload: true })}</details>`}<details${attributes({ open: forms.complete.isSent })}><summary>Mark all as paid</summary>${forms.complete.render(
      {
        submit: `${runButtons.complete}: ${withAmount(processing.total, counted(processing.items, 'payout', call), call)}`,
        content: html`${run.notHandedOut > 0 && notice(`${counted(run.notHandedOut, 'payout', call)} of these ${run.notHandedOut === 1 ? "hasn't" : "haven't"} been in a payment file yet.`, 'warning')}${seen({ ...processing, digest: run.digest })}${forms.complete.field('note')}`,
      },
    )}</details><details${attributes({ open: forms.results.isSent })}><summary>Import results</summary>${forms.results.render({ submit: 'Record results' })}</details>`
  }</div>`;
};
