import { beginsWith } from '../../../contracts/rails.ts';
import { amountLines } from '../../amounts.ts';
import { buttonLink, notice } from '../../components/blocks.ts';
import { counted } from '../../counted.ts';
import { type Html, html } from '../../html.ts';
import type { PageCall } from '../../page.ts';
import { path, url } from '../../url.ts';
import { type RunData, sumOf } from '../pay/run-totals.ts';

const filedOf = (run: RunData) => run.totals.filter(({ rail }) => rail !== null && beginsWith(rail, 'file'));

/** The bank files of a run whose payouts need some. */
export const bankFilesView = (run: RunData, call: PageCall): Html | false => {
  const isNone = filedOf(run).every(({ result }) => result === 'planned' || result === 'left_out');
  if (isNone || !call.allows('listBankFiles')) return false;
  return html`<p><a href="${url(path('/console/pay/bank-files', {}, { runId: run.id }))}">View bank files of this payout run</a></p>`;
};

/** Payouts of a run that wait for a bank file. A paused run puts nothing into one. */
export const bankFileNeededView = (run: RunData, call: PageCall): Html | false => {
  const waiting = sumOf(filedOf(run).filter(({ result }) => result === 'pending'));
  if (waiting.items === 0 || !call.allows('listBankFiles')) return false;
  const isMade = run.status !== 'paused' && call.allows('makeBankFiles');
  const isCreating = run.status === 'running' && run.totals.some(({ result }) => result === 'planned');
  const make = html`<p>${buttonLink(path('/console/pay/bank-files/new', {}, { runId: run.id }), 'Make bank file', 'primary')}</p>`;
  return notice(
    html`<p>${counted(waiting.items, 'payout', call)} ${waiting.items === 1 ? 'is' : 'are'} waiting for a bank file: <strong>${amountLines(waiting.total, call)}</strong>.</p>${isMade && (isCreating ? html`<p class="note">You can make it once the run has created all of its payouts.</p>` : make)}`,
    'warning',
  );
};
