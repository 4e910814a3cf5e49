import { copyable, emptyState, facts, figures, notice, progress } from '../../src/console/components/blocks.ts';
import { chart } from '../../src/console/components/charts.ts';
import { checkboxes, radios, select } from '../../src/console/components/choices.ts';
import { checkbox, money, number, paragraph, text } from '../../src/console/components/fields.ts';
import { filters, pager, table } from '../../src/console/components/table.ts';
import { html } from '../../src/console/html.ts';
import { action, form, type Page, page, redirect } from '../../src/console/page.ts';
import { qrCode } from '../../src/console/qr.ts';
import { path, url } from '../../src/console/url.ts';

const TYPES = [
  { value: 'one_time', label: 'The first payment' },
  { value: 'recurring', label: 'Every payment', hint: 'For as long as the customer pays' },
] as const;

const home = page({
  path: '/console',
  audience: 'merchant',
  navigation: { label: 'Programs', icon: 'store' },
  uses: ['listPrograms'],
  async view(call) {
    const { data, meta } = await call.call('listPrograms', {
      query: { limit: call.query['limit'], cursor: call.query['cursor'] },
    });
    return {
      title: 'Programs',
      actions: html`<a class="button primary" href="/console/programs/new">New program</a>`,
      content: html`${figures([
        { label: 'Programs', value: call.format.number(meta.total), href: '/console' },
        { label: 'Owed', value: call.format.money(123_456, 'eur'), note: 'in 3 payouts', tone: 'warning' },
      ])}${filters(call, [{ name: 'status', label: 'Status', options: [{ value: 'active', label: 'Active' }] }])}${table({
        caption: 'Programs',
        columns: [
          { head: 'Name', cell: ({ id, name }) => html`<a href="${url(path('/console/programs/{id}', { id }))}">${name}</a>` },
          { head: 'Commission', align: 'end', cell: ({ commissionPercent }) => call.format.percent(commissionPercent) },
          { head: 'Created', cell: ({ createdAt }) => call.format.date(createdAt) },
        ],
        rows: data,
        empty: emptyState({ icon: 'store', title: 'No programs yet', text: 'Create the first one.' }),
      })}${pager(call, meta, data.length)}${chart({
        kind: 'bar',
        title: 'Sales by day',
        labels: ['Mon', 'Tue', 'Wed', 'Thu', 'Fri'],
        labelHead: 'Day',
        series: [
          { name: 'Sales', values: [3, 5, 0, 8, 13] },
          { name: 'Refunds', values: [0, 1, 0, 0, 2] },
        ],
        format: call.format.number,
        tableLabel: call.texts.kit.asTable,
      })}`,
    };
  },
});

const create = page({
  path: '/console/programs/new',
  audience: 'merchant',
  below: '/console',
  uses: ['createProgram'],
  forms: {
    main: form({
      fields: {
        name: text({ label: 'Name', required: true, hint: 'Affiliates see it' }),
        description: paragraph({ label: 'Description' }),
        commissionType: radios({ label: 'Commission of', required: true, options: TYPES }),
        commissionPercent: number({ label: 'Percent', required: true, decimals: true }),
        payoutThreshold: money({ label: 'Lowest payout', currency: 'usd' }),
        currency: select({
          label: 'Currency',
          options: [
            { value: 'usd', label: 'US dollar' },
            { value: 'eur', label: 'Euro' },
          ],
        }),
        autoApproveAffiliates: checkbox({ label: 'Approve affiliates at once' }),
        aliases: checkboxes({ label: 'Parameters', path: 'trackingParamAliases', options: [{ value: 'ref', label: 'ref' }] }),
      },
      uses: ['createProgram'],
      async submit(call, { aliases, ...values }) {
        const { data } = await call.call('createProgram', { body: { ...values, trackingParamAliases: aliases } });
        return redirect(path('/console/programs/{id}', { id: data.id }), { flash: `${data.name} is ready` });
      },
    }),
  },
  view: (_call, { main }) => ({ title: 'New program', content: main.render({ submit: 'Create' }) }),
});

const detail = page({
  path: '/console/programs/{id}',
  audience: 'merchant',
  below: '/console',
  uses: ['getProgram'],
  mayUse: ['listAffiliates'],
  forms: {
    rename: form({
      fields: { name: text({ label: 'Name', required: true }) },
      uses: ['updateProgram'],
      async submit(call, { name }) {
        await call.call('updateProgram', { params: { id: call.param('id') }, body: { name } });
        return redirect(call.path, { flash: 'Saved' });
      },
    }),
  },
  async view(call, { rename }) {
    const { data } = await call.call('getProgram', { params: { id: call.param('id') } });
    return {
      title: data.name,
      content: html`${notice(html`<p>Share this link.</p>`)}${copyable(`https://acme.example/?via=${data.slug}`, call.texts)}${facts(
        [
          ['Description', data.description],
          ['Website', data.website && html`<a href="${url(data.website)}">${data.website}</a>`],
          ['Created', call.format.time(data.createdAt)],
        ],
      )}${progress({ label: 'Set-up', value: 2, max: 3, text: '2 of 3' })}${qrCode('https://acme.example/', 'Link as a QR code')}${
        rename.isAllowed && html`<h2>Rename</h2>${rename.fill({ name: data.name }).render({ submit: 'Save' })}`
      }`,
    };
  },
});

const archive = action({
  path: '/console/programs/{id}/archive',
  audience: 'merchant',
  uses: ['updateProgram'],
  back: () => '/console',
  async submit(call) {
    await call.call('updateProgram', { params: { id: call.param('id') }, body: { status: 'archived' } });
    return redirect('/console', { flash: 'Archived' });
  },
});

const keys = page({
  path: '/console/keys',
  audience: 'merchant',
  navigation: { label: 'API keys', icon: 'key' },
  uses: ['listApiKeys'],
  forms: {
    main: form({
      fields: { name: text({ label: 'Name', required: true }) },
      uses: ['createApiKey'],
      async submit(call, { name }) {
        const { data } = await call.call('createApiKey', { body: { name, preset: 'readonly' } });
        return { title: 'Key created', content: copyable(data.value, call.texts) };
      },
    }),
  },
  view: async (call, { main }) => {
    const { data } = await call.call('listApiKeys');
    return {
      title: 'API keys',
      content: html`<ul>${data.map(({ name }) => html`<li>${name}</li>`)}</ul>${main.render({ submit: 'Create' })}`,
    };
  },
});

const portal = page({
  path: '/portal',
  audience: 'affiliate',
  navigation: { label: ({ kit }) => kit.menu, icon: 'home' },
  uses: ['getMyEarnings'],
  async view(call) {
    const { data } = await call.call('getMyEarnings');
    return { title: 'Portal', content: html`<p>${call.format.money(data.total, data.currency ?? 'usd')}</p>` };
  },
});

const greeting = page({
  path: '/hello',
  audience: 'public',
  uses: [],
  view: ({ query, language }) => ({
    title: 'Hello',
    content: html`<p lang="${language}" title="${query['name']}">${query['name']}</p>`,
  }),
});

const broken = page({
  path: '/console/broken',
  audience: 'merchant',
  uses: [],
  mayUse: ['createProgram'],
  async view(call) {
    await call.call('createProgram', { body: { name: 'x', commissionType: 'recurring', commissionPercent: 1 } });
    return { title: 'Never', content: '' };
  },
});

const embed = page({
  path: '/widget',
  audience: 'public',
  uses: [],
  view: () => ({
    title: 'Wid\u202Eget\u2028',
    content: '',
    frames: ['https://shop.example/any/path; script-src *'],
    brand: { name: 'Ac\u2066me' },
  }),
});

/** Pages that use all parts of the kit. */
export const KIT_PAGES: readonly Page[] = [home, create, detail, archive, keys, portal, greeting, embed];
export const BROKEN_PAGES: readonly Page[] = [broken];
