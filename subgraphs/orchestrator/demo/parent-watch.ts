// Imported before an agent's program: ends the agent when its input ends, which happens when its parent ends in any
// way.
process.stdin.once('close', () => process.kill(process.pid, 'SIGTERM'));
process.stdin.resume();
