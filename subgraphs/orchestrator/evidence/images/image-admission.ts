import { evaluateImage, type ReadImage } from '@landfall/attestation/admission/evaluate-image';
import { signerOf } from '@landfall/attestation/admission/signer';
import { list } from '@landfall/attestation/admission/trusted-signers.store';
import type { Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import { type Digest, isDigest } from '@landfall/kernel/crypto/digest';
import type { Deps } from '@landfall/kernel/module';
import { REPOSITORY_PATTERN, REPOSITORY_REFUSAL } from '@landfall/kernel/oci/repository';
import { digest, patterned } from '@landfall/kernel/operation/input';
import Type from 'typebox';
import type { Registries } from '../../catalogue/integrations/registries.ts';
import { anyDigest } from '../../shared/input.ts';
import { reads } from '../../shared/scopes.ts';
import { subjectsOf } from './image-reader.ts';

interface Image {
  readonly repository: string;
  readonly digest: Digest;
}

interface AdmissionDeps extends Pick<Deps, 'database' | 'clock'> {
  readonly registries: Pick<Registries, 'manifest' | 'attachments'>;
}

/** Deadline of reading one image, in milliseconds. */
const DEADLINE_MS = 30_000;

type AdmissionEvaluator = ReturnType<typeof createAdmission>;

/**
 * Creates the evaluator of images: reads an image's signatures and provenance from its registry and compares them with
 * the trusted signers. It informs people and refuses no deployment. It uses the network, so never call it in a
 * transaction. A registry that does not answer gives `unknown`; neither images nor registries make it throw.
 */
export const createAdmission = ({ database, clock, registries }: AdmissionDeps) => {
  const read = async (caller: Who, { repository, digest: request }: Image) => {
    const signal = AbortSignal.timeout(DEADLINE_MS);
    const manifest = await registries.manifest(caller, repository, request, signal);
    const image = { repository, digest: request };
    if (manifest instanceof Fault) return { ...image, platforms: [], attachments: manifest } satisfies ReadImage;
    const subjects = subjectsOf({ digest: request, platforms: [...manifest.platforms] });
    const attachments = await registries.attachments(caller, repository, subjects, signal);
    return { ...image, platforms: manifest.platforms.map((each) => each.digest), attachments } satisfies ReadImage;
  };

  return {
    async evaluate(caller: Who, image: Image) {
      const signers = await database.read(caller.tenant, (query) => list(query, caller.tenant));
      return evaluateImage(await read(caller, image), signers.map(signerOf), clock.now());
    },
  };
};

/** Creates the operation that evaluates an image on request. */
export const createImageAdmission = ({ operation }: Pick<Deps, 'operation'>, admission: AdmissionEvaluator) => ({
  check: operation({
    name: 'image.admission',
    isRemote: true,
    cost: 500,
    kind: 'read',
    scope: reads,
    input: Type.Object({
      repository: patterned(REPOSITORY_PATTERN, REPOSITORY_REFUSAL, { maxLength: 512 }),
      digest,
    }),
    example: { repository: '127.0.0.1:9/shop/web', digest: anyDigest },
    isDetached: true,
    async run(caller, { repository, digest: input }) {
      if (!isDigest(input)) throw new TypeError('an input schema has let through what is no digest');
      return admission.evaluate(caller, { repository, digest: input });
    },
  }),
});
