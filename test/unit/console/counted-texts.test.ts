import { de } from '../../../src/console/texts/de.ts';
import { en } from '../../../src/console/texts/en.ts';

test('one day, month and second are singular, in English and German', () => {
  expect([en.join.days('1'), en.join.days('30')]).toEqual(['1 day', '30 days']);
  expect([de.join.days('1'), de.join.days('30')]).toEqual(['1 Tag', '30 Tage']);
  expect(en.join.countedFor('1')).toBe('Up to 1 day after a click');
  expect(de.join.countedFor('1')).toBe('Bis 1 Tag nach einem Klick');
  expect(en.join.commissions.recurring_limited('5%', '1')).toBe('5% of the payments of each customer in one month');
  expect(de.join.commissions.recurring_limited('5 %', '1')).toBe('5 % der Zahlungen jedes Kunden in einem Monat');
  expect([en.kit.tooMany.text(1), en.kit.tooMany.text(2)]).toEqual(['Try again in 1 second.', 'Try again in 2 seconds.']);
  expect(de.kit.tooMany.text(1)).toBe('Bitte versuchen Sie es in einer Sekunde noch einmal.');
});
