import { isTimeZone } from '../../../src/domains/merchants/time-zone.rules.ts';

test.each(['UTC', 'Europe/Berlin', 'Asia/Kolkata', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5', 'US/Pacific'])(
  '%s is a time zone',
  (name) => {
    expect(isTimeZone(name)).toBe(true);
  },
);

test.each(['', ' ', '+01:00', '-05', 'Mars/Olympus', 'Europe', 'Europe/Berlin ', 'Berlin', '../etc/passwd'])(
  '"%s" is not a time zone',
  (name) => {
    expect(isTimeZone(name)).toBe(false);
  },
);
