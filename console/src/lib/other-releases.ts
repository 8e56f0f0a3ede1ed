/** States in which a target is not counted. */
const EXCLUDED_STATES: ReadonlySet<string> = new Set(['DRAINING', 'DISABLED']);

/** Releases that targets carry beside the current one of their product: `n` of `of` targets run `what`. */
export function otherReleases({
  releases,
  targets,
  products,
}: {
  readonly releases: readonly {
    readonly release: { readonly id: string; readonly name: string; readonly semver: string };
    readonly targets: number;
  }[];
  readonly targets: readonly { readonly state: string; readonly product: { readonly name: string } | null }[];
  readonly products: readonly {
    readonly currentDeployment: { readonly release: { readonly id: string } } | null;
  }[];
}) {
  const current = new Set(products.map(({ currentDeployment }) => currentDeployment?.release.id));
  return releases
    .filter(({ release }) => !current.has(release.id))
    .map(({ release: { id, name, semver }, targets: n }) => {
      // A target without a product may be of any.
      const among = targets.filter(
        ({ state, product }) => !EXCLUDED_STATES.has(state) && (product?.name ?? name) === name,
      );
      return { id, n, of: among.length, what: `${name} ${semver}` };
    });
}
