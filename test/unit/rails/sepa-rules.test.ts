import { RAILS } from '../../../src/contracts/rails.ts';
import { SEPA_COUNTRIES } from '../../../src/contracts/sepa-countries.ts';
import { endToEndIdOf, keyOfEndToEndId } from '../../../src/domains/payouts/rails/sepa/end-to-end-id.ts';
import { sepaRail } from '../../../src/domains/payouts/rails/sepa/sepa.ts';
import { fromEuro, toEuro } from '../../../src/domains/payouts/rails/sepa/sepa-amount.ts';
import { asSent } from '../../../src/domains/payouts/rails/sepa/sepa-text.ts';
import { keyOf, META } from '../../support/rails/file-conformance.ts';
import { sepaAccount, sepaOrder } from '../../support/rails/sepa-bank.ts';

test.each([
  ['Ada Lovelace', 'Ada Lovelace', false],
  ['Zoë Müßig-Łęcka', 'Zoe Muessig-Lecka', true],
  ['Ünal & Söhne', 'Uenal + Soehne', true],
  ['Σωκράτης', 'Sokratis', true],
  ['Щука', 'Shtuka', true],
  ['O’Neill / Partner', "O'Neill / Partner", true],
  ['//Ada//Co/', 'Ada/Co', true],
  ['  Ada   Lovelace ', 'Ada Lovelace', false],
  ['🦊 Fox', 'Fox', true],
  ['=1+1', '1+1', true],
])('the name %s is sent as %s', (original, sent, isChanged) => {
  expect(asSent(original, 'sepa', 70)).toEqual({ text: sent, isChanged, isLossy: false });
});

test('a letter without a counterpart makes the name unusable, and `latin1` keeps accents', () => {
  expect(asSent('王 Ada', 'sepa', 70).isLossy).toBe(true);
  expect(asSent('Zoë Łęcka', 'latin1', 70).text).toBe('Zoë Lecka');
  expect(asSent('x'.repeat(256), 'sepa', 70).text).toHaveLength(70);
});

test('whatever a text is, only characters of SEPA are sent', () => {
  for (let code = 1; code < 0x3000; code += 1) {
    const { text } = asSent(`a${String.fromCodePoint(code)}b`, 'sepa', 70);
    expect(text).toMatch(/^[A-Za-z0-9/\-?:().,'+ ]+$/);
  }
});

test('the id of a payment is that of its attempt, in 35 characters', () => {
  expect(endToEndIdOf(keyOf(7))).toHaveLength(34);
  expect(keyOfEndToEndId(endToEndIdOf(keyOf(7)))).toBe(keyOf(7));
  expect(keyOfEndToEndId(endToEndIdOf(keyOf(7)).toUpperCase())).toBe(keyOf(7));
  for (const foreign of ['NOTPROVIDED', '', 'payout-1', `${endToEndIdOf(keyOf(7))}00`])
    expect(keyOfEndToEndId(foreign)).toBeNull();
});

test('amounts are exact in both directions', () => {
  expect([1n, 10n, 100n, 99_999_999_999n].map(toEuro)).toEqual(['0.01', '0.10', '1.00', '999999999.99']);
  expect(['0.01', '1', '1.5', '1.50000', '999999999.99'].map(fromEuro)).toEqual([1, 100, 150, 150, 99_999_999_999]);
  expect(['1.505', '-1', '1,5', '', 'x', '1e3'].map(fromEuro)).toEqual([null, null, null, null, null, null]);
});

const refusalOf = (given: Parameters<typeof sepaOrder>[2], account = {}, money = {}) =>
  sepaRail.canPay({ ...sepaOrder(1, 100, given), ...money }, sepaAccount(account));

const ADDRESS = { postCode: '10115', town: 'Berlin', country: 'DE' };
const SWISS = { bankIban: 'CH9300762011623852957' };

test.each([
  ['an account of SEPA', {}, {}, {}, null],
  ['the largest amount', {}, {}, { amountMinor: 99_999_999_999 }, null],
  ['more than that', {}, {}, { amountMinor: 100_000_000_000 }, 'above_limit'],
  ['another currency', {}, {}, { currency: 'usd' }, 'currency'],
  ['no IBAN', { bankIban: null }, {}, {}, 'destination'],
  ['an IBAN that is wrong', { bankIban: 'NL91ABNA0417164301' }, {}, {}, 'destination'],
  ['a country outside of SEPA', { bankIban: 'TR330006100519786457841326' }, {}, {}, 'country'],
  ['Switzerland, without an address', { ...SWISS, bankBic: 'POFICHBEXXX' }, {}, {}, 'country'],
  ['Switzerland, without a BIC', SWISS, { debtorAddress: ADDRESS }, {}, 'country'],
  ['Switzerland, with both', { ...SWISS, bankBic: 'POFICHBEXXX' }, { debtorAddress: ADDRESS }, {}, null],
  ['a payer outside the EEA without an address', {}, { debtorIban: SWISS.bankIban }, {}, 'country'],
  ['a BIC of another country', { bankBic: 'DEUTDEFF' }, {}, {}, 'destination'],
  ['a BIC that is wrong', { bankBic: 'NOBIC' }, {}, {}, 'destination'],
  ['no name', { bankAccountHolder: null }, {}, {}, 'destination'],
  ['a name of signs', { bankAccountHolder: '🦊 123' }, {}, {}, 'destination'],
  ['a name in letters that banks do not take', { bankAccountHolder: '王伟' }, {}, {}, 'destination'],
])('%s is refused early or paid', (_what, details, account, money, refusal) => {
  expect(refusalOf(details, account, money)).toBe(refusal);
});

test('without an account nothing is paid', () => {
  expect(sepaRail.canPay(sepaOrder(1, 100), null)).toBe('no_account');
});

test('an account is its IBAN, whatever was typed', () => {
  const account = sepaAccount({ debtorIban: 'de89 3704 0044 0532 0130 00' });
  expect(sepaRail.identityOf(account)).toBe('DE89370400440532013000');
  expect(sepaRail.accountSchema.safeParse({ debtorName: 'A', debtorIban: 'DE00' }).success).toBe(false);
  expect(sepaRail.accountSchema.safeParse({ debtorName: '王', debtorIban: 'DE89370400440532013000' }).success).toBe(false);
});

test('SEPA has 41 countries, which are those of the rail', () => {
  expect(new Set(SEPA_COUNTRIES).size).toBe(41);
  expect(RAILS.sepa.facts.countries.only).toBe(SEPA_COUNTRIES);
});

test('a file for a payee outside the EEA names the address of the payer and the bank of the payee', () => {
  const account = sepaAccount({ debtorAddress: { ...ADDRESS, street: 'Straße 1' }, debtorBic: 'COBADEFFXXX', instant: true });
  const order = sepaOrder(1, 100, { ...SWISS, bankBic: 'POFICHBEXXX', bankAccountHolder: 'Zoë <b>&' });
  const text = Buffer.from(sepaRail.open(account).render([order], { ...META, isInstant: true })).toString();
  expect(text).toContain('<StrtNm>Strasse 1</StrtNm><PstCd>10115</PstCd><TwnNm>Berlin</TwnNm><Ctry>DE</Ctry>');
  expect(text).toContain('<CdtrAgt><FinInstnId><BICFI>POFICHBEXXX</BICFI></FinInstnId></CdtrAgt><Cdtr><Nm>Zoe b +</Nm></Cdtr>');
  expect(text).toContain('<LclInstrm><Cd>INST</Cd></LclInstrm>');
});
