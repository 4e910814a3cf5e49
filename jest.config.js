/** Tests run in plain Node processes, see docs/decisions/0077-runner-of-our-own.md. */
export const project = (displayName, folders, more = {}) => ({
  displayName,
  runner: '<rootDir>/test/support/runner/index.js',
  transform: {},
  testMatch: folders.map((folder) => `<rootDir>/test/${folder}/**/*.test.ts`),
  // It ends what hangs. How long a test takes depends on the machine, and says nothing.
  testTimeout: 300_000,
  ...more,
});

/** Postgres, Redis and Temporal: started once for a run that needs them, shared by its projects. */
export const services = {
  globalSetup: '<rootDir>/test/support/stack/global-setup.js',
  globalTeardown: '<rootDir>/test/support/stack/global-teardown.js',
};

export default {
  // Files often wait for services, so that three workers fill two cores.
  maxWorkers: 3,
  reporters: ['default', '<rootDir>/test/support/runner/progress.js'],
  projects: [
    project('unit', ['unit']),
    project('architecture', ['architecture']),
    // Real sockets, files and child processes, but no services.
    project('platform', ['platform']),
    project('services', ['domains', 'api', 'docs', 'workflows', 'relay', 'e2e', 'local-stack', 'console'], services),
  ],
};
