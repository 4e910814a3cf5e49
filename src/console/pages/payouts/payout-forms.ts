import { facts, notice } from '../../components/blocks.ts';
import { radios } from '../../components/choices.ts';
import { date, paragraph, text } from '../../components/fields.ts';
import { html } from '../../html.ts';
import { nameOf } from '../../name.ts';
import { form, type PageCall, redirect } from '../../page.ts';
import { path, url } from '../../url.ts';

const idOf = (call: Pick<PageCall, 'param'>): { params: { id: string } } => ({ params: { id: call.param('id') } });

const approve = form({
  fields: {},
  uses: ['approvePayout'],
  async submit(call) {
    await call.call('approvePayout', idOf(call));
    return redirect(call.path, { flash: 'Approved' });
  },
});

const cancel = form({
  fields: {},
  uses: ['cancelPayout'],
  async submit(call) {
    await call.call('cancelPayout', idOf(call));
    return redirect(call.path, { flash: 'Cancelled. The amount is payable again.' });
  },
});

const process = form({
  fields: {},
  uses: ['processPayout'],
  async submit(call) {
    await call.call('processPayout', idOf(call));
    return redirect(call.path, { flash: 'In progress. Pay it as the instructions say.' });
  },
});

const instructions = form({
  fields: {},
  uses: ['getPayoutInstructions'],
  async submit(call) {
    const { data } = await call.call('getPayoutInstructions', idOf(call));
    const { recipient } = data;
    const back = path('/console/payouts/{id}', { id: data.payoutId });
    return {
      title: 'Payment instructions',
      content: html`${notice('These are the full bank details. The timeline of the payout shows that you viewed them.', 'warning')}${facts(
        [
          ['Amount', `${data.amountDecimal} ${data.currency.toUpperCase()}`],
          ['Reference', html`<code>${data.reference}</code>`],
          ['PayPal address', recipient.paypalEmail],
          ['Account holder', recipient.bankAccountHolder && nameOf(recipient.bankAccountHolder)],
          ['IBAN', recipient.bankIban],
          ['BIC', recipient.bankBic],
          ['Program', nameOf(data.programName)],
          ['Affiliate', data.affiliateCode],
        ],
      )}<p><a class="button primary" href="${url(back)}">Back to the payout</a></p>`,
    };
  },
});

const complete = form({
  fields: {
    bankReference: text({ label: 'Bank reference', maxLength: 140 }),
    executedOn: date({ label: 'Paid on', path: 'executedAt' }),
    note: paragraph({ label: 'Note', rows: 2 }),
  },
  uses: ['completePayout'],
  async submit(call, { bankReference, executedOn: executedAt, note }) {
    await call.call('completePayout', { ...idOf(call), body: { bankReference, note, executedAt } });
    return redirect(call.path, { flash: 'Marked as paid' });
  },
});

const fail = form({
  fields: { note: paragraph({ label: "Why it couldn't be paid", path: 'note', rows: 2 }) },
  uses: ['failPayout'],
  async submit(call, { note }) {
    await call.call('failPayout', { ...idOf(call), body: { note } });
    return redirect(call.path, { flash: 'Marked as failed. The amount is payable again.' });
  },
});

const comeBack = form({
  fields: {
    note: paragraph({ label: 'How you know', required: true, rows: 2 }),
    occurredOn: date({ label: 'Came back on', path: 'occurredAt' }),
    bankReference: text({ label: 'Bank reference of the return', maxLength: 140 }),
    evidence: paragraph({
      label: 'Evidence',
      hint: "Only if the payment provider doesn't report the return. We then record it without asking the provider.",
      rows: 2,
    }),
  },
  uses: ['returnPayout'],
  async submit(call, { occurredOn: occurredAt, ...body }) {
    await call.call('returnPayout', { ...idOf(call), body: { ...body, occurredAt } });
    return redirect(call.path, { flash: 'Recorded' });
  },
});

const resolve = form({
  fields: {
    outcome: radios({
      label: 'Did the affiliate get the money?',
      required: true,
      options: [
        { value: 'paid', label: 'Yes' },
        { value: 'not_paid', label: 'No' },
      ],
    }),
    note: paragraph({ label: 'How you found out', required: true, rows: 2 }),
  },
  uses: ['resolvePayout'],
  async submit(call, body) {
    await call.call('resolvePayout', { ...idOf(call), body });
    return redirect(call.path, { flash: 'Resolved' });
  },
});

const retry = form({
  fields: {},
  uses: ['retryPayout'],
  async submit(call) {
    const { data } = await call.call('retryPayout', idOf(call));
    return redirect(path('/console/payouts/{id}', { id: data.id }), { flash: 'This payout retries the failed one.' });
  },
});

/** What people can do with a payout. */
export const payoutForms = { approve, cancel, process, instructions, complete, fail, comeBack, resolve, retry };
