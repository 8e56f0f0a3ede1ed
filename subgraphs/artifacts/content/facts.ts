import type { ArtifactType } from '../shared/artifact-type.ts';
import type { Subject } from './subject.ts';

/** Facts that content states about itself. */
export interface ContentFacts {
  readonly type: ArtifactType;
  readonly contentType: string;
  /** Each once. */
  readonly subjects: readonly Subject[];
  /** Name that it gives itself, for evidence that comes without one. */
  readonly bomRef?: string | undefined;
  readonly serialNumber?: string | undefined;
  /** Form of its signature; undefined where it has none that can be verified. */
  readonly signature?: 'bundle' | 'envelope' | undefined;
}
