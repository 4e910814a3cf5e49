import fc from 'fast-check';
import { createAffiliate } from '../../../src/domains/applications/index.ts';
import { createLink, makeMember } from '../../api/links/support.ts';
import { useTestApi } from '../../support/api.ts';
import { unique } from '../../support/factories.ts';

const api = useTestApi();
const system = { kind: 'system', name: 'test' } as const;

test('of any mix of affiliates and links that ask for one code at once, exactly one gets it', async () => {
  const members = await Promise.all(Array.from({ length: 4 }, () => makeMember(api)));
  const creation = fc.record({
    member: fc.integer({ min: 0, max: members.length - 1 }),
    as: fc.constantFrom('link', 'affiliate'),
    code: fc.integer({ min: 0, max: 2 }),
    upperCase: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(creation, { minLength: 2, maxLength: 12 }), async (creations) => {
      const round = unique();
      const outcomes = await Promise.all(
        creations.map(async ({ member, as, code: n, upperCase }) => {
          const code = `c${n}-${round}`;
          const { key, programId } = members[member] as (typeof members)[number];
          if (as === 'link') {
            const made = await createLink(api, key, { name: 'x', custom_slug: code });
            // The limit of links may be reached before the code is asked for.
            return { code, result: made.status === 201 ? 'got it' : made.error.details.reason };
          }
          const person = { programId, email: `a-${unique()}@example.com`, name: 'Ada Test', source: 'api' as const };
          const requested = upperCase ? code.toUpperCase() : code;
          const result = await createAffiliate(api.runtime.context(system), { ...person, code: requested }).then(
            () => 'got it',
            (error) => error.details?.reason,
          );
          return { code, result };
        }),
      );
      for (const code of new Set(outcomes.map((outcome) => outcome.code))) {
        const results = outcomes.filter((outcome) => outcome.code === code).map(({ result }) => result);
        expect(results.sort()).toEqual([...Array(results.length - 1).fill('CODE_TAKEN'), 'got it']);
      }
    }),
    { numRuns: 20 },
  );
});
