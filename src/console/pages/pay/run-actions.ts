import { isPaidByPerson } from '../../../contracts/rails.ts';
import { notice } from '../../components/blocks.ts';
import type { FormView } from '../../components/form.ts';
import { counted } from '../../counted.ts';
import { attributes, type Html, html } from '../../html.ts';
import type { PageCall } from '../../page.ts';
import type { runForms } from './run-forms.ts';
import { type RunData, runStateOf, sumOf, totalText } from './run-state.ts';

type Name = keyof typeof runForms;
// biome-ignore lint/suspicious/noExplicitAny: forms with any fields
export type RunForms = Readonly<Record<Name, FormView<any>>>;

interface Action {
  name: Name;
  submit: string;
  /** Fields of what the person sees now: one that is shown again must not repeat what was seen before. */
  content?: Html;
  tone?: 'danger';
}

const seen = ({ items, total, digest }: { items: number; total: object; digest?: string | null }): Html =>
  html`<input type="hidden" name="items" value="${items}"><input type="hidden" name="total" value="${JSON.stringify(total)}">${digest !== undefined && html`<input type="hidden" name="digest" value="${digest ?? ''}">`}`;

/** What comes next, in the order in which it is offered. */
const actionsOf = (run: RunData, call: PageCall): Action[] => {
  const { status, items, total } = run;
  const end: Action = { name: 'cancel', submit: status === 'awaiting_approval' ? 'Refuse' : 'Cancel the run', tone: 'danger' };
  if (status === 'draft') {
    const submit = `Confirm ${totalText(total, call)} to ${counted(items, 'affiliate', call)}`;
    return [...(items > 0 ? [{ name: 'confirm' as const, submit, content: seen({ items, total }) }] : []), end];
  }
  if (status === 'awaiting_approval') return [{ name: 'approve', submit: 'Approve' }, end];
  if (status === 'running') return [{ name: 'pause', submit: 'Pause' }, end];
  return status === 'paused' ? [{ name: 'resume', submit: 'Resume' }, end] : [];
};

const formOf = (forms: RunForms, { name, submit, content, tone }: Action): Html =>
  forms[name].render({ submit, ...(content ? { content } : {}), ...(tone ? { tone } : {}) });

/** State and buttons. Of a form that was refused, the reason is always shown. */
export const runActionsView = (run: RunData, forms: RunForms, call: PageCall): Html => {
  const { text, tone } = runStateOf(run);
  const actions = actionsOf(run, call).filter(({ name }) => forms[name].isAllowed);
  const offered = new Set<Name>(actions.map(({ name }) => name));
  const refused = (['confirm', 'approve', 'pause', 'resume', 'cancel'] as const).filter(
    (name) => forms[name].isSent && !offered.has(name),
  );
  return html`${notice(html`<p>${text}</p>`, tone)}${
    actions.length + refused.length > 0 &&
    html`<div class="card actions">${actions.map((action) => formOf(forms, action))}${refused.map((name) => formOf(forms, { name, submit: 'Try again' }))}</div>`
  }`;
};

/** Of a run whose payouts are paid by hand: begin, files, and what became of them. */
export const byHandView = (run: RunData, forms: RunForms, call: PageCall): Html | false => {
  const manual = run.totals.filter(({ rail }) => rail !== null && isPaidByPerson(rail));
  const [pending, processing] = (['pending', 'processing'] as const).map((status) =>
    sumOf(manual.filter(({ result }) => result === status)),
  ) as [ReturnType<typeof sumOf>, ReturnType<typeof sumOf>];
  const isSent = forms.process.isSent || forms.complete.isSent || forms.results.isSent || forms.files.isSent;
  if (pending.items + processing.items === 0 && !isSent) return false;
  if (!forms.process.isAllowed) return false;
  return html`<h2>By hand</h2><p>${call.format.number(pending.items)} wait to be begun, ${call.format.number(processing.items)} are being paid.</p><div class="card">${
    (pending.items > 0 || forms.process.isSent) && forms.process.render({ submit: `Begin ${call.format.number(pending.items)}` })
  }${
    (processing.items > 0 || isSent) &&
    html`<details${attributes({ open: forms.files.isSent })}><summary>Files for the bank or provider</summary>${forms.files.render({ submit: 'Get files', isDownload: true })}</details><details${attributes({ open: forms.complete.isSent })}><summary>All are paid</summary>${forms.complete.render(
      {
        submit: `Mark ${totalText(processing.total, call)} to ${call.format.number(processing.items)} as paid`,
        content: html`${run.notHandedOut > 0 && notice(`${counted(run.notHandedOut, 'payout', call)} of these ${run.notHandedOut === 1 ? 'was' : 'were'} in no file yet.`, 'warning')}${seen({ ...processing, digest: run.digest })}${forms.complete.field('note')}`,
      },
    )}</details><details${attributes({ open: forms.results.isSent })}><summary>Results from a file</summary>${forms.results.render({ submit: 'Record results' })}</details>`
  }</div>`;
};
