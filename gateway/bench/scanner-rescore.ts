// Rescoring of a hundred scans of twenty findings each after EPSS and KEV changed, over a real PostgreSQL: processor time
// of the process, from the marking of the scans to the last commit.
import { rescoreBench } from '@landfall/scanner/testing/parts';
import { createReport } from './figure.ts';
import { median } from './statistics.ts';

const ROUNDS = 5;
const SCANS = 100;
const FINDINGS = 20;

const { tell } = createReport('scanner');

await using bench = await rescoreBench({ scans: SCANS, findings: FINDINGS });
const rounds: number[] = [];
// The first round warms up.
for (let round = 0; round <= ROUNDS; round++) {
  await bench.changeFeeds();
  const before = process.cpuUsage();
  const rescored = await bench.rescore();
  const { user, system } = process.cpuUsage(before);
  if (rescored !== SCANS) throw new Error(`${rescored} of ${SCANS} scans were rescored`);
  rounds.push((user + system) / 1_000_000);
}
tell('rescoring 100 scans', median(rounds.slice(1)), 'CPU-s', { atMost: 2 });
