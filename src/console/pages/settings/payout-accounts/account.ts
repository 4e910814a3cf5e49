import { ACCOUNT_FORMS, FORM_RAILS } from '../../../../contracts/account-forms.ts';
import type { AccountField } from '../../../../contracts/rail-accounts.ts';
import type { Rail } from '../../../../contracts/rails.ts';
import { ABOUT_RAILS, accountButtons } from '../../../../texts/about-rails.merchant.en.ts';
import type { ActionLook, ActionsOf, AnyForms } from '../../../actions.ts';
import { amountLines } from '../../../amounts.ts';
import { badge, emptyState } from '../../../components/blocks.ts';
import { table } from '../../../components/table.ts';
import { attributes, type Child, type Html, html } from '../../../html.ts';
import { form, type Page, type PageCall, redirect } from '../../../page.ts';
import { recordPage } from '../../../record-page.ts';
import { url } from '../../../url.ts';
import { accountBody, accountChanges, accountFields, filledByDefault, filledWith, settingText } from './account-fields.ts';
import { ACCOUNTS } from './account-path.ts';
import { type Account, type Accounts, accountSaid, reportView } from './account-said.ts';

type FormRail = (typeof FORM_RAILS)[number];

const answered = (call: PageCall, { status, label, held, unansweredAt }: Account, done: string) => {
  const to = (flash: string, tone: 'good' | 'bad') => redirect(call.path, { flash, tone });
  if (status === 'ready' && unansweredAt === null) return to(`${done}. Payouts can be paid from this account.`, 'good');
  if (unansweredAt !== null) return to(`${done}, but ${label} didn't answer. Check the account again in a few minutes.`, 'bad');
  return to(`${done}, but ${held ? 'the account is still on hold' : 'something is missing'}: see below.`, 'bad');
};

/** Fields of secrets, and the settings that do not make it another account. */
const partsOf = (fields: readonly AccountField[]) => ({
  secrets: fields.filter(({ kind }) => kind === 'secret'),
  settings: fields.filter(({ kind, isIdentity }) => kind !== 'secret' && isIdentity !== true),
});

const formsOf = (rail: FormRail) => {
  const fields: readonly AccountField[] = ACCOUNT_FORMS[rail];
  const { secrets, settings } = partsOf(fields);
  const params = { rail };
  const changing = (changed: readonly AccountField[], done: string) =>
    form({
      fields: accountFields(changed),
      uses: ['updateRailAccount'],
      async submit(call, values) {
        const { data } = await call.call('updateRailAccount', { params, body: accountChanges(changed, values) });
        return answered(call as PageCall, data, done);
      },
    });
  return {
    check: form({
      fields: {},
      uses: ['checkRailAccount'],
      async submit(call) {
        return answered(call as PageCall, (await call.call('checkRailAccount', { params })).data, 'Checked');
      },
    }),
    replace: changing(secrets, secrets.length > 1 ? 'Secrets replaced' : 'Secret replaced'),
    change: changing(settings, 'Saved'),
    connect: form({
      fields: accountFields(fields),
      uses: ['connectRailAccount'],
      async submit(call, values) {
        const { data } = await call.call('connectRailAccount', { params, body: accountBody(fields, values) });
        return answered(call as PageCall, data, 'Connected');
      },
    }),
    disconnect: form({
      fields: {},
      uses: ['disconnectRailAccount'],
      async submit(call) {
        await call.call('disconnectRailAccount', { params });
        return redirect(call.path, {
          flash:
            'Disconnected. Nothing is paid from this account anymore. Payouts by a method that it paid are refused until you choose another provider.',
        });
      },
    }),
  };
};

/** The action that most likely mends the account. */
const nextOf = ({ status, findings }: Account): string[] => {
  if (status === 'ready') return [];
  return findings.some(({ name }) => name === 'credentials') ? ['replace'] : ['check'];
};

const actionsOf = (rail: FormRail, account: Account, forms: AnyForms, isOffered: boolean): ActionsOf => {
  const fields: readonly AccountField[] = ACCOUNT_FORMS[rail];
  const { secrets, settings } = partsOf(fields);
  const looks: Record<string, ActionLook> = {
    check: { form: 'check', label: accountButtons.check },
    replace: {
      form: 'replace',
      label: secrets.length > 1 ? 'Replace the secrets' : 'Replace the secret',
      confirm: html`<p>Payments that are in progress continue with the new secret. Everything else stays unchanged.</p>`,
    },
    change: {
      form: 'change',
      label: 'Change the settings',
      content: contentOf(forms, 'change', settings, filledWith(settings, account.settings)),
    },
    connect: {
      form: 'connect',
      label: 'Connect another account',
      confirm: html`<p>New payouts are paid from the other account. Payouts that are in progress stay with this one.</p>`,
      content: contentOf(forms, 'connect', fields, filledByDefault(fields)),
    },
    disconnect: {
      form: 'disconnect',
      label: 'Disconnect',
      title: `Disconnect ${ABOUT_RAILS[rail].account}?`,
      tone: 'danger',
      confirm: html`<p>We ${secrets.length > 0 && 'delete its secrets and '}pay nothing from it anymore. If a payment comes back later, we don't notice it. You can connect the account again at any time.</p>`,
    },
  };
  const hidden = [
    ...(secrets.length === 0 || !isOffered ? ['replace'] : []),
    ...(settings.length === 0 || !isOffered ? ['change'] : []),
    ...(isOffered ? [] : ['connect']),
  ];
  const offers = Object.keys(looks)
    .filter((action) => !hidden.includes(action))
    .map((action) => ({ action, refusedBecause: null }));
  return { offers, looks, next: nextOf(account) };
};

/** The fields of a form, filled. Those that most people leave as they are do not stand in the way of the others. */
const contentOf = (forms: AnyForms, name: string, fields: readonly AccountField[], values: object): Html => {
  const filled = forms[name]?.fill(values);
  const shown = (isRequired: boolean): readonly Html[] =>
    Object.keys(accountFields(fields.filter((field) => field.isRequired === isRequired))).flatMap(
      (field) => filled?.field(field) ?? [],
    );
  const [required, optional] = [shown(true), shown(false)];
  if (required.length === 0 || optional.length === 0) return html`${required}${optional}`;
  return html`${required}<details class="optional"${attributes({ open: filled?.isSent })}><summary>Optional settings</summary>${optional}</details>`;
};

const factsOf = (rail: FormRail, account: Account, call: PageCall): (readonly [string, Child])[] => {
  const fields: readonly AccountField[] = ACCOUNT_FORMS[rail];
  const { settings, balances, checkedAt, held, openPayments, createdAt } = account;
  const shownValue = (field: AccountField): Child => {
    if (field.kind === 'secret') return 'Stored encrypted, never shown';
    if (field.kind === 'amounts')
      return settings[field.name] ? amountLines(settings[field.name] as Record<string, number>, call) : null;
    return settingText(field, settings);
  };
  return [
    ['On hold since', held && call.format.time(held.since)],
    ...fields.map((field) => [field.label, shownValue(field)] as const),
    ['Balance at the last check', balances && Object.keys(balances).length > 0 ? amountLines(balances, call) : null],
    ['Payments in progress', openPayments === 0 ? null : call.format.number(openPayments)],
    ['Last checked', checkedAt && call.format.time(checkedAt)],
    ['Connected', call.format.date(createdAt)],
  ];
};

const earlierView = (accounts: readonly Account[], call: PageCall): Html =>
  html`<p>Payments in progress stay with the account that they were sent from. It disappears from here when they have ended.</p>${table(
    {
      caption: 'Earlier accounts',
      rows: accounts,
      columns: [
        { head: 'Connected', cell: ({ createdAt }) => call.format.date(createdAt) },
        { head: 'Payments in progress', align: 'end', cell: ({ openPayments }) => call.format.number(openPayments) },
        { head: 'Status', cell: ({ held }) => (held ? badge('On hold', 'bad') : badge('Open', 'neutral')) },
      ],
      empty: emptyState({ icon: 'clock', title: 'No earlier accounts' }),
    },
  )}`;

const guideLink = (rail: FormRail): Html | null => {
  const { guide, name } = ABOUT_RAILS[rail];
  if (guide === null) return null;
  return html`<a class="button secondary small" href="${url(`/docs/guides/${guide}.md`)}" target="_blank">${name} guide</a>`;
};

/** Whether the account can pay, and no payout method uses it. */
const isIdle = ({ rails, methods }: Accounts, rail: Rail, account: Account | null): boolean =>
  account?.status === 'ready' &&
  rails.some((offered) => offered.rail === rail && offered.methods.length > 0) &&
  !methods.some((method) => method.rail === rail);

const choiceLink = (rail: Rail): Html =>
  html`Nothing is paid from it yet. <a href="${url(`${ACCOUNTS}#methods`)}">Choose ${ABOUT_RAILS[rail].name} for a payout method</a>.`;

const connectView = (rail: FormRail, forms: AnyForms): Html => {
  const fields: readonly AccountField[] = ACCOUNT_FORMS[rail];
  if (!forms['connect']?.isAllowed) return html`<p>Only an owner can connect an account. Ask one of them to open this page.</p>`;
  const content = contentOf(forms, 'connect', fields, filledByDefault(fields));
  return html`<p class="note">Connecting needs a passkey. If you have none yet, <a href="${url('/console/settings/passkeys')}">add one first</a>: what you enter here isn't kept while you do.</p><div class="card">${forms['connect'].render({ submit: 'Connect', content })}</div>`;
};

const accountPageOf = (rail: FormRail): Page =>
  recordPage({
    path: `${ACCOUNTS}/${rail}`,
    audience: 'merchant',
    below: '/console/settings',
    uses: ['getRailAccounts'],
    forms: formsOf(rail),
    async read(given, views) {
      const [call, forms] = [given as PageCall, views as AnyForms];
      const { data } = await call.call('getRailAccounts');
      const all = data.accounts.filter((account) => account.rail === rail);
      const current = all.find(({ isCurrent }) => isCurrent) ?? null;
      const earlier = all.filter(({ isCurrent }) => !isCurrent);
      const isOffered = data.rails.some((offered) => offered.rail === rail);
      const report = current && reportView(rail, current);
      const said = accountSaid(rail, current);
      const connect = isOffered ? connectView(rail, forms) : html`<p>This server doesn't offer this provider.</p>`;
      return {
        title: ABOUT_RAILS[rail].name,
        back: { href: ACCOUNTS, label: 'Payout accounts' },
        links: guideLink(rail),
        situation: { said, ...(said.next === null && isIdle(data, rail, current) && { next: choiceLink(rail) }) },
        ...(current && { actions: actionsOf(rail, current, forms, isOffered), facts: factsOf(rail, current, call) }),
        sections: [
          current ? null : { title: `Connect ${ABOUT_RAILS[rail].account}`, content: connect },
          report ? { title: 'What the last check found', content: report } : null,
          earlier.length > 0 ? { title: 'Earlier accounts', content: earlierView(earlier, call) } : null,
        ],
      };
    },
  });

/** One page for each provider that a merchant can have an account at. */
export const payoutAccountPages = FORM_RAILS.map(accountPageOf);
