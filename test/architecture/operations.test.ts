import { findOperationFiles } from '../../src/api/documents.ts';
import { codesOf, createOpenApi, idempotencyOf } from '../../src/api/openapi.ts';
import { GROUPS } from '../../src/api/openapi-groups.ts';
import { OPERATIONS, PUBLIC_ROUTES } from '../../src/api/routes.ts';
import { ERRORS } from '../../src/contracts/error-codes.ts';
import { KEY_TYPES, SCOPES_OF } from '../../src/contracts/scopes.ts';
import { type Operation, scopeFor } from '../../src/platform/http/operation.ts';
import { FOLDER, filesAt, readText } from './project.ts';

type Finding = string | false | undefined;

/** One line per operation and problem. A check returns the problem, or a falsy value. */
const findings = (check: (op: Operation) => Finding | Finding[]): string[] =>
  OPERATIONS.flatMap((op) =>
    [check(op)]
      .flat()
      .filter((found) => typeof found === 'string')
      .map((found) => `${op.id}: ${found}`),
  );

const duplicatesOf = (names: string[]): string[] => names.filter((name, at) => names.indexOf(name) !== at);

test('every operation has a unique id, method and path', () => {
  expect(duplicatesOf(OPERATIONS.map(({ id }) => id))).toEqual([]);
  expect(duplicatesOf(OPERATIONS.map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`))).toEqual([]);
  expect(findings(({ id }) => !/^[a-z]+([A-Z][a-z]*)+$/.test(id) && 'is not verb and noun in camelCase')).toEqual([]);
});

test('every operation has a group and a summary', () => {
  expect(findings(({ tag }) => !GROUPS.includes(tag) && `${tag} is no group`)).toEqual([]);
  expect(findings(({ summary }) => !/^[A-Z].{5,}[^.]$/.test(summary) && 'has no summary')).toEqual([]);
});

test('the example of every operation matches its schemas', () => {
  const wrong = findings((op) => {
    const reply = (op.paged ? op.reply.array() : op.reply).safeParse(op.example.data);
    const body = op.body?.safeParse(op.example.body);
    return [
      !reply.success && `its data example: ${reply.error.message}`,
      body && !body.success && `its body example: ${body.error.message}`,
      !op.body && op.example.body !== undefined && 'its example has a body, but it takes none',
    ];
  });
  expect(wrong).toEqual([]);
});

test('no example contains fields that its schema drops or converts', () => {
  const dropped = findings((op) => {
    const read = (op.paged ? op.reply.array() : op.reply).safeParse(op.example.data);
    return (
      JSON.stringify(read.data) !== JSON.stringify(op.example.data) &&
      'its example contains fields that its schema drops or converts'
    );
  });
  expect(dropped).toEqual([]);
});

test('the path and the parameters of every operation match', () => {
  const wrong = findings((op) => {
    const named = [...op.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
    const shape = op.params && 'shape' in op.params ? Object.keys(op.params.shape as object) : [];
    return named.join() !== shape.join() && `${op.path} has parameters ${shape.join()}`;
  });
  expect(wrong).toEqual([]);
});

test('every key type that may call an operation can have its scope', () => {
  const wrong = findings(({ access }) => {
    if (access === 'public') return false;
    return access.keys.map((type) => {
      const scope = scopeFor(access, type);
      if (access.scope !== 'any' && scope === null) return `requires no scope of ${type} keys`;
      return scope !== null && !SCOPES_OF[type].includes(scope) && `${type} keys cannot have ${scope}`;
    });
  });
  expect(wrong).toEqual([]);
});

/** An onboarding key sets up one program and nothing else. */
const FOR_ONBOARDING = ['getMe', 'setUpMerchant', 'createProgram', 'getProgram', 'connectStripe', 'disconnectStripe'];

test('onboarding keys can only call setup operations', () => {
  const open = OPERATIONS.filter(({ access }) => access !== 'public' && access.keys.includes('onboarding'));
  expect(open.map(({ id }) => id).filter((id) => !FOR_ONBOARDING.includes(id))).toEqual([]);
});

test('only the server description and invites addressed by token are public', () => {
  expect(
    findings(({ access, path }) => access === 'public' && !/^\/(meta|invites\/\{token\})$/.test(path) && 'is public'),
  ).toEqual([]);
});

test('every operation documents its error statuses, scope and idempotency', () => {
  const document = createOpenApi(OPERATIONS);
  const wrong = findings((op) => {
    const documented = document.paths?.[op.path]?.[op.method.toLowerCase() as 'get'];
    const statuses = Object.keys(documented?.responses ?? {});
    const expected = [op.status, ...codesOf(op).map((code) => ERRORS[code].status)].map(String);
    return [
      expected.some((status) => !statuses.includes(status)) && `does not document all of ${expected.join()}`,
      documented?.['x-idempotent'] !== idempotencyOf(op).replace(' ', '-') && 'does not document its idempotency',
      op.access !== 'public' && !statuses.includes('401') && 'does not document 401',
      op.access !== 'public' && documented?.['x-scope'] === undefined && 'does not document its scope',
    ];
  });
  expect(wrong).toEqual([]);
});

test('only GET is paged, only POST returns 201, and no GET has a body', () => {
  expect(findings((op) => op.paged && op.method !== 'GET' && 'is paged, but not a GET')).toEqual([]);
  expect(findings((op) => op.status === 201 && op.method !== 'POST' && 'returns 201, but is not a POST')).toEqual([]);
  expect(findings((op) => op.method === 'GET' && op.body && 'is a GET with a body')).toEqual([]);
});

test('every operation is declared in a route file and has a test file of its name', async () => {
  const places = await findOperationFiles(FOLDER);
  const tests = new Set(filesAt('test/api/**/*.test.ts'));
  expect(findings(({ id }) => !places.has(id) && 'is in no route file')).toEqual([]);
  const missing = OPERATIONS.map(({ id }) => places.get(id)?.test ?? id).filter((path) => !tests.has(path));
  expect(missing).toEqual([]);
});

test('every public route is declared in a route file, has a group and a test file of its name', async () => {
  const places = await findOperationFiles(FOLDER);
  const tests = new Set(filesAt('test/api/**/*.test.ts'));
  const wrong = PUBLIC_ROUTES.filter(({ id, tag }) => !GROUPS.includes(tag) || !tests.has(places.get(id)?.test ?? ''));
  expect(wrong.map(({ id }) => id)).toEqual([]);
  const ids = [...OPERATIONS, ...PUBLIC_ROUTES].map(({ id }) => id);
  expect(duplicatesOf(ids)).toEqual([]);
});

test('the use case or query of every operation has its name, and one file of the domain exports it', async () => {
  const places = await findOperationFiles(FOLDER);
  const wrong = findings(({ id, method, audited }) => {
    const routes = places.get(id)?.file ?? '';
    if (!routes.startsWith('src/domains/')) return false;
    const pattern = method === 'GET' && !audited ? '**/*.queries.ts' : 'use-cases/*.ts';
    const declaration = new RegExp(`^export (async function|const) ${id}\\b`, 'm');
    const domain = routes.split('/').slice(0, 3).join('/');
    const files = filesAt(`${domain}/${pattern}`).filter((path) => declaration.test(readText(path)));
    return files.length !== 1 && `${files.length} files of ${pattern} export a function of this name`;
  });
  expect(wrong).toEqual([]);
});

test('every key type can call an operation', () => {
  const callers = new Set(OPERATIONS.flatMap(({ access }) => (access === 'public' ? [] : access.keys)));
  expect(KEY_TYPES.filter((type) => !callers.has(type))).toEqual([]);
});
