import { invalid, newId, nowSeconds, ok, type Payee, type Platform, type Reply, refused, type Webhook } from './store.ts';
import { metadataOf } from './transfers.ts';

/** What the platform may do, and which versions of the API it has. */
export const abilities = { hasV2: true, stripeCarriesLosses: true, isRecipientRefused: false };

const NEW: Pick<Payee, 'status' | 'due'> = {
  status: 'restricted',
  due: ['external_account', 'individual.verification.document', 'tos_acceptance.date'],
};
const NEW_V2 = [
  'configuration.recipient.default_outbound_destination',
  'identity.individual.documents.primary_verification',
  'identity.attestations.terms_of_service.account',
];

export const makePayee = (platform: Platform, given: Pick<Payee, 'api' | 'country' | 'email'> & Partial<Payee>): Payee => {
  const payee = { id: newId('acct'), ...NEW, ...(given.api === 'v2' ? { due: NEW_V2 } : {}), ...given };
  platform.payees.set(payee.id, payee);
  return payee;
};

export const v1View = ({ id, country, email, status, due }: Payee) => ({
  ...{ id, object: 'account', country, email, type: 'express', details_submitted: due.length === 0 },
  ...{
    charges_enabled: false,
    payouts_enabled: status === 'active',
    default_currency: 'eur',
    created: nowSeconds(),
    metadata: {},
  },
  capabilities: { transfers: status === 'active' ? 'active' : due.length > 0 ? 'inactive' : 'pending' },
  requirements: {
    ...{ alternatives: [], current_deadline: null, currently_due: due, disabled_reason: null, errors: [] },
    ...{ eventually_due: due, past_due: due, pending_verification: [] },
  },
});

export const v2View = ({ id, country, email, status, due }: Payee) => ({
  ...{ id, object: 'v2.core.account', applied_configurations: ['recipient'], contact_email: email, dashboard: 'express' },
  ...{ created: new Date().toISOString(), livemode: false, identity: { country } },
  configuration: {
    recipient: {
      applied: true,
      capabilities: {
        stripe_balance: {
          stripe_transfers: {
            status,
            status_details:
              status === 'active'
                ? []
                : [{ code: 'requirements_past_due', resolution: due.length > 0 ? 'provide_info' : 'contact_stripe' }],
          },
        },
      },
    },
  },
  requirements: {
    entries: due.map((description) => ({
      ...{
        description,
        awaiting_action_from: 'user',
        errors: [],
        impact: {},
        requested_reasons: [{ code: 'routine_onboarding' }],
      },
      minimum_deadline: { status: 'past_due' },
    })),
  },
});

const notFound = (): Reply => refused(404, { type: 'invalid_request_error', message: 'Unrecognized request URL' });
const noAccess = (): Reply =>
  refused(403, { type: 'invalid_request_error', code: 'account_invalid', message: 'No such account' });

interface V2Create {
  contact_email?: string;
  identity?: { country?: string };
  configuration?: { recipient?: unknown };
  defaults?: { responsibilities?: { losses_collector?: string } };
}

export const createV2 = (platform: Platform, body: V2Create): Reply => {
  if (!abilities.hasV2) return notFound();
  const { contact_email: email, identity, configuration, defaults } = body;
  if (!email || !identity?.country || !configuration?.recipient) return invalid('parameter_missing');
  if (defaults?.responsibilities?.losses_collector === 'stripe' && !abilities.stripeCarriesLosses)
    return invalid('invalid_losses_collector');
  return ok(v2View(makePayee(platform, { api: 'v2', country: identity.country, email })));
};

export const createV1 = (platform: Platform, params: URLSearchParams): Reply => {
  if (params.get('type') !== 'express') return invalid('parameter_invalid', 'type');
  if (abilities.isRecipientRefused)
    return refused(400, { type: 'invalid_request_error', code: 'platform_account_required', message: 'Sign up for Connect' });
  return ok(v1View(makePayee(platform, { api: 'v1', country: params.get('country') ?? '', email: params.get('email') ?? '' })));
};

export const getAccount = (platform: Platform, id: string, api: 'v1' | 'v2'): Reply => {
  if (api === 'v2' && !abilities.hasV2) return notFound();
  const payee = platform.payees.get(id);
  if (!payee) return noAccess();
  return ok(api === 'v2' ? v2View(payee) : v1View(payee));
};

const linkOf = (account: string): string => `https://connect.stripe.test/setup/${account}/${newId('link')}`;

export const linkV1 = (platform: Platform, params: URLSearchParams): Reply => {
  const account = params.get('account') ?? '';
  if (!platform.payees.has(account)) return noAccess();
  if (!params.get('return_url') || !params.get('refresh_url') || !params.get('type')) return invalid('parameter_missing');
  return ok({ object: 'account_link', created: nowSeconds(), expires_at: nowSeconds() + 300, url: linkOf(account) });
};

export const linkV2 = (platform: Platform, body: { account?: string; use_case?: unknown }): Reply => {
  if (!abilities.hasV2) return notFound();
  const { account = '', use_case: useCase } = body;
  if (!platform.payees.has(account)) return noAccess();
  const times = { created: new Date().toISOString(), expires_at: new Date(Date.now() + 300_000).toISOString() };
  return ok({ object: 'v2.core.account_link', account, ...times, livemode: false, url: linkOf(account), use_case: useCase });
};

const shownHook = ({ secret: _secret, connect: _connect, ...webhook }: Webhook) => ({
  ...webhook,
  ...{ object: 'webhook_endpoint', api_version: null, application: null, description: null, livemode: false, status: 'enabled' },
});

export const onWebhooks = (
  platform: Platform,
  { method, id, params }: { method: string; id: string | undefined; params: URLSearchParams },
): Reply => {
  if (method === 'GET')
    return ok({ object: 'list', url: '/v1/webhook_endpoints', has_more: false, data: platform.webhooks.map(shownHook) });
  if (method === 'DELETE') {
    platform.webhooks = platform.webhooks.filter((webhook) => webhook.id !== id);
    return ok({ id, object: 'webhook_endpoint', deleted: true });
  }
  if (platform.webhooks.length >= 16) return invalid('resource_limit');
  const events = [...params].filter(([name]) => name.startsWith('enabled_events[')).map(([, value]) => value);
  const made: Webhook = {
    ...{
      id: newId('we'),
      url: params.get('url') ?? '',
      connect: params.get('connect') === 'true',
      secret: `whsec_${newId('s')}`,
    },
    ...{ enabled_events: events, metadata: metadataOf(params), created: nowSeconds() },
  };
  platform.webhooks.push(made);
  return ok({ ...shownHook(made), secret: made.secret });
};
