import type { Digest } from '@landfall/kernel/crypto/digest';
import { sha256 } from '@landfall/kernel/crypto/digest';
import { canonicalJson } from '@landfall/kernel/crypto/jcs';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { inSteps, type Steps } from '../shared/steps.ts';
import type { BundleEntries } from './bundle.ts';
import { BUNDLE_VERSION } from './bundle.ts';
import { closed, compareBytes, digest, instant, parseCanonical, parseLongCanonical, refuse } from './document.ts';
import { type Factor, floorFactor, vexFactor, WEIGHTED_FACTORS } from './finding-score.ts';
import { inputNodes, ledgerRootSteps, seedOf } from './ledger.ts';
import { type FindingNode, type LedgerNodes, parseNodes } from './ledger-nodes.ts';
import type { Manifest } from './manifest.ts';
import { MILLION, multiply } from './ppm.ts';
import { checkCoverage, combineScores, rankFindings, statusOf } from './scan-score.ts';

const createdAtUtc = instant;

const proof = Compile(Type.Object({ createdAtUtc, nodes: Type.Array(Type.Unknown()), rootHash: digest }, closed));

const meta = Compile(Type.Object({ createdAtUtc, rootHash: digest, version: Type.Literal(BUNDLE_VERSION) }, closed));

/** Ledger of a bundle whose root is computed from its nodes; nothing else of it is checked yet. */
export interface ClaimedLedger {
  readonly nodes: readonly unknown[];
  /** Canonical JSON of each node. */
  readonly nodeTexts: readonly string[];
  readonly claimedRoots: readonly Digest[];
  readonly createdAtUtc: readonly string[];
  readonly rootHash: Digest;
}

/** Reads `score_proof.json` and `meta.json`. Throws InvalidDocument `ledger-malformed`. */
export function* readLedger(entries: BundleEntries): Steps<ClaimedLedger> {
  const { value: claimed, texts: nodeTexts } = yield* parseLongCanonical(
    entries['score_proof.json'],
    'ledger-malformed',
    'nodes',
  );
  const described = parseCanonical(entries['meta.json'], 'ledger-malformed');
  if (!proof.Check(claimed)) return refuse('ledger-malformed', 'score_proof.json has another form.');
  if (!meta.Check(described)) return refuse('ledger-malformed', 'meta.json has another form.');
  return {
    nodes: claimed.nodes,
    nodeTexts,
    claimedRoots: [claimed.rootHash, described.rootHash],
    createdAtUtc: [claimed.createdAtUtc, described.createdAtUtc],
    rootHash: yield* ledgerRootSteps(nodeTexts),
  };
}

const checkHeader = ({ header }: LedgerNodes, ledger: ClaimedLedger, manifest: Manifest): void => {
  if (header.nodeCount !== ledger.nodes.length)
    refuse('ledger-sequence', `The header counts ${header.nodeCount} nodes, and there are ${ledger.nodes.length}.`);
  if (header.manifestDigest !== sha256(canonicalJson(manifest)) || header.manifestHash !== manifest.manifestHash)
    refuse('ledger-manifest', 'The ledger belongs to another manifest.');
  if (header.seedHex !== seedOf(header.canonicalInputHash))
    refuse('ledger-seed', 'The seed is not that of the canonical input.');
  if (ledger.createdAtUtc.some((time) => time !== header.freezeTimestamp))
    refuse('ledger-time', 'The bundle was created at another time than that of its ledger.');
};

/** Checks the nodes' sequence, and that header and inputs are those of the manifest. Throws InvalidDocument. */
export function* checkSequence(ledger: ClaimedLedger, manifest: Manifest): Steps<LedgerNodes> {
  const nodes = yield* parseNodes(ledger.nodes, manifest.inputs.length);
  checkHeader(nodes, ledger, manifest);
  for (const [at, text] of inputNodes(manifest.inputs).entries())
    if (text !== ledger.nodeTexts[at + 1]) refuse('ledger-manifest', `Node ${at + 1} is another input.`);
  for (const [at, { findingId }] of nodes.findings.entries()) {
    const before = nodes.findings[at - 1];
    if (before && compareBytes(before.findingId, findingId) >= 0)
      refuse('ledger-sequence', `Finding ${findingId} is out of order.`);
  }
  return nodes;
}

/** Factors that follow from the weights and raw values of others. */
const recompute = (factors: readonly Factor[]): Factor[] => {
  const recomputed: Factor[] = [];
  let sum = 0;
  for (const [at, { name, raw, weight }] of factors.entries()) {
    const weighted = WEIGHTED_FACTORS[at];
    const plain = { name: weighted ?? name, raw, weight, weighted: multiply(weight, raw) };
    const factor = weighted ? plain : at === WEIGHTED_FACTORS.length ? floorFactor(sum, raw) : vexFactor(sum, raw);
    recomputed.push(factor);
    sum += factor.weighted;
  }
  return recomputed;
};

const checkFinding = ({ class: kind, factors, findingId, score }: FindingNode): void => {
  const sum = factors.reduce((total, { weighted }) => total + weighted, 0);
  const count = kind === 'informational' ? 0 : WEIGHTED_FACTORS.length + 2;
  if (factors.length !== count || sum !== score || canonicalJson(recompute(factors)) !== canonicalJson(factors))
    refuse('finding-sum', `The factors of finding ${findingId} do not give its score.`);
};

/**
 * Checks every sum of a ledger from its own nodes. The share of further findings is in the policy and not in a node:
 * here the aggregate must be possible for some share, and the canonical input then gives it exactly.
 * @throws InvalidDocument
 */
export function* checkSums({ header, findings, aggregate, result }: LedgerNodes): Steps<void> {
  checkCoverage(header.coverage, findings.length);
  yield* inSteps(findings, checkFinding);
  const { order, score, tail, top } = aggregate;
  const ranked = rankFindings(findings.filter(({ class: kind }) => kind === 'vulnerability'));
  const counted = ranked.slice(0, Math.max(1, order.length));
  const first = counted[0];
  if (counted.map(({ findingId }) => findingId).join('\n') !== order.join('\n') || top !== (first?.findingId ?? null))
    refuse('aggregate-order', 'The findings of the aggregate are not the ones with the highest scores.');
  const status = statusOf(header.coverage);
  const isPossible =
    status === 'notEvaluated' || score === null
      ? status === 'notEvaluated' && score === null && tail === null
      : tail === score - (first?.score ?? 0) && tail >= 0 && score <= combineScores(counted, MILLION);
  if (!isPossible) refuse('aggregate-score', 'The score of the aggregate does not follow from its findings.');
  if (result.score !== score || result.status !== status)
    refuse('result-mismatch', 'The result is not that of the aggregate.');
}

/** Checks that the computed root is the one that the bundle claims. Throws InvalidDocument. */
export const checkRoot = ({ rootHash, claimedRoots }: ClaimedLedger): void => {
  if (claimedRoots.some((claimed) => claimed !== rootHash))
    refuse('root-mismatch', 'The root of the bundle is not that of its nodes.');
};
