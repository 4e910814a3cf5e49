import { operationOf } from '../../../src/api/pipeline/call-operation.ts';
import { OPERATIONS, PERSON_OPERATIONS } from '../../../src/api/routes.ts';
import { MAX_TEXTS } from '../../../src/console/components/fields.ts';
import { formatOf } from '../../../src/console/format.ts';
import { PAGES } from '../../../src/console/pages/index.ts';
import { readValues } from '../../../src/console/sent-form.ts';
import { textsOf } from '../../../src/console/texts/texts.ts';

const reading = { texts: textsOf('en'), format: formatOf('en-US', 'UTC') };

const FORMS = PAGES.flatMap(({ path, forms }) =>
  Object.entries(forms).map(([name, { fields }]) => ({ name: `${path} ${name}`, fields })),
);

/** Fields of the form that take so many texts without a word. */
const takenBy = ({ fields }: (typeof FORMS)[number], texts: number): string[] =>
  Object.keys(fields).filter((name) => {
    const raw = { [name]: Array.from({ length: texts }, () => 'x') };
    return !readValues({ [name]: fields[name] as never }, raw, reading).problems.some(({ message }) =>
      message.includes('at most'),
    );
  });

test('no field of any form is read beyond its bound, which is 100 for what is done to each', () => {
  const unbounded = FORMS.flatMap((form) => takenBy(form, 401).map((field) => `${form.name}: ${field}`));
  expect(unbounded).toEqual([]);
  const wider = FORMS.flatMap((form) => takenBy(form, MAX_TEXTS + 1).map((field) => `${form.name}: ${field}`));
  expect(wider).toEqual(['/console/pay/by-hand record: rows', '/console/pay/by-hand record: references']);
});

test('what takes rights away from people and keys waits for nobody else, and so do the pages of it', () => {
  const taking = [...OPERATIONS, ...PERSON_OPERATIONS].filter(
    ({ id, tag }) => /^(?:revoke|remove|changePersonRole)/.test(id) && ['Auth', 'People', 'Sign-in'].includes(tag),
  );
  expect(taking.filter(({ urgent }) => !urgent).map(({ id }) => id)).toEqual([]);
  expect(taking.map(({ id }) => id).sort()).toEqual([
    'changePersonRole',
    'removePerson',
    'revokeApiKey',
    'revokePersonInvite',
    'revokeSession',
  ]);
  const behind = PAGES.filter(({ forms }) =>
    Object.values(forms).some(({ uses }) => uses.some((id) => operationOf(id).urgent)),
  ).map(({ path }) => path);
  expect(behind).toEqual(
    expect.arrayContaining(['/console/settings/people', '/console/settings/people/{id}', '/console/confirm']),
  );
});
