import type { OperationSuccess } from '../../../api/pipeline/call-operation.ts';
import { ageOf } from '../../age.ts';
import { facts } from '../../components/blocks.ts';
import { radios } from '../../components/choices.ts';
import { amounts, hidden, number } from '../../components/fields.ts';
import { table } from '../../components/table.ts';
import { type Html, html, nothing } from '../../html.ts';
import { nameOf } from '../../name.ts';
import { form, type PageCall, page, redirect } from '../../page.ts';
import { roleLabel } from './roles.ts';
import { settingsTabs } from './settings-tabs.ts';

type Change = OperationSuccess<'listPendingChanges'>['data'][number];

const SETTINGS: Readonly<Record<Change['setting'], string>> = {
  payoutApprovalThreshold: 'Approval by a second person',
  payoutDailyLimit: 'Limit of 24 hours',
  detailsCooldownHours: 'Wait after changed payout details',
};

type Rules = Pick<
  OperationSuccess<'getMerchant'>['data'],
  'payoutApprovalThreshold' | 'payoutDailyLimit' | 'detailsCooldownHours'
>;

/** One text for the same rule, however it was written. */
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
 * What the person changed: a rule that somebody else changed since the page was opened is not set back. Without what was shown, all of it is
 * what the person wants.
 */
const changedOf = (rules: Rules, shown: string): Partial<Rules> => {
  const before = readShown(shown);
  return Object.fromEntries(Object.entries(rules).filter(([name, rule]) => before[name] !== textOf(rule)));
};

const change = form({
  fields: {
    shown: hidden(),
    payoutApprovalThreshold: amounts({
      label: 'Approval by a second person, from this amount on',
      hint: 'A payout, a run or an adjustment of that amount waits until somebody else approves it. Without an amount, nobody has to.',
    }),
    payoutDailyLimit: amounts({
      label: 'Limit of 24 hours',
      hint: 'Payouts that are created within 24 hours may amount to no more. Without an amount, there is no limit.',
    }),
    detailsCooldownHours: number({
      label: 'Hours without payouts after payout details were changed',
      hint: 'From 0 to 168',
      required: true,
    }),
  },
  uses: ['updateMerchant'],
  async submit(call, { shown, ...rules }) {
    const body = changedOf(rules, shown);
    if (Object.keys(body).length === 0) return redirect(call.path, { flash: 'Nothing was changed' });
    await call.call('updateMerchant', { body });
    return redirect(call.path, { flash: 'Saved. What makes payouts less safe waits below until somebody else approves it' });
  },
});

const decide = form({
  fields: {
    changeId: radios({ label: 'Change', required: true }),
    decision: radios({
      label: 'Decision',
      required: true,
      options: [
        { value: 'approve', label: 'Approve', hint: 'It takes effect at once. Not by whoever requested it.' },
        { value: 'stop', label: 'Stop', hint: 'The rule stays as it is.' },
      ],
    }),
  },
  uses: ['approvePendingChange', 'cancelPendingChange'],
  async submit(call, { changeId: id, decision }) {
    if (decision === 'approve') await call.call('approvePendingChange', { params: { id } });
    else await call.call('cancelPendingChange', { params: { id } });
    return redirect(call.path, { flash: decision === 'approve' ? 'Approved: the rule has changed' : 'Stopped' });
  },
});

const confirmNew = form({
  fields: { personId: hidden() },
  uses: ['confirmApprover'],
  async submit(call, { personId: id }) {
    const { data } = await call.call('confirmApprover', { params: { id } });
    return redirect(call.path, { flash: `${data.name} may approve from now on` });
  },
});

type NewApprover = OperationSuccess<'listNewApprovers'>['data'][number];

const newApproversView = (
  rows: readonly NewApprover[],
  { format }: Pick<PageCall, 'format'>,
  confirm: (person: NewApprover) => Html | string,
): Html =>
  html`<h2>New approvers</h2><p>They approve nothing before somebody else who may approve confirms them, or before the time below. If you do not know somebody, have an owner remove them.</p>${table(
    {
      caption: 'New approvers',
      rows,
      empty: html``,
      columns: [
        { head: 'Name', cell: ({ name }) => nameOf(name) },
        { head: 'Role', cell: ({ role }) => roleLabel(role) },
        { head: 'May approve from', cell: ({ approvesFrom }) => (approvesFrom === null ? '' : format.time(approvesFrom)) },
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
    caption: 'Changes that wait',
    rows,
    empty: html`<p>None waits any longer.</p>`,
    columns: [
      { head: 'Rule', cell: ({ setting }) => SETTINGS[setting] },
      { head: 'Now', cell: ({ oldValue }) => valueText(oldValue, call) },
      { head: 'Then', cell: ({ newValue }) => valueText(newValue, call) },
      { head: 'Waits for', cell: ({ createdAt }) => ageOf(createdAt) },
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
  forms: { change, decide, confirmNew },
  async view(call, { change, decide, confirmNew }) {
    const newApprovers = call.allows('listNewApprovers') ? (await call.call('listNewApprovers')).data : [];
    const confirm = ({ personId }: NewApprover): Html | string =>
      confirmNew.isAllowed && personId !== call.person?.personId
        ? confirmNew.fill({ personId }).render({ submit: 'Confirm', isInline: true })
        : 'Somebody else';
    const [{ data: merchant }, { data: waiting }] = await Promise.all([
      call.call('getMerchant'),
      call.call('listPendingChanges', { query: { status: 'pending' } }),
    ]);
    const { payoutApprovalThreshold, payoutDailyLimit, detailsCooldownHours } = merchant;
    const rules = { payoutApprovalThreshold, payoutDailyLimit, detailsCooldownHours };
    const options = waiting.map(({ id, setting, newValue }) => ({
      value: id,
      label: `${SETTINGS[setting]}: ${valueText(newValue, call)}`,
    }));
    const fields = html`${decide.field('changeId', { options })}${decide.field('decision')}`;
    return {
      title: 'Approval rules',
      content: html`${settingsTabs(call)}${newApprovers.length > 0 && newApproversView(newApprovers, call, confirm)}${
        waiting.length > 0 || decide.isSent
          ? html`<h2>Changes that wait</h2><p>They make payouts less safe. They take effect when somebody else approves them, or at their time if nobody stops them.</p>${changesView(waiting, call)}${
              (decide.isAllowed || decide.isSent) && decide.render({ submit: 'Decide', content: fields })
            }<h2>Rules</h2>`
          : nothing
      }${
        change.isAllowed || change.isSent
          ? change.fill({ ...rules, shown: shownOf(rules) }).render({ submit: 'Save' })
          : facts([
              ['Approval by a second person, from', valueText(payoutApprovalThreshold, call)],
              ['Limit of 24 hours', valueText(payoutDailyLimit, call)],
              ['After changed payout details', valueText(detailsCooldownHours, call)],
            ])
      }`,
    };
  },
});
