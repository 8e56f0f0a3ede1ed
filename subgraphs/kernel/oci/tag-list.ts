import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { parseJson } from '../core/json.ts';
import { createDigester, type Digest } from '../crypto/digest.ts';
import type { HttpResponse } from '../http/client.ts';
import { nextPage } from './next-page.ts';
import { TAG_PATTERN } from './repository.ts';

/** Tags of a repository, as far as they were read. */
export interface TagList {
  readonly tags: readonly string[];
  /** Entity tag of the list; undefined where there is none, or more than one page. */
  readonly etag: string | undefined;
  /** Hash of the bytes of all pages. */
  readonly digest: Digest;
  /** Whether the list goes on beyond the bounds. */
  readonly isCut: boolean;
}

/** One page of a list of tags. */
export interface TagPage {
  readonly tags: readonly string[];
  readonly bytes: Buffer;
  readonly etag: string | undefined;
  readonly next: string | undefined;
}

/** Limits on reading the tags of one repository; the bytes are those of all pages, malformed tags included. */
export const tagBounds = { page: 1_000, pages: 20, tags: 10_000, bytes: 4 * 1024 * 1024 } as const;

// Some registries answer null for a repository whose last tag is gone.
const document = Compile(Type.Object({ tags: Type.Union([Type.Array(Type.String()), Type.Null()]) }));
const tag = new RegExp(TAG_PATTERN);

/** Reads a page of a list (distribution-spec 1.1, end-8); undefined for another document. Malformed tags are left out. */
export const readTagPage = (origin: string, path: string, answer: HttpResponse): TagPage | undefined => {
  const value = parseJson(answer.body);
  if (!document.Check(value)) return undefined;
  return {
    tags: (value.tags ?? []).filter((each) => tag.test(each)),
    bytes: answer.body,
    etag: answer.headers.etag,
    next: nextPage(origin, `/v2/${path}/tags/`, answer),
  };
};

/** Collects the pages of a list: its tags, and the hash of bytes that are not kept. */
export const createTagCollector = () => {
  const hash = createDigester();
  const tags: string[] = [];
  let [pages, bytes] = [0, 0];
  let etag: string | undefined;
  let next: string | undefined;
  return {
    /** Adds a page. Returns where the next one is, unless there is none or a bound is reached. */
    add(page: TagPage): string | undefined {
      hash.add(page.bytes);
      pages += 1;
      bytes += page.bytes.length;
      for (const each of page.tags) if (tags.length <= tagBounds.tags) tags.push(each);
      etag = pages === 1 ? page.etag : undefined;
      ({ next } = page);
      const isFull = tags.length > tagBounds.tags || pages >= tagBounds.pages || bytes >= tagBounds.bytes;
      return isFull ? undefined : next;
    },
    list: (): TagList => ({
      tags: tags.slice(0, tagBounds.tags),
      etag,
      digest: hash.digest(),
      isCut: tags.length > tagBounds.tags || next !== undefined,
    }),
  };
};
