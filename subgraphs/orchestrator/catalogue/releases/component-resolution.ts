import type { Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import type { Registries } from '../integrations/registries.ts';
import type { Component, Resolution } from './components.store.ts';

/** Component with its digest as resolved by a registry. */
interface Resolved extends Resolution {
  readonly name: string;
}

const resolve = async (
  caller: Who,
  registries: Registries,
  { name, repository, requestedTag: tag, digest: declared }: Component,
): Promise<Resolved | Fault> => {
  const manifest = await registries.manifest(caller, repository, tag ?? declared ?? '');
  if (manifest instanceof Fault)
    return new Fault(manifest.code, manifest.message, { ...manifest.details, component: name });
  if (declared !== null && declared !== manifest.digest)
    return new Fault('REL_DIGEST_MISMATCH', `${repository}:${tag} is ${manifest.digest}, ${declared} was declared.`, {
      component: name,
      tag,
      declared,
      resolved: manifest.digest,
    });
  const { digest, mediaType, platforms } = manifest;
  return { name, digest, mediaType, platforms, labels: await registries.labels(caller, repository, manifest) };
};

/** Resolves components in parallel; throws REL_TAG_NOT_FOUND, REL_DIGEST_MISMATCH or INT_*, the first in order. */
export const resolveAll = async (caller: Who, registries: Registries, components: readonly Component[]) => {
  const answers = await Promise.all(components.map((component) => resolve(caller, registries, component)));
  return answers.map((answer) => {
    if (answer instanceof Fault) throw answer;
    return answer;
  });
};
