import { Fault } from '../core/fault.ts';
import { isJsonObject, parseJson } from '../core/json.ts';
import { sha256 } from '../crypto/digest.ts';
import { type ImageLabels, mergeLabels, readLabels } from './image-labels.ts';
import type { Manifest } from './manifest.ts';
import type { RegistryAccess, RegistryClient } from './registry-client.ts';

/** Platform of an index whose labels count: all are built from one source. */
const PREFERRED = 'linux/amd64';

/** Reads labels of images. An unreadable image has no labels, since nothing depends on them. */
export const createImageLabels = (client: Pick<RegistryClient, 'manifest' | 'fetch'>) => {
  const ofConfig = async (access: RegistryAccess, path: string, { config }: Manifest): Promise<ImageLabels[]> => {
    if (config === null) return [];
    const answer = await client.fetch(access, path, `blobs/${config}`, 'application/octet-stream');
    if (answer instanceof Fault || answer.status !== 200 || sha256(answer.body) !== config) return [];
    const document = parseJson(answer.body);
    return isJsonObject(document) && isJsonObject(document.config) ? [readLabels(document.config.Labels)] : [];
  };

  return {
    /** Labels of a manifest's annotations; else those of a platform's manifest or of its configuration. */
    async read(access: RegistryAccess, path: string, manifest: Manifest): Promise<ImageLabels> {
      if (manifest.labels.revision !== null) return manifest.labels;
      const platform = manifest.platforms.find(({ platform: name }) => name === PREFERRED) ?? manifest.platforms[0];
      const image = platform ? await client.manifest(access, path, platform.digest) : manifest;
      if (image instanceof Fault) return manifest.labels;
      const annotated = [manifest.labels, image.labels];
      return mergeLabels(
        image.labels.revision === null ? [...annotated, ...(await ofConfig(access, path, image))] : annotated,
      );
    },
  };
};
