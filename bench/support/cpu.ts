/** Preloaded into a program under test: replies to `cpu` with the CPU time used by its process, in microseconds. */
process.on('message', (message) => {
  if (message !== 'cpu') return;
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuMicros: user + system });
});
// Exits together with its benchmark.
process.on('disconnect', () => process.exit(1));
