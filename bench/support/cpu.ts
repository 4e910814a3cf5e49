/** Loaded before a program under test: answers with the CPU time that its process has used, in microseconds. */
process.on('message', (message) => {
  if (message !== 'cpu') return;
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuMicros: user + system });
});
// Without its benchmark it has nothing to do.
process.on('disconnect', () => process.exit(1));
