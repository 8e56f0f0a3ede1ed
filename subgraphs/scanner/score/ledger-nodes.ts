import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { mapInSteps, type Steps } from '../shared/steps.ts';
import { closed, count, digest, instant, name, nullable, ppm, refuse } from './document.ts';
import { AGGREGATE_METHOD, FIXED_NODES, MODEL } from './ledger.ts';
import { MILLION } from './ppm.ts';
import { coverageSchema } from './scan-score.ts';

/** Form of a ledger that comes from a bundle (proofs 3). */

const weighted = Type.Integer({ minimum: -MILLION, maximum: MILLION });

const header = Type.Object(
  {
    '@type': Type.Literal('header'),
    canonicalInputHash: digest,
    coverage: coverageSchema,
    freezeTimestamp: instant,
    index: count,
    manifestDigest: digest,
    manifestHash: digest,
    model: Type.Literal(MODEL),
    nodeCount: count,
    seedHex: name,
  },
  closed,
);

const finding = Type.Object(
  {
    '@type': Type.Literal('finding'),
    class: Type.Enum(['vulnerability', 'informational']),
    factors: Type.Array(Type.Object({ name, raw: ppm, weight: ppm, weighted }, closed)),
    findingId: name,
    index: count,
    score: ppm,
  },
  closed,
);

const aggregate = Type.Object(
  {
    '@type': Type.Literal('aggregate'),
    index: count,
    method: Type.Literal(AGGREGATE_METHOD),
    order: Type.Array(name),
    score: nullable(ppm),
    tail: nullable(ppm),
    top: nullable(name),
  },
  closed,
);

const result = Type.Object(
  {
    '@type': Type.Literal('result'),
    index: count,
    score: nullable(ppm),
    status: Type.Enum(['scored', 'notEvaluated']),
  },
  closed,
);

const validators = {
  header: Compile(header),
  finding: Compile(finding),
  aggregate: Compile(aggregate),
  result: Compile(result),
};

export type FindingNode = Static<typeof finding>;

/** Nodes of a ledger by their type. */
export interface LedgerNodes {
  readonly header: Static<typeof header>;
  /** Not validated: each is compared with the manifest. */
  readonly inputs: readonly unknown[];
  readonly findings: readonly FindingNode[];
  readonly aggregate: Static<typeof aggregate>;
  readonly result: Static<typeof result>;
}

const validatedNode = <Node extends { readonly index: number }>(
  validator: { Check(value: unknown): value is Node },
  node: unknown,
  at: number,
): Node => {
  if (!validator.Check(node)) refuse('ledger-sequence', `Node ${at} has another type or form.`);
  if (node.index !== at) refuse('ledger-sequence', `Node ${at} has the index ${node.index}.`);
  return node;
};

/** Validates the form and the order of a ledger's nodes, of which `inputCount` are inputs. Throws InvalidDocument. */
export function* parseNodes(nodes: readonly unknown[], inputCount: number): Steps<LedgerNodes> {
  const last = nodes.length - 1;
  const firstFinding = 1 + inputCount;
  if (nodes.length < inputCount + FIXED_NODES)
    refuse('ledger-sequence', `There are ${nodes.length} nodes for ${inputCount} inputs.`);
  const validatedHeader = validatedNode(validators.header, nodes[0], 0);
  const findings = yield* mapInSteps(nodes.slice(firstFinding, last - 1), (node, at) =>
    validatedNode(validators.finding, node, firstFinding + at),
  );
  return {
    header: validatedHeader,
    inputs: nodes.slice(1, firstFinding),
    findings,
    aggregate: validatedNode(validators.aggregate, nodes[last - 1], last - 1),
    result: validatedNode(validators.result, nodes[last], last),
  };
}
