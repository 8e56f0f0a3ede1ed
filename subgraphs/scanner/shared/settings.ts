import { defineSettings, type Settings } from '@landfall/kernel/system/settings';

export const scannerSettings = defineSettings({
  scoreReplay: {
    type: 'boolean',
    default: false,
    env: 'SCOREREPLAY__ENABLED',
    name: 'ScoreReplay:Enabled',
    description: 'Whether scores can be replayed; otherwise the score routes answer 404.',
  },
  contentAddressedBundles: {
    type: 'boolean',
    default: true,
    env: 'SCOREREPLAY__CONTENTADDRESSEDBUNDLES',
    name: 'ScoreReplay:ContentAddressedBundles',
    description:
      'Whether a proof bundle’s file name has the root hash; otherwise a later bundle of a scan replaces it.',
  },
  proofsDirectory: {
    type: 'string',
    env: 'SCOREREPLAY__PROOFSPATH',
    name: 'ScoreReplay:ProofsPath',
    description:
      'Directory of proof bundles; unset, `proofs` in the data directory. The container image sets `/var/lib/landfall/proofs`.',
  },
  scoreHistory: {
    type: 'string',
    oneOf: ['memory', 'postgres'],
    default: 'memory',
    env: 'SCOREREPLAY__HISTORY',
    name: 'ScoreReplay:History',
    description: 'Source of the score history on REST: replays of this process, or of all processes and restarts.',
  },
});

export type ScannerSettings = Settings<typeof scannerSettings>;
