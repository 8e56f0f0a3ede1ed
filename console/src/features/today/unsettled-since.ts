interface Unsettled {
  readonly createdAt: string;
  readonly releases: readonly { readonly release: { readonly id: string; readonly name: string } }[];
  readonly products: readonly {
    readonly state: string | null;
    readonly currentDeployment: {
      readonly completedAt: string | null;
      readonly release: { readonly id: string; readonly name: string };
    } | null;
  }[];
}

/**
 * Earliest landing after which an environment can be unsettled: of the products that drift or are unobserved, else of those
 * that targets carry another release of. Another product's landing says nothing about it.
 */
export function unsettledSince({ createdAt, products, releases }: Unsettled): string {
  const drifted = products.filter(({ state }) => state === 'DRIFT' || state === 'UNOBSERVED');
  const mixed = products.filter(({ currentDeployment: current }) =>
    releases.some(({ release }) => release.name === current?.release.name && release.id !== current.release.id),
  );
  const [first] = (drifted.length > 0 ? drifted : mixed)
    .flatMap(({ currentDeployment }) => currentDeployment?.completedAt ?? [])
    .toSorted();
  return first ?? createdAt;
}
