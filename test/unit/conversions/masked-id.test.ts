import { maskedId } from '../../../src/domains/conversions/lists/customers.wire.ts';

test.each([
  ['cus_1234567890', 'cu…90'],
  ['ada@example.org', 'ad…rg'],
  ['user-123', 'us…23'],
  ['user-12', '…'],
  ['1', '…'],
  ['', '…'],
  ['🦊🦊abcdef🦊🦊', '🦊🦊…🦊🦊'],
])('%s is shown as %s', (id, shown) => {
  expect(maskedId(id)).toBe(shown);
});
