import type { SealPreflightQuery } from '../../generated/operations.ts';

export type Destination = SealPreflightQuery['sealPreflight']['destinations'][number];

/** Destinations of a feature, those that would break first. */
type FeatureDestinations = {
  readonly feature: string;
  readonly breaking: number;
  readonly destinations: readonly Destination[];
};

/** Destinations of a preflight by feature, those with the most that would break first. */
export function byFeature(destinations: readonly Destination[]): readonly FeatureDestinations[] {
  const groups = Map.groupBy(destinations, ({ feature }) => feature);
  return [...groups]
    .map(([feature, members]) => ({
      feature,
      breaking: members.filter(({ allowed }) => !allowed).length,
      destinations: members.toSorted((a, b) => Number(a.allowed) - Number(b.allowed)),
    }))
    .toSorted((a, b) => b.breaking - a.breaking || a.feature.localeCompare(b.feature));
}

/** Host and port as people write them; IPv6 in brackets, `*` where a record stands for many. */
export const address = ({ host, port }: { readonly host: string; readonly port: number }): string =>
  port === 0 ? host : `${host.includes(':') ? `[${host}]` : host}:${port}`;
