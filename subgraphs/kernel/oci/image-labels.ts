import { isJsonObject } from '../core/json.ts';

/** Source of an image according to labels of its builder (OCI image-spec, annotations.md), which are not signed. */
export interface ImageLabels {
  /** Address of the source code. */
  readonly source: string | null;
  /** Commit, or what else the source control calls a revision. */
  readonly revision: string | null;
  readonly version: string | null;
}

const MAX_SOURCE = 2048;
const MAX_WORD = 200;

/** Text without spaces and control characters, of at most this length; null for anything else. */
const word = (value: unknown, max: number): string | null =>
  typeof value === 'string' && value.length <= max && /^[^\s\p{C}]+$/u.test(value) ? value : null;

/** Reads the labels in annotations of a manifest, or in the labels of an image configuration. */
export const readLabels = (values: unknown): ImageLabels => {
  const found = isJsonObject(values) ? values : {};
  return {
    source: word(found['org.opencontainers.image.source'], MAX_SOURCE),
    revision: word(found['org.opencontainers.image.revision'], MAX_WORD),
    version: word(found['org.opencontainers.image.version'], MAX_WORD),
  };
};

/**
 * Merges labels from several sources in order of precedence. Source and revision come from the same one, since they
 * belong together.
 */
export const mergeLabels = (labelSets: readonly ImageLabels[]): ImageLabels => {
  const named = labelSets.find(({ revision }) => revision !== null) ?? labelSets.find(({ source }) => source !== null);
  return {
    source: named?.source ?? null,
    revision: named?.revision ?? null,
    version: labelSets.find(({ version }) => version !== null)?.version ?? null,
  };
};
