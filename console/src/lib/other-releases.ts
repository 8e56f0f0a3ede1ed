/** States in which a target is not counted. */
const ASIDE: ReadonlySet<string> = new Set(['DRAINING', 'DISABLED']);

/** Releases that targets carry beside the current one: `n` of `of` targets run `what`. */
export function otherReleases({
  releases,
  targets,
  currentDeployment,
}: {
  readonly releases: readonly {
    readonly release: { readonly id: string; readonly name: string; readonly semver: string };
    readonly targets: number;
  }[];
  readonly targets: readonly { readonly state: string }[];
  readonly currentDeployment: { readonly release: { readonly id: string } } | null;
}) {
  const of = targets.filter(({ state }) => !ASIDE.has(state)).length;
  return releases
    .filter(({ release }) => release.id !== currentDeployment?.release.id)
    .map(({ release: { id, name, semver }, targets: n }) => ({ id, n, of, what: `${name} ${semver}` }));
}
