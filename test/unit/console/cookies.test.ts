import { cookieRules } from '../../../src/console/cookies.ts';

test('behind TLS, no other host and no page without TLS can set a cookie', () => {
  const { nameOf, options } = cookieRules('https://refer.acme.example');
  expect(nameOf('session')).toBe('__Host-tributary_session');
  expect(options).toEqual({ path: '/', httpOnly: true, sameSite: 'lax', secure: true });
});

test('over http, two systems on one machine have cookies of their own', () => {
  expect(cookieRules('http://localhost:3000').nameOf('session')).toBe('tributary_session_3000');
  expect(cookieRules('http://localhost:4000').nameOf('session')).toBe('tributary_session_4000');
  expect(cookieRules('http://localhost').nameOf('session')).toBe('tributary_session_80');
  expect(cookieRules('http://localhost:3000').options.secure).toBe(false);
});
