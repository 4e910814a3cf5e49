import { isPaidByPerson } from '../../../contracts/rails.ts';
import { runButtons } from '../../../texts/payout-run.finance.en.ts';
import { withAmount } from '../../amounts.ts';
import { notice } from '../../components/blocks.ts';
import type { FormView } from '../../components/form.ts';
import { counted } from '../../counted.ts';
import { attributes, type Html, html } from '../../html.ts';
import { mustOthersApprove } from '../../offers.ts';
import type { PageCall } from '../../page.ts';
import { runSaid } from '../../said.ts';
import type { runForms } from './run-forms.ts';
import { offersOf } from './run-offers.ts';
import { type RunData, sumOf } from './run-totals.ts';

type Name = keyof typeof runForms;
// biome-ignore lint/suspicious/noExplicitAny: forms with any fields
export type RunForms = Readonly<Record<Name, FormView<any>>>;

interface Action {
  name: Name;
  submit: string;
  /** Fields of what the person sees now: a form that is shown again must not repeat what was seen before. */
  content?: Html;
  tone?: 'danger';
}

const seen = ({ items, total, digest }: { items: number; total: object; digest?: string | null }): Html =>
  html`<input type="hidden" name="items" value="${items}"><input type="hidden" name="total" value="${JSON.stringify(total)}">${digest !== undefined && html`<input type="hidden" name="digest" value="${digest ?? ''}">`}`;

/** What comes next, in the order in which it is offered. */
const actionsOf = (run: RunData, call: PageCall): Action[] => {
  const { items, total } = run;
  const isRejecting = run.situation.state === 'to_approve' && !mustOthersApprove(run);
  const looks = {
    confirm: {
      submit: `${runButtons.confirm} ${withAmount(total, counted(items, 'affiliate', call), call)}`,
      content: seen({ items, total }),
    },
    approve: { submit: runButtons.approve },
    pause: { submit: runButtons.pause },
    resume: { submit: runButtons.resume },
    cancel: { submit: isRejecting ? runButtons.reject : runButtons.cancel, tone: 'danger' },
  } as const;
  return offersOf(run).map((name) => ({ name, ...looks[name] }));
};

const formOf = (forms: RunForms, { name, submit, content, tone }: Action): Html =>
  forms[name].render({ submit, ...(content ? { content } : {}), ...(tone ? { tone } : {}) });

/** The situation and its buttons. The reason why a form was refused is always shown. */
export const runActionsView = (run: RunData, forms: RunForms, call: PageCall): Html => {
  const { text, tone, next } = runSaid(run);
  const actions = actionsOf(run, call).filter(({ name }) => forms[name].isAllowed);
  const offered = new Set<Name>(actions.map(({ name }) => name));
  const refused = (['confirm', 'approve', 'pause', 'resume', 'cancel'] as const).filter(
    (name) => forms[name].isSent && !offered.has(name),
  );
  const toDo = mustOthersApprove(run)
    ? 'Someone else has to approve it: you had a part in it, or joined after it was drafted.'
    : next;
  return html`${notice(
    html`<p>${text}</p>${toDo !== null && html`<p><strong>${toDo}</strong></p>`}${run.situation.until !== null && html`<p>Deadline: ${call.format.time(run.situation.until)}</p>`}`,
    tone,
  )}${
    actions.length + refused.length > 0 &&
    html`<div class="card actions">${actions.map((action) => formOf(forms, action))}${refused.map((name) => formOf(forms, { name, submit: 'Try again' }))}</div>`
  }`;
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
  return html`<h2>Manual payouts</h2><p>${format.number(pending.items)} to start, ${format.number(processing.items)} in progress.</p><div class="card">${
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
