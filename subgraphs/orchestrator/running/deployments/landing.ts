import { platformDigestFor } from '@landfall/agent/protocol/platform';
import { oneOf } from '@landfall/kernel/operation/input';
import Type, { type Static } from 'typebox';

const verdict = oneOf('verified', 'mismatch', 'unverified');
export type Verdict = Static<typeof verdict>;

const digest = Type.Union([Type.String(), Type.Null()]);
const judgement = {
  verdict,
  gatedDigest: Type.String(),
  /** Digest of the fetched document, as the agent hashed it. */
  manifestDigest: digest,
  observedDigest: digest,
};
const componentVerdict = Type.Object({ name: Type.String(), ...judgement });
type ComponentVerdict = Static<typeof componentVerdict>;

/** Agent's report about one component after the task. */
export type LandedComponent = Omit<ComponentVerdict, 'verdict'>;

/** Landing of a release on one target, as stored. */
export const landingDocument = Type.Object({ ...judgement, components: Type.Array(componentVerdict) });
export type Landing = Static<typeof landingDocument>;

/** Component as recorded by finalize: the gated digest, and the platform manifests of an image index. */
export interface GatedComponent {
  readonly name: string;
  readonly digest: string;
  readonly platforms: readonly { readonly platform: string; readonly digest: string }[];
}

const WORST: readonly Verdict[] = ['mismatch', 'unverified', 'verified'];

/** Returns the worst of several verdicts; unverified for none. */
export const worst = (verdicts: readonly Verdict[]): Verdict =>
  WORST.find((verdict) => verdicts.includes(verdict)) ?? 'unverified';

/** Digest that may run on `platform`: the gated one, or that of the platform's manifest in an index. */
const mayRun = ({ digest, platforms }: GatedComponent, platform: string | undefined): string | undefined => {
  if (platforms.length === 0) return digest;
  const children = Object.fromEntries(platforms.map((child) => [child.platform, child.digest]));
  return platform === undefined ? undefined : platformDigestFor(children, platform);
};

const judge = (
  gated: GatedComponent,
  landed: LandedComponent | undefined,
  platform: string | undefined,
): ComponentVerdict => {
  const manifestDigest = landed?.manifestDigest ?? null;
  const observedDigest = landed?.observedDigest ?? null;
  const isForeign =
    (manifestDigest !== null && manifestDigest !== gated.digest) ||
    (observedDigest !== null && observedDigest !== mayRun(gated, platform));
  const isComplete = manifestDigest !== null && observedDigest !== null;
  const verdict = isForeign ? 'mismatch' : isComplete ? 'verified' : 'unverified';
  return { name: gated.name, verdict, gatedDigest: gated.digest, manifestDigest, observedDigest };
};

/**
 * Judges one target over all components (spec 3, rulings 26 and 50). The worst component decides, and its digests are
 * reported. A component without a report is unverified.
 * @param platform platform that the agent registered with, `os/architecture`
 */
export const judgeTarget = (
  gated: readonly GatedComponent[],
  landed: readonly LandedComponent[],
  platform: string | undefined,
): Landing | undefined => {
  const components = gated.map((component) =>
    judge(
      component,
      landed.find(({ name }) => name === component.name),
      platform,
    ),
  );
  const verdict = worst(components.map((component) => component.verdict));
  const top = components.find((component) => component.verdict === verdict);
  if (!top) return undefined;
  const { name: _name, ...digests } = top;
  return { ...digests, components };
};
