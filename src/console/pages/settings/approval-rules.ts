import type { OperationSuccess } from '../../../api/pipeline/call-operation.ts';
import { ageOf } from '../../age.ts';
import { facts } from '../../components/blocks.ts';
import { radios } from '../../components/choices.ts';
import { amounts, hidden, number, text } from '../../components/fields.ts';
import { table } from '../../components/table.ts';
import { type Html, html, nothing } from '../../html.ts';
import { nameOf } from '../../name.ts';
import { form, type PageCall, page, redirect } from '../../page.ts';
import { roleLabel } from './roles.ts';
import { settingsTabs } from './settings-tabs.ts';

type Change = OperationSuccess<'listPendingChanges'>['data'][number];

export const RULE_NAMES: Readonly<Record<Change['setting'], string>> = {
  payoutApprovalThreshold: 'Approval by a second person',
  payoutDailyLimit: '24-hour limit',
  detailsCooldownHours: 'Wait after payout details change',
};

type Rules = Pick<
  OperationSuccess<'getMerchant'>['data'],
  'payoutApprovalThreshold' | 'payoutDailyLimit' | 'detailsCooldownHours'
>;

/** The same text for equal rules, however they were written. */
const textOf = (rule: Rules[keyof Rules] | undefined): string =>
  typeof rule === 'number' ? String(rule) : JSON.stringify(Object.entries(rule ?? {}).toSorted(([a], [b]) => a.localeCompare(b)));

/** Each rule as the page showed it. */
const shownOf = (rules: Rules): string =>
  JSON.stringify(Object.fromEntries(Object.entries(rules).map(([name, rule]) => [name, textOf(rule)])));

/** Nothing, unless it was written by `shownOf`. */
const readShown = (shown: string): Record<string, unknown> => {
  try {
    return Object(JSON.parse(shown));
  } catch {
    return {};
  }
};

/**
 * What the person changed: a rule that somebody else changed since the page was opened is not set back. Without what was shown, everything
 * counts as changed.
 */
const changedOf = (rules: Rules, shown: string): Partial<Rules> => {
  const before = readShown(shown);
  return Object.fromEntries(Object.entries(rules).filter(([name, rule]) => before[name] !== textOf(rule)));
};

/** What makes payouts less safe waits for somebody else: those rules are still as they were. */
const savedText = (rules: Rules, wanted: Partial<Rules>): string => {
  const waiting = Object.entries(wanted).filter(([name, rule]) => textOf(rules[name as keyof Rules]) !== textOf(rule));
  if (waiting.length === 0) return 'Saved';
  const what = waiting.length === Object.keys(wanted).length ? 'Your change' : 'Saved in part. The rest';
  return `${what} makes payouts less safe, so it waits below until someone else approves it`;
};

const change = form({
  fields: {
    shown: hidden(),
    payoutApprovalThreshold: amounts({
      label: 'Approval by a second person, from this amount',
      hint: 'Payouts, payout runs and adjustments of this amount or more wait until someone else approves them. Currencies you leave out use the lowest amount, without conversion. Leave blank to require no approval.',
    }),
    payoutDailyLimit: amounts({
      label: '24-hour limit',
      hint: 'The most that payouts created within 24 hours can add up to. Leave blank for no limit.',
    }),
    detailsCooldownHours: number({
      label: 'Hours without payouts after payout details change',
      hint: 'From 0 to 168',
      required: true,
    }),
  },
  uses: ['updateMerchant'],
  async submit(call, { shown, ...rules }) {
    const body = changedOf(rules, shown);
    if (Object.keys(body).length === 0) return redirect(call.path, { flash: 'Nothing changed' });
    const { data } = await call.call('updateMerchant', { body });
    return redirect(call.path, { flash: savedText(data, body) });
  },
});

const decide = form({
  fields: {
    changeId: radios({ label: 'Change', required: true }),
    decision: radios({
      label: 'Decision',
      required: true,
      options: [
        {
          value: 'approve',
          label: 'Approve',
          hint: "It takes effect immediately. The person who requested it can't approve it.",
        },
        { value: 'stop', label: 'Stop', hint: 'The rule stays unchanged.' },
      ],
    }),
  },
  uses: ['approvePendingChange', 'cancelPendingChange'],
  async submit(call, { changeId: id, decision }) {
    if (decision === 'approve') await call.call('approvePendingChange', { params: { id } });
    else await call.call('cancelPendingChange', { params: { id } });
    return redirect(call.path, {
      flash: decision === 'approve' ? 'Approved. The rule has changed.' : 'Stopped. The rule stays unchanged.',
    });
  },
});

const references = form({
  fields: {
    paymentPrefix: text({
      label: 'Payment references begin with',
      hint: '2 to 5 characters from A-Z and 0-9, the first one a letter. Payouts that exist keep theirs',
      required: true,
      maxLength: 5,
    }),
  },
  uses: ['updateMerchant'],
  async submit(call, { paymentPrefix }) {
    const { data } = await call.call('updateMerchant', { body: { paymentPrefix: paymentPrefix.toUpperCase() } });
    return redirect(call.path, { flash: `New payouts have references such as ${data.paymentPrefix}-1042` });
  },
});

const confirmNew = form({
  fields: { personId: hidden() },
  uses: ['confirmApprover'],
  async submit(call, { personId: id }) {
    const { data } = await call.call('confirmApprover', { params: { id } });
    return redirect(call.path, { flash: `${data.name} can approve from now on` });
  },
});

type NewApprover = OperationSuccess<'listNewApprovers'>['data'][number];

const newApproversView = (
  rows: readonly NewApprover[],
  { format }: Pick<PageCall, 'format'>,
  confirm: (person: NewApprover) => Html | string,
): Html =>
  html`<h2>New approvers</h2><p>They can't approve anything until someone else who can approve confirms them, or until the time below. Don't know someone? Ask an owner to remove them.</p>${table(
    {
      caption: 'New approvers',
      rows,
      empty: html``,
      columns: [
        { head: 'Name', cell: ({ name }) => nameOf(name) },
        { head: 'Role', cell: ({ role }) => roleLabel(role) },
        { head: 'Can approve from', cell: ({ approvesFrom }) => (approvesFrom === null ? '' : format.time(approvesFrom)) },
        { head: 'Confirm', cell: confirm },
      ],
    },
  )}`;

const valueText = (value: Change['newValue'], { format }: Pick<PageCall, 'format'>): string => {
  if (typeof value === 'number') return `${format.number(value)} hours`;
  const each = Object.entries(value ?? {}).map(([currency, amount]) => format.money(amount, currency));
  return each.length === 0 ? 'none' : each.join(', ');
};

const changesView = (rows: readonly Change[], call: Pick<PageCall, 'format'>): Html =>
  table({
    caption: 'Pending changes',
    rows,
    empty: html`<p>No pending changes.</p>`,
    columns: [
      { head: 'Rule', cell: ({ setting }) => RULE_NAMES[setting] },
      { head: 'Now', cell: ({ oldValue }) => valueText(oldValue, call) },
      { head: 'Then', cell: ({ newValue }) => valueText(newValue, call) },
      { head: 'Waiting', cell: ({ createdAt }) => ageOf(createdAt) },
      { head: 'Takes effect', cell: ({ dueAt }) => call.format.time(dueAt) },
    ],
  });

/** When a second person has to agree, and what payouts may amount to. */
export const approvalRulesPage = page({
  path: '/console/settings',
  audience: 'merchant',
  navigation: { label: 'Settings', icon: 'gear' },
  uses: ['getMerchant', 'listPendingChanges'],
  mayUse: ['listNewApprovers'],
  forms: { change, decide, references, confirmNew },
  async view(call, { change, decide, references, confirmNew }) {
    const newApprovers = call.allows('listNewApprovers') ? (await call.call('listNewApprovers')).data : [];
    const confirm = ({ personId }: NewApprover): Html | string =>
      confirmNew.isAllowed && personId !== call.person?.personId
        ? confirmNew.fill({ personId }).render({ submit: 'Confirm', isInline: true })
        : 'Someone else confirms';
    const [{ data: merchant }, { data: waiting }] = await Promise.all([
      call.call('getMerchant'),
      call.call('listPendingChanges', { query: { status: 'pending' } }),
    ]);
    const { payoutApprovalThreshold, payoutDailyLimit, detailsCooldownHours } = merchant;
    const rules = { payoutApprovalThreshold, payoutDailyLimit, detailsCooldownHours };
    const options = waiting.map(({ id, setting, newValue }) => ({
      value: id,
      label: `${RULE_NAMES[setting]}: ${valueText(newValue, call)}`,
    }));
    const fields = html`${decide.field('changeId', { options })}${decide.field('decision')}`;
    return {
      title: 'Approval rules',
      content: html`${settingsTabs(call)}${newApprovers.length > 0 && newApproversView(newApprovers, call, confirm)}${
        waiting.length > 0 || decide.isSent
          ? html`<h2>Pending changes</h2><p>They make payouts less safe. They take effect when someone else approves them, or at the time below if nobody stops them.</p>${changesView(waiting, call)}${
              (decide.isAllowed || decide.isSent) && decide.render({ submit: 'Decide', content: fields })
            }<h2>Rules</h2>`
          : nothing
      }${
        change.isAllowed || change.isSent
          ? change.fill({ ...rules, shown: shownOf(rules) }).render({ submit: 'Save' })
          : facts([
              ['Approval by a second person, from', valueText(payoutApprovalThreshold, call)],
              ['24-hour limit', valueText(payoutDailyLimit, call)],
              ['Wait after payout details change', valueText(detailsCooldownHours, call)],
              ['Payment references', `${merchant.paymentPrefix}-…`],
            ])
      }${
        (references.isAllowed || references.isSent) &&
        html`<h2>Payment references</h2><p>Statements, payment files and bank lines name each payout, such as ${merchant.paymentPrefix}-1042.</p>${references.fill({ paymentPrefix: merchant.paymentPrefix }).render({ submit: 'Save' })}`
      }`,
    };
  },
});
