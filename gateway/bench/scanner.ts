// Replays of a frozen scan in a second of one processor: score, ledger and Merkle root, by the one path that there is. Then
// questions over large feeds.

import { generatedFindings, replay, scanWith } from '@landfall/scanner/testing/parts';
import { createReport } from './figure.ts';
import { measureFeeds } from './scanner-feeds.ts';
import { median } from './statistics.ts';

const ROUNDS = 9;
/** Findings that are scored in a round, so that a round takes about as long for a large scan as for a small one. */
const FINDINGS = 10_000;

const { tell } = createReport('scanner');

/** Replays in a second of processor time: the median of several rounds, of which the first warms up. */
const rateOf = (findings: number): number => {
  const scan = scanWith(generatedFindings(findings));
  const calls = FINDINGS / findings;
  const rounds: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const before = process.cpuUsage();
    for (let call = 0; call < calls; call++) replay(scan);
    const { user, system } = process.cpuUsage(before);
    rounds.push(calls / ((user + system) / 1_000_000));
  }
  return median(rounds.slice(1));
};

tell('replays, 20 findings', rateOf(20), 'replays/CPU s', { atLeast: 1_000 });
tell('replays, 200 findings', rateOf(200), 'replays/CPU s', { atLeast: 150 });
await measureFeeds(tell);
