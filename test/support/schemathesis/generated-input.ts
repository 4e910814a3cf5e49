import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runProgram } from '../../../src/local/stack/programs.ts';
import { findPythonWith } from '../python-environment.ts';

const HOOKS = fileURLToPath(new URL('./hooks.py', import.meta.url));
const REQUIREMENTS = fileURLToPath(new URL('./requirements.txt', import.meta.url));
const MAX_OUTPUT_LINES = 4_000;

const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'negative_data_rejection',
];

export interface GeneratedInputOptions {
  /** Address of the API; its own OpenAPI document is read from there. */
  url: string;
  seed: number;
  /** Generated for each operation, half of them valid. */
  cases: number;
  /** Sequences of up to six requests, in which ids of earlier responses are used. */
  sequences: number;
  /** Adds every boundary value of every field, several hundred requests for some operations. */
  boundaries: boolean;
  timeLimitMs: number;
  keys: { merchant: string; affiliate: string };
  /** Ids of what the run itself needs. */
  kept: readonly string[];
  /** The id that takes the place of one of these, by operation: a run that revoked its own keys would go on with 401 only. */
  spare: Readonly<Record<string, string>>;
  /** What differs from the example of an operation, where that fails although its ids exist. */
  valid: Readonly<Record<string, ValidRequest>>;
  /** Origin of reported clicks. */
  website: string;
  /** Secrets that sign events, by operation. */
  secrets: Readonly<Record<string, string>>;
  /** Values that exist, by parameter and the paths that it is used in. */
  known: readonly KnownValues[];
}

export interface ValidRequest {
  path?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string>>;
  /** Replaces fields of the example. */
  body?: Readonly<Record<string, unknown>>;
}

export interface KnownValues {
  /** For example `path.id` or `body.affiliateId`. */
  parameter: string;
  /** Regular expression. Left out: all paths. */
  paths?: string;
  values: readonly string[];
}

export interface GeneratedInputReport {
  ok: boolean;
  output: string;
  /** How many responses had which status, by operation id. */
  statuses: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /**
   * Status and start of the response to the generated request that was made one that succeeds, by operation id: there may be none
   * among few cases.
   */
  begun: Readonly<Record<string, string>>;
}

const KNOWN_SHARE = 0.6;

/** JSON strings and arrays of them are TOML as well. */
const toml = JSON.stringify;

const dictionaries = (known: readonly KnownValues[]): string =>
  known.map(({ values }, at) => `[dictionaries.known${at}]\nvalues = ${toml(values)}\n`).join('\n');

const binding = (parameter: string, at: number): string =>
  `${toml(parameter)} = { dictionary = "known${at}", probability = ${KNOWN_SHARE} }`;

/** If one path has several sections, Schemathesis reads only the first. */
const sectionsOf = (known: readonly KnownValues[]): string => {
  const bindings = Map.groupBy(known.keys(), (at) => known[at]?.paths);
  return [...bindings]
    .map(([paths, numbers]) => {
      const lines = numbers.map((at) => binding(known[at]?.parameter ?? '', at));
      if (paths === undefined) return `[parameters]\n${lines.join('\n')}\n`;
      return `[[operations]]\ninclude-path-regex = ${toml(paths)}\nparameters = { ${lines.join(', ')} }\n`;
    })
    .join('\n');
};

const configOf = ({ cases, sequences, boundaries, known }: GeneratedInputOptions): string => `
hooks = ${toml(HOOKS)}
workers = 1
continue-on-failure = true
request-timeout = 30
suppress-health-check = ["all"]
warnings = false
cache = { enabled = false }
auth = { auto-signup = false }
analysis = { constants = { enabled = false } }
# The keys are worth nothing after the run, and a command with them can be repeated during it.
output = { sanitization = { enabled = false } }
# The hooks add the keys.
generation = { max-examples = ${cases}, with-security-parameters = false, database = "none", no-shrink = true }
${dictionaries(known)}
[checks]
enabled = false
${CHECKS.map((name) => `${name} = { enabled = true }`).join('\n')}

[phases]
coverage = { enabled = ${boundaries} }
stateful = { generation = { max-examples = ${sequences} } }

# The bodies of other operations have rules that a schema cannot express, and so have these: the period, the program of an affiliate in
# several ones, and the decimals.
[[operations]]
include-method = "GET"
exclude-operation-id = ["getMyClicks", "listLinks", "listMarketplacePrograms"]
checks = { positive_data_acceptance = { enabled = true } }

${sectionsOf(known)}
`;

/** Sends generated requests, valid and invalid ones, to every operation, and checks each response against the document. */
export const sendGeneratedInput = async (options: GeneratedInputOptions): Promise<GeneratedInputReport> => {
  const python = await findPythonWith({ name: 'schemathesis', requirements: REQUIREMENTS });
  const folder = await mkdtemp(join(tmpdir(), 'tributary-generated-input-'));
  const statuses = join(folder, 'statuses.json');
  const { keys, kept, known, secrets, seed, spare, timeLimitMs, url, valid, website } = options;
  const lines: string[] = [];
  try {
    await writeFile(join(folder, 'schemathesis.toml'), configOf(options));
    const { ok, output } = await runProgram(
      python,
      ['-m', 'schemathesis.cli', 'run', `${url}/docs/openapi.json`, '--seed', String(seed), '--no-color'],
      {
        cwd: folder,
        env: {
          ...process.env,
          NO_PROXY: '127.0.0.1',
          GENERATED_INPUT: JSON.stringify({ keys, kept, known, secrets, spare, statuses, valid, website }),
        },
        timeoutMs: timeLimitMs,
        onLine: (line) => {
          if (lines.length < MAX_OUTPUT_LINES) lines.push(line);
        },
      },
    );
    const counts = await readFile(statuses, 'utf8').catch(() => '{"statuses":{},"begun":{}}');
    const report = JSON.parse(counts) as Pick<GeneratedInputReport, 'statuses' | 'begun'>;
    return { ok, output: ok ? output : lines.join('\n'), ...report };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
