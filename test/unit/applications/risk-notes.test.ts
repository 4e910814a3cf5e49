import { type RiskFacts, riskNotesOf } from '../../../src/domains/applications/risk-notes.rules.ts';

const notesOf = (facts: Partial<RiskFacts>) =>
  riskNotesOf({ email: 'ada@blog.example', websiteDomain: 'acme.example', sharesPayoutDetails: false, ...facts });

test('an ordinary applicant has no risk notes', () => {
  expect(notesOf({})).toEqual([]);
});

test.each(['ada@mailinator.com', 'ada@sub.mailinator.com', 'ada@yopmail.com'])('%s is a disposable address', (email) => {
  expect(notesOf({ email })).toEqual(['disposable_email']);
});

test.each(['ada@gmail.com', 'ada@mailinator.com.example', 'ada@com'])('%s is not', (email) => {
  expect(notesOf({ email })).toEqual([]);
});

test.each([
  ['acme.example', 'acme.example'],
  ['mail.acme.example', 'acme.example'],
  ['acme.example', 'shop.acme.example'],
])('an address at %s is of the merchant whose website is at %s', (domain, websiteDomain) => {
  expect(notesOf({ email: `ada@${domain}`, websiteDomain })).toEqual(['merchant_email_domain']);
});

test.each([
  ['notacme.example', 'acme.example'],
  ['acme.example.org', 'acme.example'],
  ['blog.acme.example', 'shop.acme.example'],
  ['acme.example', null],
])('an address at %s is not of the merchant whose website is at %s', (domain, websiteDomain) => {
  expect(notesOf({ email: `ada@${domain}`, websiteDomain })).toEqual([]);
});

test('several notes are in the order of the documented list', () => {
  const email = 'ada@mailinator.com';
  expect(notesOf({ email, websiteDomain: 'mailinator.com', sharesPayoutDetails: true })).toEqual([
    'disposable_email',
    'merchant_email_domain',
    'duplicate_payout_details',
  ]);
});
