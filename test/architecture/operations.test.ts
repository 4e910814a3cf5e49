import { findOperationFiles } from '../../src/api/documents.ts';
import { codesOf, createOpenApi, GROUPS, idempotencyOf } from '../../src/api/openapi.ts';
import { OPERATIONS } from '../../src/api/routes.ts';
import { ERRORS } from '../../src/contracts/error-codes.ts';
import { KEY_TYPES, SCOPES_OF } from '../../src/contracts/scopes.ts';
import { type Operation, scopeFor } from '../../src/platform/http/operation.ts';
import { FOLDER, filesAt } from './project.ts';

type Finding = string | false | undefined;

/** Ids of the operations that a check finds something wrong with. */
const findings = (check: (op: Operation) => Finding | Finding[]): string[] =>
  OPERATIONS.flatMap((op) =>
    [check(op)]
      .flat()
      .filter((found) => typeof found === 'string')
      .map((found) => `${op.id}: ${found}`),
  );

const repeated = (names: string[]): string[] => names.filter((name, at) => names.indexOf(name) !== at);

test('every operation has an id, a method and a path of its own', () => {
  expect(repeated(OPERATIONS.map(({ id }) => id))).toEqual([]);
  expect(repeated(OPERATIONS.map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`))).toEqual([]);
  expect(findings(({ id }) => !/^[a-z]+([A-Z][a-z]*)+$/.test(id) && 'is not verb and noun in camelCase')).toEqual([]);
});

test('every operation belongs to a group of the specification and says what it does', () => {
  expect(findings(({ tag }) => !GROUPS.includes(tag) && `${tag} is no group`)).toEqual([]);
  expect(findings(({ summary }) => !/^[A-Z].{5,}[^.]$/.test(summary) && 'has no summary')).toEqual([]);
});

test('the example of every operation fits its schemas', () => {
  const wrong = findings((op) => {
    const reply = (op.paged ? op.reply.array() : op.reply).safeParse(op.example.data);
    const body = op.body?.safeParse(op.example.body);
    return [
      !reply.success && `its data example: ${reply.error.message}`,
      body && !body.success && `its body example: ${body.error.message}`,
      !op.body && op.example.body !== undefined && 'shows a body and takes none',
    ];
  });
  expect(wrong).toEqual([]);
});

test('what an example shows is all that the schema names, so that nobody reads about half an answer', () => {
  const unnamed = findings((op) => {
    const read = (op.paged ? op.reply.array() : op.reply).safeParse(op.example.data);
    return (
      JSON.stringify(read.data) !== JSON.stringify(op.example.data) && 'its example holds what the schema leaves out or converts'
    );
  });
  expect(unnamed).toEqual([]);
});

test('the path and the parameters of every operation name each other', () => {
  const wrong = findings((op) => {
    const named = [...op.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
    const shape = op.params && 'shape' in op.params ? Object.keys(op.params.shape as object) : [];
    return named.join() !== shape.join() && `${op.path} has parameters ${shape.join()}`;
  });
  expect(wrong).toEqual([]);
});

test('every scope can be held by each key type that it is asked of', () => {
  const wrong = findings(({ access }) => {
    if (access === 'public') return false;
    return access.keys.map((type) => {
      const scope = scopeFor(access, type);
      if (access.scope !== 'any' && scope === null) return `asks no scope of ${type} keys`;
      return scope !== null && !SCOPES_OF[type].includes(scope) && `${type} keys never hold ${scope}`;
    });
  });
  expect(wrong).toEqual([]);
});

/** Decisions on access: an onboarding key makes one program and connects it, and nothing else. */
const FOR_ONBOARDING = ['getMe', 'completeOnboarding', 'createProgram', 'getProgram', 'connectStripe', 'disconnectStripe'];

test('onboarding keys open only what setting up needs', () => {
  const open = OPERATIONS.filter(({ access }) => access !== 'public' && access.keys.includes('onboarding'));
  expect(open.map(({ id }) => id).filter((id) => !FOR_ONBOARDING.includes(id))).toEqual([]);
});

test('only what names a token, a document or the server itself is public', () => {
  expect(
    findings(({ access, path }) => access === 'public' && !/^\/(meta|invites\/\{token\})$/.test(path) && 'is public'),
  ).toEqual([]);
});

test('every operation documents its errors by status, its scope and what a repeat does', () => {
  const document = createOpenApi(OPERATIONS);
  const wrong = findings((op) => {
    const documented = document.paths?.[op.path]?.[op.method.toLowerCase() as 'get'];
    const answers = Object.keys(documented?.responses ?? {});
    const expected = [op.status, ...codesOf(op).map((code) => ERRORS[code].status)].map(String);
    return [
      expected.some((status) => !answers.includes(status)) && `does not document all of ${expected.join()}`,
      documented?.['x-idempotent'] !== idempotencyOf(op).replace(' ', '-') && 'does not say what a repeat does',
      op.access !== 'public' && !answers.includes('401') && 'does not document 401',
      op.access !== 'public' && documented?.['x-scope'] === undefined && 'does not name its scope',
    ];
  });
  expect(wrong).toEqual([]);
});

test('a list is paged by the one list schema, and a created thing is 201 to a POST', () => {
  expect(findings((op) => op.paged && op.method !== 'GET' && 'is paged and no GET')).toEqual([]);
  expect(findings((op) => op.status === 201 && op.method !== 'POST' && 'answers 201 and is no POST')).toEqual([]);
  expect(findings((op) => op.method === 'GET' && op.body && 'is a GET with a body')).toEqual([]);
});

test('every operation is found in one route file and has a test of its own name', async () => {
  const places = await findOperationFiles(FOLDER);
  const tests = new Set(filesAt('test/api/**/*.test.ts'));
  expect(findings(({ id }) => !places.has(id) && 'is in no route file')).toEqual([]);
  const missing = OPERATIONS.map(({ id }) => places.get(id)?.test ?? id).filter((path) => !tests.has(path));
  expect(missing).toEqual([]);
});

test('every key type opens something', () => {
  const opened = new Set(OPERATIONS.flatMap(({ access }) => (access === 'public' ? [] : access.keys)));
  expect(KEY_TYPES.filter((type) => !opened.has(type))).toEqual([]);
});
