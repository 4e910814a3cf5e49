import { text } from '../../../src/console/components/fields.ts';
import { form } from '../../../src/console/page.ts';

test.each(['action', 'method', 'form', 'id', 'submit'])(
  'no field is called %s: scripts would take it for a property of its form',
  (name) => {
    const fields = { [name]: text({ label: 'X' }) };
    expect(() => form({ fields, uses: [], submit: () => ({ title: 'X', content: '' }) })).toThrow(`may not be called ${name}`);
  },
);
