import { rm } from 'node:fs/promises';
import type { Who } from '@landfall/kernel/core/caller';
import type { Signer } from '@landfall/kernel/crypto/signing/signer';
import type { Deps } from '@landfall/kernel/module';
import type { ReleaseTransfer } from '@landfall/kernel/operator/transfers';
import { buildKit } from '../kits/build.ts';
import type { SignedKit } from '../kits/manifest.ts';
import { createReleaseKits } from '../kits/release-build.ts';

interface GivenRelease {
  readonly caller: Who;
  readonly releases: ReleaseTransfer;
  /** Name and version. */
  readonly release: readonly [string, string];
  readonly directory: string;
  readonly signers: readonly [Signer, ...Signer[]];
  readonly sequence: number;
  /** Kit that the site has, whose content is omitted. */
  readonly previous?: SignedKit;
}

const seconds = (time: number): string => `${new Date(time).toISOString().slice(0, 19)}Z`;

/** Builds the kit of a release into a directory, as the command does. */
export const testReleaseKit = async (
  deps: Pick<Deps, 'database' | 'http' | 'ids' | 'clock'>,
  { caller, releases, release: [name, semver], directory, signers, sequence, previous }: GivenRelease,
): Promise<SignedKit> => {
  const { tenant } = caller;
  const release = await deps.database.read(tenant, (query) => releases.find(query, tenant, name, semver));
  if (!release) throw new Error(`There is no release ${name} ${semver}.`);
  const content = `${directory}.content`;
  const omitted = new Set<string>(previous?.value.components.map(({ hash }) => hash));
  const build = createReleaseKits({ ...deps, releases });
  const sources = await build({ caller, release, directory: content, trust: undefined, omitted });
  const now = deps.clock.now().getTime();
  const kit = await buildKit(
    {
      kitId: deps.ids.uuid(),
      kind: 'release',
      channel: name,
      sequence,
      previousKitDigest: previous?.digest ?? null,
      rootVersion: 1,
      createdAt: seconds(now - 60_000),
      expiresAt: seconds(now + 86_400_000),
      partSize: 65_536,
    },
    sources,
    { directory, signers },
  );
  await rm(content, { recursive: true });
  return kit;
};
