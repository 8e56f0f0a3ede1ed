import { type Digest, sha256 } from '@landfall/kernel/crypto/digest';
import { canonicalJson } from '@landfall/kernel/crypto/jcs';
import { inSteps, mapInSteps, runAtOnce, runInTurns, type Steps } from '../shared/steps.ts';
import { compareBytes, orderedJson, refuse } from './document.ts';
import { checkFinding, evidenceAges, type Finding, type FrozenFinding, orderedFinding } from './finding.ts';
import { buildLedger, type Ledger, orderedCoverage, type ScoreInput } from './ledger.ts';
import { type Manifest, parseManifest } from './manifest.ts';
import { type Policy, parsePolicy } from './policy.ts';
import { type Coverage, checkCoverage } from './scan-score.ts';
import { type VexDocument, vexSetHash } from './vex-set.ts';

/** Frozen state of a scan, and the time for which it is scored. */
export interface FrozenScan {
  readonly manifest: Manifest;
  /** In any order. */
  readonly findings: readonly FrozenFinding[];
  readonly coverage: Coverage;
  /** RFC 3339 in UTC with whole seconds. */
  readonly freezeTimestamp: string;
  readonly policy: Policy;
  /** Documents of the manifest's `vex` input; undefined where only their hash is known. */
  readonly vexDocuments?: readonly VexDocument[] | undefined;
}

/** Score of a scan with everything that proves it. Equal inputs give equal values in every field. */
export interface Replay extends Ledger {
  readonly scan: Omit<FrozenScan, 'findings'>;
  /** Findings with the age of their evidence, in the order of their ids. */
  readonly findings: readonly Finding[];
  /** Canonical JSON of the manifest, the bytes of `manifest.json`. */
  readonly manifestText: string;
  readonly manifestDigest: Digest;
  readonly canonicalInputPayload: string;
  readonly canonicalInputHash: Digest;
}

function* checkedFindings(scan: FrozenScan): Steps<Finding[]> {
  const { manifest, policy, vexDocuments } = scan;
  const ageOf = evidenceAges(manifest.inputs, scan.freezeTimestamp);
  const ordered = yield* mapInSteps(scan.findings, (finding) => orderedFinding(finding, ageOf(finding.advisoryFeed)));
  const findings = ordered.sort((a, b) => compareBytes(a.findingId, b.findingId));
  yield* inSteps(findings, (finding, at) => {
    checkFinding(finding, { policy, vexDocuments });
    if (finding.findingId === findings[at - 1]?.findingId)
      refuse('finding-duplicate', `Finding ${finding.findingId} is there twice.`);
  });
  return findings;
}

const checkVexSet = ({ inputs }: Manifest, documents: readonly VexDocument[]): void => {
  if (inputs.find(({ role }) => role === 'vex')?.hash !== vexSetHash(documents))
    refuse('vex-set', 'The manifest pins another set of VEX documents.');
};

/** Canonical JSON of the input (proofs 2.5). The scan’s id is not in it, so that equal inputs have equal hashes. */
function* payloadOf(input: ScoreInput): Steps<string> {
  const { coverage, findings, freezeTimestamp, inputs, manifestHash, policy } = input;
  const head = orderedJson({ '@type': 'score-input/v1', coverage: orderedCoverage(coverage) });
  const listed = yield* mapInSteps(findings, orderedJson);
  const tail = canonicalJson({ freezeTimestamp, inputs, manifestHash, policy });
  return `${head.slice(0, -1)},"findings":[${listed.join()}],${tail.slice(1)}`;
}

/** Scores a frozen scan as `replay` does, in steps. */
export function* replaySteps(scan: FrozenScan): Steps<Replay> {
  const { coverage, freezeTimestamp, vexDocuments } = scan;
  const manifest = parseManifest(scan.manifest);
  const policy = parsePolicy(scan.policy);
  if (vexDocuments) checkVexSet(manifest, vexDocuments);
  checkCoverage(coverage, scan.findings.length);
  const findings = yield* checkedFindings(scan);
  const { inputs, manifestHash } = manifest;
  const input = { coverage, findings, freezeTimestamp, inputs, manifestHash, policy };
  const canonicalInputPayload = yield* payloadOf(input);
  const manifestText = canonicalJson(manifest);
  const binding = { canonicalInputHash: sha256(canonicalInputPayload), manifestDigest: sha256(manifestText) };
  const ledger = yield* buildLedger(input, binding);
  return { ...ledger, ...binding, scan, findings, manifestText, canonicalInputPayload };
}

/**
 * Scores a frozen scan: the same input gives the same bytes on every machine.
 * @throws InvalidDocument for an input that breaks a rule of proofs 1 and 2.1
 * @throws Fault VAL_INVALID_VALUE for a wrong policy, VAL_INVALID_JSON for an unpaired surrogate
 */
export const replay = (scan: FrozenScan): Replay => runAtOnce(replaySteps(scan));

/** Scores a frozen scan as `replay` does, with other work of the process between its steps. */
export const replayInTurns = (scan: FrozenScan): Promise<Replay> => runInTurns(replaySteps(scan));
