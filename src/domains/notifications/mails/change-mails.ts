import type { AuditAction, FieldChange } from '../../../contracts/audit-log.ts';
import { type MailContent, oneLine, plain } from '../mail-content.rules.ts';
import { formatTime } from './format.ts';

export interface ChangeMail {
  action: AuditAction;
  changes: readonly FieldChange[];
  /** Name of the API key or of the person, or what did it. */
  actor: string;
  address: string | null;
  at: Date;
}

const TITLES: Readonly<Partial<Record<AuditAction, readonly [title: string, consequence: string]>>> = {
  'api_key.created': ['A new API key was created', 'It may do what its scopes allow, until it is revoked.'],
  'person.passkey_replacement_requested': [
    'The passkeys of a person will be removed',
    'An owner said that the person lost them. They no longer count after 24 hours, unless the person keeps them.',
  ],
  'person_invite.created': ['A person was invited to your account', 'They may do what their role allows, once they accept.'],
  'program.event_secret_issued': [
    'A new secret for sale events was issued',
    'Whoever has it can report sales, which earn commissions.',
  ],
  'merchant.billing_changed': ['Your billing tier was changed', 'It decides on your limits and on what you pay.'],
  'program.updated': ['The commission of a program was changed', 'It applies to sales from now on.'],
  'affiliate.updated': ['The commission of an affiliate was changed', 'It applies to their sales from now on.'],
  'webhook_endpoint.updated': [
    'A webhook endpoint receives more events',
    'They tell its receiver what happens in your account, and name people.',
  ],
};

/** By the field that changed, where the action is one of several. */
const TITLES_OF_FIELDS: Readonly<Record<string, readonly [title: string, consequence: string]>> = {
  stripeAccountId: ['A Stripe account was connected to a program', 'Its payments are sales of the program from now on.'],
  portalDomain: [
    'The domain of a program was changed',
    'Once it is verified, people join and sign in there, and links in emails lead there. The previous domain has ended.',
  ],
  isPortalDomainVerified: [
    'The domain of a program is used, or no longer used',
    'While it is verified, people join and sign in there, and links in emails lead there. Otherwise, they use the address of this server.',
  ],
  embedOrigins: [
    'Another app may show the pages of your affiliates',
    'It shows them in a frame. Whoever runs the app decides what stands around and above them.',
  ],
};

const titleOf = ({ action, changes }: Pick<ChangeMail, 'action' | 'changes'>): readonly [string, string] => {
  const named = changes.find(({ field }) => field in TITLES_OF_FIELDS);
  return (named && TITLES_OF_FIELDS[named.field]) ?? TITLES[action] ?? ['Your account was changed', ''];
};

const FIELDS: Readonly<Record<string, string>> = {
  commissionPercent: 'Commission in percent',
  billingTier: 'Tier',
  scopes: 'Scopes',
  role: 'Role',
  stripeAccountId: 'Stripe account',
  programId: 'Program',
  subscribedEvents: 'Events',
  extendedEvents: 'Further events',
  portalDomain: 'Domain',
  isPortalDomainVerified: 'Verified',
  embedOrigins: 'Apps',
};

/** Names that somebody entered: a mail makes no links of them. */
const ENTERED: readonly string[] = ['portalDomain', 'embedOrigins'];

const valueText = (value: unknown, field: string): string => {
  if (value === null) return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return ENTERED.includes(field) ? plain(text) : oneLine(text);
};

const changeText = ({ field, old, new: next }: FieldChange): string =>
  old === null ? valueText(next, field) : `${valueText(old, field)} → ${valueText(next, field)}`;

const FOOTER = 'You receive this email because it concerns the security of your account. It cannot be switched off.';

export const changeMail = ({ action, changes, actor, address, at }: ChangeMail): MailContent => {
  const [title, consequence] = titleOf({ action, changes });
  const shown = changes.flatMap((change): [string, string][] => {
    const name = FIELDS[change.field];
    return name === undefined ? [] : [[name, changeText(change)]];
  });
  return {
    subject: title,
    heading: title,
    paragraphs: consequence === '' ? [] : [consequence],
    sections: [
      {
        title: null,
        facts: [
          ...shown,
          ['Changed at', formatTime(at)],
          ['By', plain(actor)],
          ...(address === null ? [] : [['Address', oneLine(address)] as [string, string]]),
        ],
      },
    ],
    steps: [
      { text: 'See all changes, and who made them', page: '/console/settings/audit-log' },
      'If you do not expect this: revoke the API key that did it, with the keys that it created, or remove the person.',
    ],
    footer: FOOTER,
  };
};

/** More than a merchant is told about one by one in an hour. */
export const manyChangesMail = (): MailContent => ({
  subject: 'More changes of your account',
  heading: 'More changes of your account',
  paragraphs: ['There were more than 20 such changes within an hour. No separate email is sent for the rest.'],
  sections: [],
  steps: [{ text: 'See all of them', page: '/console/settings/audit-log' }],
  footer: FOOTER,
});
