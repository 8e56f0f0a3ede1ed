import Type, { type Static, type TSchema } from 'typebox';
import { Compile } from 'typebox/compile';

/** Facts of each kind, accumulated from events in search.subjects and rebuilt from them, so their shape may change. */

const text = Type.String();
const texts = Type.Array(text);
const maybe = <S extends TSchema>(schema: S) => Type.Optional(schema);

/** Line of a timeline: time, text, actor id, and a suffix. The actor's name is resolved when the document is built. */
const line = Type.Object({ at: text, text, by: maybe(text), more: maybe(text) });
export type Line = Static<typeof line>;

const lines = Type.Array(line);

/** Name of a person or client, and whether the account is active. */
const actorShape = Type.Object({ name: text, isActive: Type.Boolean() });

const component = Type.Object({
  name: text,
  repository: text,
  tag: text,
  digest: Type.Union([text, Type.Null()]),
});

const failure = Type.Object({
  category: text,
  reason: text,
  stage: maybe(text),
  plainReason: maybe(text),
  action: maybe(text),
});

const schemas = {
  Release: Type.Object({
    name: text,
    semver: text,
    notes: maybe(text),
    status: text,
    hold: maybe(text),
    components: Type.Array(component),
    gatedDigestSet: maybe(text),
    evidence: texts,
    /** Target to environment: where it was put last, and nothing else since. */
    landed: Type.Record(text, text),
    at: text,
    story: lines,
    decisions: lines,
  }),
  Promotion: Type.Object({
    releaseId: text,
    environmentId: text,
    reason: text,
    state: text,
    at: text,
    story: lines,
    decisions: lines,
  }),
  Deployment: Type.Object({
    kind: text,
    promotionId: maybe(text),
    releaseId: text,
    environmentId: text,
    strategy: maybe(text),
    state: text,
    reason: maybe(text),
    retryOf: maybe(text),
    undoes: maybe(text),
    restores: maybe(text),
    failure: maybe(failure),
    isAttested: Type.Boolean(),
    at: text,
    story: lines,
    decisions: lines,
  }),
  Product: Type.Object({
    name: text,
    description: maybe(text),
    ownerGroups: texts,
    components: texts,
    labels: maybe(Type.Record(text, text)),
    /** Environments of its steps; empty for the environments of the tenant. */
    path: texts,
    at: text,
  }),
  Environment: Type.Object({
    name: text,
    stageKind: maybe(text),
    requiredApprovals: maybe(Type.Integer()),
    separationOfDuties: maybe(text),
    requiredEvidence: texts,
    defaultStrategy: maybe(text),
    targets: texts,
    at: text,
    story: lines,
  }),
  Target: Type.Object({
    name: text,
    driver: text,
    environmentId: text,
    agentId: maybe(text),
    isEnabled: Type.Boolean(),
    health: text,
    healthDetail: maybe(text),
    landed: maybe(Type.Object({ releaseId: text, deploymentId: text, at: text })),
    /** Component to the digest that its agent saw last. */
    observed: Type.Record(text, text),
    /** Components that run something else than was approved. */
    drift: texts,
    at: text,
  }),
  Agent: Type.Object({ name: text, state: text, targets: texts, at: text, decisions: lines }),
  Integration: Type.Object({ name: text, kind: text, address: text, isWell: maybe(Type.Boolean()), at: text }),
  Deviation: Type.Object({
    targetId: text,
    /** Name of the target, for after its removal. */
    place: text,
    environmentId: maybe(text),
    component: text,
    digest: text,
    reason: text,
    expiresAt: text,
    isRevoked: Type.Boolean(),
    by: maybe(text),
    at: text,
  }),
  Scan: Type.Object({
    imageDigest: text,
    image: maybe(text),
    releaseId: maybe(text),
    state: text,
    score: maybe(Type.Number()),
    rootHash: maybe(text),
    error: maybe(text),
    severities: Type.Record(text, Type.Integer()),
    suppressedCount: maybe(Type.Integer()),
    at: text,
  }),
  Finding: Type.Object({
    scanId: text,
    imageDigest: text,
    image: maybe(text),
    purl: text,
    vulnId: text,
    aliases: texts,
    title: maybe(text),
    severity: maybe(text),
    cvss: maybe(Type.Number()),
    epss: maybe(Type.Number()),
    kev: maybe(Type.Boolean()),
    reachability: maybe(text),
    exposure: maybe(text),
    vex: maybe(text),
    fixedVersion: maybe(text),
    suppressed: maybe(Type.Boolean()),
    at: text,
  }),
  /** Current scan by image digest. */
  Image: Type.Object({ scanId: text }),
  User: actorShape,
  Client: actorShape,
} as const;

export type Kind = keyof typeof schemas;

export type FactsOf<K extends Kind> = Static<(typeof schemas)[K]>;

export const isKind = (word: string): word is Kind => Object.hasOwn(schemas, word);
export const KINDS: readonly Kind[] = Object.keys(schemas).filter(isKind);

const readers = new Map<Kind, (value: unknown) => boolean>(
  KINDS.map((kind) => {
    const validator = Compile(schemas[kind]);
    return [kind, (value) => validator.Check(value)];
  }),
);

/** Whether a row has the current shape; older shapes are ignored. */
export const isFactsOf = <K extends Kind>(kind: K, value: unknown): value is FactsOf<K> =>
  readers.get(kind)?.(value) ?? false;
