import { defineSettings, type Settings } from '@landfall/kernel/system/settings';

export const scannerSettings = defineSettings({
  maxScanAttempts: {
    type: 'integer',
    default: 3,
    min: 1,
    max: 20,
    env: 'SCANQUEUE__MAXATTEMPTS',
    name: 'ScanQueue:MaxAttempts',
    description:
      'Attempts after which a scan fails whose process ended, stopped or lost the database each time. They are 5 minutes apart, then 10, and so on. Rescoring a scan is given up after as many until its inputs change again.',
  },
  callGraphCacheUrl: {
    type: 'url',
    schemes: ['redis', 'rediss'],
    secret: true,
    env: 'CALLGRAPHCACHE__URL',
    name: 'CallGraphCache:Url',
    description:
      'Server of the Redis protocol, such as Valkey, that caches stored call graphs for an hour: `redis://cache:6379`, with TLS `rediss://user:password@cache:6380/1`. Unset, or while it fails, they are read from the database.',
  },
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
  feedChangeRescore: {
    type: 'boolean',
    default: true,
    env: 'FEEDCHANGERESCORE__ENABLED',
    name: 'FeedChangeRescore:Enabled',
    description: 'Whether scans are scored again when feeds, VEX or the policy change.',
  },
  rescoreCheckIntervalMs: {
    type: 'duration',
    default: '15m',
    env: 'FEEDCHANGERESCORE__CHECKINTERVAL',
    name: 'FeedChangeRescore:CheckInterval',
    description: 'Pause between two looks for changed feeds, at least 1s; also as `00:15:00`.',
  },
  maxScansPerCycle: {
    type: 'integer',
    default: 100,
    min: 1,
    max: 100_000,
    env: 'FEEDCHANGERESCORE__MAXSCANSPERCYCLE',
    name: 'FeedChangeRescore:MaxScansPerCycle',
    description: 'Scans that are rescored after one look; the others wait for the next.',
  },
  scanAgeLimitMs: {
    type: 'duration',
    default: '7d',
    env: 'FEEDCHANGERESCORE__SCANAGELIMIT',
    name: 'FeedChangeRescore:ScanAgeLimit',
    description: 'Age after which a scan is rescored only while its image runs; also as `7.00:00:00`.',
  },
  rescoreConcurrency: {
    type: 'integer',
    default: 4,
    min: 1,
    max: 64,
    env: 'FEEDCHANGERESCORE__RESCORECONCURRENCY',
    name: 'FeedChangeRescore:RescoreConcurrency',
    description: 'Scans that are rescored at a time.',
  },
});

export type ScannerSettings = Settings<typeof scannerSettings>;

/** Checks what one setting cannot. Throws an Error that names the setting and what it must be. */
export const checkScannerSettings = ({ rescoreCheckIntervalMs, scanAgeLimitMs }: ScannerSettings): void => {
  if (rescoreCheckIntervalMs < 1_000) throw new Error('FeedChangeRescore:CheckInterval must be at least 1s.');
  if (scanAgeLimitMs < 1_000) throw new Error('FeedChangeRescore:ScanAgeLimit must be at least 1s.');
};
