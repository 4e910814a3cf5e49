import { readV1Account, readV2Account, requirementsOf } from '../../../src/domains/payouts/rails/stripe_connect/payee-account.ts';

const v1 = (transfers: string | undefined, due: string[] = [], disabled: string | null = null) =>
  readV1Account({
    id: 'acct_1',
    object: 'account',
    capabilities: transfers === undefined ? {} : { transfers },
    requirements: { currently_due: due, past_due: [], disabled_reason: disabled },
  });

const v2 = (status: string, entries: object[] = [], resolution = 'provide_info') =>
  readV2Account({
    id: 'acct_1',
    object: 'v2.core.account',
    configuration: {
      recipient: {
        capabilities: {
          stripe_balance: { stripe_transfers: { status, status_details: [{ code: 'requirements_past_due', resolution }] } },
        },
      },
    },
    requirements: { entries },
  });

const entry = (description: string, whose = 'user', status = 'past_due') => ({
  description,
  awaiting_action_from: whose,
  minimum_deadline: { status },
});

test('an account of the first version is ready once transfers are active', () => {
  expect(v1('active')).toEqual({ account: 'acct_1', state: 'ready', requirements: [] });
  expect(v1('inactive', ['external_account'])).toMatchObject({ state: 'pending', requirements: ['bank_account'] });
  expect(v1('pending')).toMatchObject({ state: 'pending' });
  expect(v1(undefined)).toMatchObject({ state: 'pending' });
  expect(v1('active', [], 'rejected.fraud')).toMatchObject({ state: 'restricted' });
});

test('an account of the second version waits for its owner or for Stripe, or is restricted', () => {
  expect(v2('active')).toMatchObject({ state: 'ready', requirements: [] });
  const due = [entry('configuration.recipient.default_outbound_destination'), entry('identity.individual.address', 'stripe')];
  expect(v2('restricted', due)).toMatchObject({ state: 'pending', requirements: ['bank_account'] });
  expect(v2('restricted', [entry('identity.individual.address', 'user', 'eventually_due')])).toMatchObject({
    state: 'restricted',
  });
  expect(v2('pending')).toMatchObject({ state: 'pending' });
  expect(v2('unsupported')).toMatchObject({ state: 'restricted' });
  expect(v2('active', [], 'no_resolution')).toMatchObject({ state: 'restricted' });
});

test('what is no account is none', () => {
  expect([readV1Account({ object: 'account' }), readV2Account(null)]).toEqual([null, null]);
});

test('fields at Stripe are told as what they are to people, each once', () => {
  expect(
    requirementsOf([
      'individual.dob.day',
      'individual.dob.month',
      'individual.verification.document',
      'individual.address.line1',
      'individual.id_number',
      'company.name',
      'business_profile.url',
      'external_account',
      'tos_acceptance.date',
      'field_of_tomorrow',
    ]),
  ).toEqual(['bank_account', 'identity_document', 'personal_details', 'address', 'tax_id', 'business_details', 'terms', 'other']);
});
