const typescript = {
  extensionsToTreatAsEsm: ['.ts'],
  testEnvironment: 'node',
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          parser: { syntax: 'typescript' },
          target: 'es2023',
          transform: { verbatimModuleSyntax: true },
          experimental: { keepImportAttributes: true },
        },
        module: { type: 'es6' },
      },
    ],
  },
};

const project = (displayName, folders, more = {}) => ({
  ...typescript,
  displayName,
  testMatch: folders.map((folder) => `<rootDir>/test/${folder}/**/*.test.ts`),
  ...more,
});

const withServices = ['domains', 'api', 'workflows', 'relay', 'e2e', 'chaos', 'regressions', 'local-stack'];

export default {
  maxWorkers: 2,
  // Jest reads it here only: inside a project it is accepted and ignored.
  testTimeout: 30_000,
  // The heap grows by 30–40 MB per file; a worker past this is replaced between two files.
  workerIdleMemoryLimit: '1GB',
  projects: [
    project('unit', ['unit']),
    project('architecture', ['architecture']),
    // Only this project starts Postgres, Redis and Temporal: the others run without any service.
    project('services', withServices, {
      globalSetup: '<rootDir>/test/support/stack/global-setup.js',
      globalTeardown: '<rootDir>/test/support/stack/global-teardown.js',
    }),
  ],
};
