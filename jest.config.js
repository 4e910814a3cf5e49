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

/** Postgres, Redis and Temporal: started once for a run that needs them, shared by its projects. */
const services = {
  globalSetup: '<rootDir>/test/support/stack/global-setup.js',
  globalTeardown: '<rootDir>/test/support/stack/global-teardown.js',
};

export default {
  maxWorkers: 2,
  // Jest ignores this option inside a project.
  // For machines under load: tests that run several processes take seconds each.
  testTimeout: 60_000,
  // The heap grows by 30–40 MB per file; a worker past this is replaced between two files.
  workerIdleMemoryLimit: '1GB',
  reporters: ['default', '<rootDir>/test/support/slowest-files.js'],
  projects: [
    project('unit', ['unit']),
    project('architecture', ['architecture']),
    // Real sockets, files and child processes, but no services.
    project('platform', ['platform']),
    project('services', ['domains', 'api', 'docs', 'workflows', 'relay', 'e2e', 'regressions', 'local-stack'], services),
    project('chaos', ['chaos'], { ...services, setupFilesAfterEnv: ['<rootDir>/test/chaos/support/timeout.ts'] }),
  ],
};
