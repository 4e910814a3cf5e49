import { scriptNameOf, scriptOf } from '../../../src/local/sandbox-provider/scripts.ts';

const scriptOfEmail = (email: string) => scriptNameOf({ type: 'paypal', email });
const scriptOfIban = (iban: string) => scriptNameOf({ type: 'bank_account', iban, holder: 'Ana' });

test('the local part names the script, whatever its case and tag', () => {
  expect(scriptOfEmail('unknown-paid@example.com')).toBe('unknown-paid');
  expect(scriptOfEmail('Fail-Definite+x1@example.com')).toBe('fail-definite');
  expect(scriptOfEmail('reset-always@example.com')).toBe('reset-always');
});

test('any other local part behaves like ok', () => {
  for (const local of ['ana', 'constructor', '__proto__', '', 'ok-always', 'nobody-always', '+returned']) {
    expect(scriptOfEmail(`${local}@example.com`)).toBe('ok');
  }
  expect(scriptOf('constructor')).toEqual({});
});

test('bank accounts behave like ok, except an IBAN that ends in nine zeros and a nine', () => {
  expect(scriptOfIban('DE89370400440532013000')).toBe('ok');
  expect(scriptOf(scriptOfIban('DE89370400000000000009'))).toEqual({ rejectWith: 'invalid_account' });
});

test('failBefore fails the first request and, with -always, each one', () => {
  expect(scriptOf('unknown-unpaid')).toEqual({ failBefore: 'disconnect' });
  expect(scriptOf('unknown-unpaid-always')).toEqual({ failBefore: 'disconnect', always: true });
});
