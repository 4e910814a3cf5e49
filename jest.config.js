/** Tests run in plain Node processes, see docs/decisions/0047-test-runner.md. */
export const project = (displayName, folders, more = {}) => ({
  displayName,
  runner: '<rootDir>/test/support/runner.js',
  transform: {},
  setupFilesAfterEnv: ['<rootDir>/test/support/worker-setup.ts'],
  testMatch: folders.map((folder) => `<rootDir>/test/${folder}/**/*.test.ts`),
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
  reporters: ['default', '<rootDir>/test/support/slowest-files.js'],
  projects: [
    project('unit', ['unit']),
    project('architecture', ['architecture']),
    // Real sockets, files and child processes, but no services.
    project('platform', ['platform']),
    project('services', ['domains', 'api', 'docs', 'workflows', 'relay', 'e2e', 'local-stack', 'console'], services),
  ],
};
