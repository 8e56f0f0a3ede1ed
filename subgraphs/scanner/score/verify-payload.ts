import { type Digest, sha256 } from '@landfall/kernel/crypto/digest';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { mapInSteps, type Steps } from '../shared/steps.ts';
import { asRefusal } from './checks.ts';
import { closed, digest, instant, parseLongCanonical, refuse } from './document.ts';
import { type Finding, findingSchema } from './finding.ts';
import { inputSchema, type Manifest } from './manifest.ts';
import { policySchema } from './policy.ts';
import { type FrozenScan, type Replay, replaySteps } from './replay.ts';
import { coverageSchema } from './scan-score.ts';
import type { ClaimedLedger } from './verify-ledger.ts';

/** Canonical input that a caller sends, and the hash that it expects. */
interface ExpectedInput {
  readonly expectedCanonicalInputHash?: string | undefined;
  readonly canonicalInputPayload?: string | undefined;
}

const scoreInput = Compile(
  Type.Object(
    {
      '@type': Type.Literal('score-input/v1'),
      coverage: coverageSchema,
      // Each is checked in a step of its own.
      findings: Type.Array(Type.Unknown()),
      freezeTimestamp: instant,
      inputs: Type.Array(inputSchema),
      manifestHash: digest,
      policy: policySchema,
    },
    closed,
  ),
);

const scoredFinding = Compile(findingSchema);
const isFinding = (value: unknown): value is Finding => scoredFinding.Check(value);

/** Parses a canonical input. Throws InvalidDocument `payload-not-canonical`. */
export function* parsePayload(payload: string): Steps<unknown> {
  return (yield* parseLongCanonical(payload, 'payload-not-canonical', 'findings')).value;
}

/** Checks that a ledger was made from the input that a caller expects. Throws InvalidDocument. */
export const checkInputHash = (canonicalInputHash: Digest | null, expected: ExpectedInput): void => {
  const { canonicalInputPayload: payload, expectedCanonicalInputHash: hash } = expected;
  if (payload !== undefined && sha256(payload) !== canonicalInputHash)
    refuse('payload-hash', 'The ledger was made from another input.');
  if (hash !== undefined && hash !== canonicalInputHash)
    refuse('input-hash-unexpected', `The ledger’s input is ${canonicalInputHash}.`);
};

/** Canonical input as text, and parsed. */
interface ParsedPayload {
  readonly text: string;
  readonly value: unknown;
}

function* replayOrRefuse(scan: FrozenScan): Steps<Replay> {
  try {
    return yield* replaySteps(scan);
  } catch (error) {
    return asRefusal('payload-refused', error);
  }
}

/** Scores the canonical input again, and compares every node with the ledger. Throws InvalidDocument. */
export function* checkAgain(
  { text, value: input }: ParsedPayload,
  manifest: Manifest,
  { nodeTexts }: ClaimedLedger,
): Steps<void> {
  if (!scoreInput.Check(input)) return refuse('payload-malformed', 'It is not the input of a score.');
  const { coverage, freezeTimestamp, policy } = input;
  const findings = yield* mapInSteps(input.findings, (finding) =>
    isFinding(finding) ? finding : refuse('payload-malformed', 'It is not the input of a score.'),
  );
  const again = yield* replayOrRefuse({ manifest, coverage, findings, freezeTimestamp, policy });
  // An age, order or manifest of its own would be lost in the replay.
  if (again.canonicalInputPayload !== text) refuse('payload-refused', 'It is not the input that its manifest gives.');
  const at = again.nodes.findIndex((node, index) => node !== nodeTexts[index]);
  if (at >= 0) refuse('node-mismatch', `Node ${at} is not what the model computes from the input.`);
}
