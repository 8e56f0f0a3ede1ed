// Opens an index's snapshot in a process of its own and prints the cost: `{openMs, cpuMs, chunks, bytes}` in one line.
import { readFile } from 'node:fs/promises';
import { silentLog } from '@landfall/kernel/system/log';
import { createLane } from '@landfall/search/testing/parts';

/** Resident memory of this process in bytes. */
const resident = async (): Promise<number> =>
  1_024 * Number(/^VmRSS:\s+(\d+)/m.exec(await readFile('/proc/self/status', 'utf8'))?.[1]);

const [directory, tenant = 'acme', ...texts] = process.argv.slice(2);
const before = await resident();
const startedMs = performance.now();
const cpu = process.cpuUsage();
await using lane = await createLane({ directory, log: silentLog });
const openMs = performance.now() - startedMs;
const { user, system } = process.cpuUsage(cpu);
for (const text of texts) await lane.search({ tenant, text, limit: 40, isTyping: true });
const bytes = (await resident()) - before;
process.stdout.write(
  `${JSON.stringify({ openMs, cpuMs: (user + system) / 1_000, chunks: lane.state().chunks, bytes })}\n`,
);
