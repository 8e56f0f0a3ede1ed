import type { Signer } from '@landfall/attestation/admission/signer';
import { type Judgement, judge } from '@landfall/attestation/admission/statement-judgement';
import type { Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import { type Digest, isDigest } from '@landfall/kernel/crypto/digest';
import type { Registries } from '../../catalogue/integrations/registries.ts';
import type { Component } from '../../catalogue/releases/release.ts';

/** Judgements about the statements attached to one component's image. */
export interface ReadComponent {
  readonly component: string;
  readonly judgements: readonly Judgement[];
  /** Description of each part that could not be read. */
  readonly unread: readonly string[];
}

/** Deadline of reading all images of a release, in milliseconds. */
const DEADLINE_MS = 120_000;

/** Digests that statements about an image may name: its own, and those of an index's platform manifests. */
export const subjectsOf = ({ digest, platforms }: Pick<Component, 'digest' | 'platforms'>): readonly Digest[] =>
  [...new Set([digest, ...platforms.map((each) => each.digest)])].filter(isDigest);

const readComponent = async (
  registries: Pick<Registries, 'attachments'>,
  caller: Who,
  component: Component,
  signers: readonly Signer[],
  signal: AbortSignal,
): Promise<ReadComponent | Fault> => {
  const { name, repository } = component;
  const attached = await registries.attachments(caller, repository, subjectsOf(component), signal);
  if (attached instanceof Fault)
    return new Fault(attached.code, attached.message, { ...attached.details, component: name });
  const judgements = judge(attached.found, signers);
  const malformed = judgements.flatMap(({ attachment, purpose, status, reason }) =>
    purpose === null && status === 'fail' ? [`${attachment.id} ${reason}`] : [],
  );
  return { component: name, judgements, unread: [...attached.unread, ...malformed] };
};

/**
 * Reads and judges the statements of a release's images, one image after the other. Uses the network. Faults: INT_*.
 */
export const readImages = async (
  registries: Pick<Registries, 'attachments'>,
  caller: Who,
  components: readonly Component[],
  signers: readonly Signer[],
): Promise<readonly ReadComponent[] | Fault> => {
  const signal = AbortSignal.timeout(DEADLINE_MS);
  const all: ReadComponent[] = [];
  for (const component of components) {
    const read = await readComponent(registries, caller, component, signers, signal);
    if (read instanceof Fault) return read;
    all.push(read);
  }
  return all;
};
