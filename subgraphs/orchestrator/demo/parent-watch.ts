// Imported ahead of an agent's program: when whoever started it ends, however it ends, its input ends too, and so does
// the agent.
process.stdin.once('close', () => process.kill(process.pid, 'SIGTERM'));
process.stdin.resume();
