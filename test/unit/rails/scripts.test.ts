import { scriptNameOf, scriptOf } from '../../../src/sandbox-provider/scripts.ts';

const named = (email: string) => scriptNameOf({ type: 'paypal', email });
const banked = (iban: string) => scriptNameOf({ type: 'bank_account', iban, holder: 'Ana' });

test('the local part names the script, whatever its case and tag', () => {
  expect(named('unknown-paid@example.com')).toBe('unknown-paid');
  expect(named('Fail-Definite+x1@example.com')).toBe('fail-definite');
  expect(named('reset-always@example.com')).toBe('reset-always');
});

test('everything else behaves as ok', () => {
  for (const local of ['ana', 'constructor', '__proto__', '', 'ok-always', 'nobody-always', '+returned']) {
    expect(named(`${local}@example.com`)).toBe('ok');
  }
  expect(scriptOf('constructor')).toEqual({});
});

test('bank accounts are ok, except the one that ends in nine zeros and a nine', () => {
  expect(banked('DE89370400440532013000')).toBe('ok');
  expect(scriptOf(banked('DE89370400000000000009'))).toEqual({ refuse: 'invalid_account' });
});

test('failBefore applies to the first send, and with -always to every one', () => {
  expect(scriptOf('unknown-unpaid')).toEqual({ failBefore: 'break' });
  expect(scriptOf('unknown-unpaid-always')).toEqual({ failBefore: 'break', always: true });
});
