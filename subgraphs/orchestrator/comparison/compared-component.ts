import type { Component } from '../catalogue/releases/release.ts';
import type { ImageSource } from '../evidence/images/image-statements.ts';
import type { Side } from './side.ts';

/** Source code that an image was built from. */
interface ComponentSource {
  readonly uri: string;
  readonly revision: string | null;
  /** Origin of the source: `provenance` of a trusted signer, or unsigned labels of the `image`. */
  readonly from: 'provenance' | 'image';
}

/** Component of a compared release, with its source. */
export interface ComparedComponent extends Component {
  readonly code: ComponentSource | null;
}

const VERSION = /^v?\d+(?:\.\d+)*(?:[-+._][\w.+-]*)?$/;

/** Version of a component: its tag if that reads like one, else what its image is labelled with, else the tag. */
export const versionOf = ({ requestedTag, imageVersion }: Component): string | null =>
  requestedTag !== null && VERSION.test(requestedTag) ? requestedTag : (imageVersion ?? requestedTag);

const codeOf = ({ source, revision }: Component, stated: ImageSource | undefined): ComponentSource | null => {
  if (stated) return { uri: stated.uri, revision: stated.revision, from: 'provenance' };
  return source === null ? null : { uri: source, revision, from: 'image' };
};

/** Adds the sources to the components of a side. Trusted provenance wins over labels. */
export const withSources = ({ release }: Side, sources: readonly ImageSource[]): ComparedComponent[] =>
  (release?.components ?? []).map((component) => ({
    ...component,
    code: codeOf(
      component,
      sources.find((each) => each.releaseId === component.releaseId && each.component === component.name),
    ),
  }));
