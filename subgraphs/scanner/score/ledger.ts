import { type Digest, sha256Hex } from '@landfall/kernel/crypto/digest';
import { leafHash, rootOf } from '@landfall/kernel/crypto/merkle';
import { inSteps, mapInSteps, runAtOnce, type Steps } from '../shared/steps.ts';
import { orderedJson } from './document.ts';
import type { Finding } from './finding.ts';
import { type FindingScore, scoreFinding } from './finding-score.ts';
import type { ManifestInput } from './manifest.ts';
import type { Policy } from './policy.ts';
import { type Coverage, type ScanScore, type ScoredFinding, scoreScan, statusOf } from './scan-score.ts';

export const MODEL = 'score-model/v1';
export const AGGREGATE_METHOD = 'noisy-or-tail/v1';

/** Nodes besides inputs and findings: header, aggregate and result. */
export const FIXED_NODES = 3;

/** Input of the score model, validated, its findings in the order of their ids (proofs 2.5). */
export interface ScoreInput {
  readonly coverage: Coverage;
  readonly findings: readonly Finding[];
  readonly freezeTimestamp: string;
  readonly inputs: readonly ManifestInput[];
  readonly manifestHash: Digest;
  readonly policy: Policy;
}

/** Digests that the header binds the ledger to. */
interface LedgerBinding {
  readonly canonicalInputHash: Digest;
  readonly manifestDigest: Digest;
}

/** Ledger of a score (proofs 3). */
export interface Ledger extends ScanScore {
  /** Canonical JSON of each node. */
  readonly nodes: readonly string[];
  readonly rootHash: Digest;
  readonly seedHex: string;
  /** Scores by the finding's id. */
  readonly findingScores: ReadonlyMap<string, FindingScore>;
}

/** Seed for models that sample; this one does not, and binds it all the same. */
export const seedOf = (canonicalInputHash: Digest): string =>
  sha256Hex('score-seed/v1\n', Buffer.from(canonicalInputHash.slice('sha256:'.length), 'hex'));

/** Leaves whose root is computed in one step. A power of two, so that they are a subtree of the whole (RFC 9162 2.1). */
const SUBTREE = 1_024;

/** The tag separates this tree from all others. */
const leafOf = (node: string): Buffer => leafHash(Buffer.from(`score-ledger-node/v1\n${node}`));

/** Merkle root of a ledger's nodes, each a canonical JSON text. */
export function* ledgerRootSteps(nodes: readonly string[]): Steps<Digest> {
  const leaves = yield* mapInSteps(nodes, leafOf);
  const subtrees: Buffer[] = [];
  for (let at = 0; at < leaves.length; at += SUBTREE) {
    subtrees.push(rootOf(leaves.slice(at, at + SUBTREE)));
    yield;
  }
  return `sha256:${rootOf(subtrees).toString('hex')}`;
}

/** Merkle root of a ledger's nodes at once. */
export const ledgerRoot = (nodes: readonly string[]): Digest => runAtOnce(ledgerRootSteps(nodes));

/** Texts of the input nodes, which follow the header in the manifest's order. */
export const inputNodes = (inputs: readonly ManifestInput[]): string[] =>
  inputs.map(({ hash, publishedAt, role }, at) =>
    orderedJson({ '@type': 'input', hash, index: at + 1, publishedAt, role }),
  );

const headerNode = (input: ScoreInput, { canonicalInputHash, manifestDigest }: LedgerBinding): string =>
  orderedJson({
    '@type': 'header',
    canonicalInputHash,
    coverage: orderedCoverage(input.coverage),
    freezeTimestamp: input.freezeTimestamp,
    index: 0,
    manifestDigest,
    manifestHash: input.manifestHash,
    model: MODEL,
    nodeCount: input.inputs.length + input.findings.length + FIXED_NODES,
    seedHex: seedOf(canonicalInputHash),
  });

/** Coverage whose members are in the order of their names. */
export const orderedCoverage = ({
  badVersion,
  components,
  evaluated,
  noPurl,
  unknownEcosystem,
}: Coverage): Coverage => ({
  badVersion,
  components,
  evaluated,
  noPurl,
  unknownEcosystem,
});

/**
 * Scores findings and builds the ledger. Its objects have their members in the order of their names, so that the
 * engine's JSON is canonical.
 */
export function* buildLedger(input: ScoreInput, binding: LedgerBinding): Steps<Ledger> {
  const { coverage, findings, inputs, policy } = input;
  const nodes = [headerNode(input, binding), ...inputNodes(inputs)];
  const findingScores = new Map<string, FindingScore>();
  const counted: ScoredFinding[] = [];
  yield* inSteps(findings, (finding) => {
    const { class: kind, findingId } = finding;
    const scored = scoreFinding(finding, policy);
    const { score, factors } = scored;
    nodes.push(orderedJson({ '@type': 'finding', class: kind, factors, findingId, index: nodes.length, score }));
    findingScores.set(findingId, scored);
    if (kind === 'vulnerability') counted.push({ findingId, score });
  });
  const scan = scoreScan(counted, coverage, policy);
  const { order, score, tail, top } = scan;
  const method = AGGREGATE_METHOD;
  nodes.push(orderedJson({ '@type': 'aggregate', index: nodes.length, method, order, score, tail, top }));
  nodes.push(orderedJson({ '@type': 'result', index: nodes.length, score, status: statusOf(coverage) }));
  const rootHash = yield* ledgerRootSteps(nodes);
  return { ...scan, nodes, rootHash, seedHex: seedOf(binding.canonicalInputHash), findingScores };
}
