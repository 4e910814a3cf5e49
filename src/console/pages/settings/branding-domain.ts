import type { OperationSuccess } from '../../../api/pipeline/call-operation.ts';
import { badge, copyable, facts, notice } from '../../components/blocks.ts';
import { text } from '../../components/fields.ts';
import type { FormView } from '../../components/form.ts';
import { type Html, html } from '../../html.ts';
import { form, type PageCall, redirect } from '../../page.ts';

type Domain = OperationSuccess<'getProgramPortal'>['data']['domain'];

export const domainForms = {
  domain: form({
    fields: {
      host: text({
        label: 'Domain',
        hint: 'Such as partners.acme.example: a name that is yours, and leads to this server',
        required: true,
        maxLength: 253,
      }),
    },
    uses: ['setPortalDomain'],
    async submit(call, body) {
      await call.call('setPortalDomain', { params: { id: call.param('id') }, body });
      return redirect(call.path, { flash: 'Saved. Set the record to verify the domain' });
    },
  }),
  verify: form({
    fields: {},
    uses: ['verifyPortalDomain'],
    async submit(call) {
      await call.call('verifyPortalDomain', { params: { id: call.param('id') } });
      return redirect(call.path, { flash: 'The domain is verified' });
    },
  }),
  removeDomain: form({
    fields: {},
    uses: ['removePortalDomain'],
    async submit(call) {
      await call.call('removePortalDomain', { params: { id: call.param('id') } });
      return redirect(call.path, { flash: 'The domain is removed' });
    },
  }),
};

type Views = { [Name in keyof typeof domainForms]: Pick<FormView<(typeof domainForms)[Name]['fields']>, 'isAllowed' | 'render'> };

const stateOf = ({ isVerified, missingSince }: NonNullable<Domain>): Html => {
  if (!isVerified) return badge('Not verified', 'warning');
  return missingSince === null ? badge('Verified', 'good') : badge('The record is missing', 'bad');
};

const KEEP = 'Keep the record: it is looked for once a day. Seven days without it end the domain.';
const SET = 'Set this record where the name is managed, then verify it. It can take hours until all name servers have it.';

const recordView = ({ texts, format }: PageCall, domain: NonNullable<Domain>): Html => {
  const { host, isVerified, missingSince, record } = domain;
  return html`${facts([
    ['Domain', host],
    ['State', stateOf(domain)],
    ['Missing since', missingSince === null ? null : format.time(missingSince)],
    ['Type of the record', record.type],
    ['Name', copyable(record.name, texts)],
    ['Value', copyable(record.content, texts)],
  ])}${notice(html`<p>${isVerified ? KEEP : SET}</p>`)}`;
};

const withoutDomain = ({ domain }: Views): Html =>
  domain.isAllowed
    ? domain.render({ submit: 'Set the domain' })
    : html`<p class="hint">The pages have the address of this server.</p>`;

/** The name under which the pages are shown, and how it is proved. */
export const domainView = (call: PageCall, domain: Domain, forms: Views): Html => {
  if (domain === null) return html`<h2>Domain</h2>${withoutDomain(forms)}`;
  const { verify, removeDomain } = forms;
  return html`<h2>Domain</h2>${recordView(call, domain)}${
    !domain.isVerified &&
    (verify.isAllowed
      ? verify.render({ submit: 'Verify', isInline: true })
      : html`<p class="hint">An owner of your company has to verify it.</p>`)
  } ${removeDomain.isAllowed && removeDomain.render({ submit: 'Remove the domain', isInline: true, tone: 'danger' })}`;
};
