import type { Resolvers } from '../generated.ts';
import { manifestDocument } from '../manifests/manifests.ts';
import { manifestHashes } from '../score/manifest.ts';
import { scoreFields } from './score-fields.ts';

export const replayResolvers = {
  Mutation: {
    replayScore: (_, { input }, { caller, replays }) => replays.replay(caller, input),
    verifyScore: (_, { input }, { caller, proofs }) => proofs.verify(caller, input),
  },
  Scan: {
    manifest: async ({ id }, _args, { loaders }) => (await loaders.manifests(id))[0] ?? null,
    scoreHistory: ({ id }, _args, { loaders }) => loaders.freezes(id),
    replays: ({ id }, _args, { loaders }) => loaders.replays(id),
    proofs: ({ id }, _args, { loaders }) => loaders.proofs(id),
  },
  ScanManifest: {
    document: ({ manifest }) => manifest,
    sbomHash: (stored) => manifestHashes(manifestDocument(stored)).sbomHash,
    rulesHash: (stored) => manifestHashes(manifestDocument(stored)).rulesHash,
    feedHash: (stored) => manifestHashes(manifestDocument(stored)).feedHash,
    policyHash: (stored) => manifestHashes(manifestDocument(stored)).policyHash,
  },
  ScanFreeze: {
    number: ({ freezeNumber }) => freezeNumber,
    at: ({ createdAt }) => createdAt,
    score: ({ scorePpm }) => (scorePpm === null ? null : scorePpm / 1_000_000),
  },
  ScoreReplay: {
    score: (replay) => scoreFields(replay).score,
    factors: (replay) => scoreFields(replay).factors,
  },
  ScoreReplayResult: {
    score: (replay) => scoreFields(replay).score,
    factors: (replay) => scoreFields(replay).factors,
    bundleUri: ({ bundlePath }) => bundlePath,
  },
} satisfies Resolvers;
