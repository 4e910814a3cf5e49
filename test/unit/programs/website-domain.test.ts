import { websiteDomainOf } from '../../../src/domains/programs/website-domain.steps.ts';

test.each([
  ['https://www.acme.example/start', 'acme.example'],
  ['HTTP://Shop.Acme.Example:8080', 'shop.acme.example'],
  ['https://münchen.example', 'xn--mnchen-3ya.example'],
  ['https://www.example', 'www.example'],
  [null, null],
  [undefined, null],
])('the domain of %p is %p', (website, domain) => {
  expect(websiteDomainOf(website)).toBe(domain);
});
