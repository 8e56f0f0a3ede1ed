import { parseStrictJson } from '@landfall/attestation/signature/strict-json';
import { type Digest, sha256Bytes } from '@landfall/kernel/crypto/digest';
import { canonicalJson } from '@landfall/kernel/crypto/jcs';
import { rootOf } from '@landfall/kernel/crypto/merkle';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { MAX_BUNDLE_ARTIFACTS } from '../shared/limits.ts';
import { createJsonList } from './json-list.ts';

const MANIFEST_TYPE = 'evidence-export-manifest/v1';
/** Payload type of the manifest's DSSE envelope. */
export const MANIFEST_PAYLOAD_TYPE = 'application/vnd.svc.evidence-export-manifest+json';
export const MAX_MANIFEST_BYTES = 16_777_216;

const closed = { additionalProperties: false } as const;
const size = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const hex = Type.String({ pattern: '^[0-9a-f]{64}$' });
const name = Type.String({ maxLength: 512 });

const entry = Type.Object(
  {
    mediaType: Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9!#$&^_.+/;= -]*$', maxLength: 256 }),
    // Without characters that a shell, sha256sum or tar treats specially, so that every tool reads the same name.
    path: Type.String({ pattern: '^[A-Za-z0-9_][A-Za-z0-9._-]*(/[A-Za-z0-9_][A-Za-z0-9._-]*)*$', maxLength: 200 }),
    sha256: hex,
    size,
  },
  closed,
);

const missingArtifact = Type.Object(
  { artifactId: name, reason: Type.Enum(['corrupt', 'disposed']), sha256: hex, size },
  closed,
);

const shape = Type.Object(
  {
    '@type': Type.Literal(MANIFEST_TYPE),
    bundleId: name,
    createdAt: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$' }),
    entries: Type.Array(entry, { maxItems: MAX_BUNDLE_ARTIFACTS + 10 }),
    entryCount: size,
    exportId: name,
    missing: Type.Array(missingArtifact, { maxItems: MAX_BUNDLE_ARTIFACTS }),
    platformDomain: Type.String({ maxLength: 253 }),
    rootHash: Type.String({ pattern: '^sha256:[0-9a-f]{64}$' }),
    subject: Type.Union([Type.Object({ id: name, kind: Type.Enum(['deployment', 'release']) }, closed), Type.Null()]),
    tenant: name,
  },
  closed,
);

/** File of an export: `sha256` in hex, `size` in bytes, `path` below the archive's directory. */
export type ExportEntry = Static<typeof entry>;

/** Artifact of the bundle that the export does not contain, because it was corrupt or disposed of. */
export type MissingArtifact = Static<typeof missingArtifact>;

export type ExportManifest = Readonly<
  Omit<Static<typeof shape>, 'entries' | 'missing'> & {
    entries: readonly ExportEntry[];
    missing: readonly MissingArtifact[];
  }
>;

const validator = Compile(shape);
const fits = (value: unknown): value is Static<typeof shape> => validator.Check(value);

const LEAF_PREFIX = '\0evidence-export-entry/v1\n';

/** Leaf of an entry: H(0x00 ‖ `evidence-export-entry/v1\n` ‖ JCS of the entry). */
const leafOf = (json: string): Buffer => sha256Bytes(Buffer.from(LEAF_PREFIX + json));
const rootOfLeaves = (leaves: readonly Buffer[]): Digest => `sha256:${rootOf(leaves).toString('hex')}`;

/** RFC 9162 root of entries in their order. */
const rootOfEntries = (entries: readonly ExportEntry[]): Digest =>
  rootOfLeaves(entries.map((each) => leafOf(canonicalJson(each))));

/** Paths are ASCII, so that the order of UTF-16 units is that of bytes. */
const isBefore = (one: { readonly path: string }, other: { readonly path: string }): boolean => one.path < other.path;

type ManifestParts = Omit<ExportManifest, '@type' | 'entries' | 'entryCount' | 'rootHash'>;

const entryValidator = Compile(entry);
const NO_ENTRIES = '"entries":[]';

/** Creates the writer of a manifest as canonical JSON. Its entries become bytes as they come: an export has up to 20,000. */
export const createManifestWriter = () => {
  const entries = createJsonList();
  const leaves: Buffer[] = [];
  let last = { path: '' };
  return {
    /** Adds an entry, in the order of the paths. @throws TypeError for an entry that is malformed or not in order */
    add(added: ExportEntry): void {
      if (!entryValidator.Check(added) || !isBefore(last, added))
        throw new TypeError(`${added.path} is no entry of a manifest, or not in the order of the paths.`);
      last = added;
      const json = canonicalJson(added);
      entries.add(json);
      leaves.push(leafOf(json));
    },

    /** Ends the manifest. @throws TypeError if the parts have no such form */
    end(parts: ManifestParts): { readonly content: Buffer; readonly rootHash: Digest } {
      const rootHash = rootOfLeaves(leaves);
      const manifest = { ...parts, '@type': MANIFEST_TYPE, entries: [], entryCount: leaves.length, rootHash };
      if (!fits(manifest)) {
        const [finding] = validator.Errors(manifest);
        throw new TypeError(`The manifest is malformed at ${finding?.instancePath}: ${finding?.message}.`);
      }
      // Quotes in a text are escaped, so only the member itself is written like this.
      const [before = '', after = ''] = canonicalJson(manifest).split(NO_ENTRIES);
      const content = Buffer.concat([Buffer.from(`${before}"entries":`), ...entries.chunks(), Buffer.from(after)]);
      return { content, rootHash };
    },
  };
};

/** Reads a manifest that the platform stored itself, without the checks of its canonical form and its root. */
export const readStoredManifest = (text: string): ExportManifest => {
  const json: unknown = JSON.parse(text);
  if (!fits(json)) throw new TypeError('a stored manifest is malformed');
  return json;
};

/** Text that is no manifest of an export. The message says what is wrong. */
export class MalformedManifest extends Error {
  override readonly name = 'MalformedManifest';
}

/**
 * Parses a manifest in its canonical form, and checks its order, count and root.
 * @throws MalformedManifest or MalformedJson
 */
export const parseManifest = (text: string): ExportManifest => {
  const json = parseStrictJson(text, MAX_MANIFEST_BYTES);
  if (!fits(json)) {
    const [finding] = validator.Errors(json);
    throw new MalformedManifest(`${finding?.instancePath || 'it'} ${finding?.message}`);
  }
  const { entries, entryCount, rootHash } = json;
  if (canonicalJson(json) !== text) throw new MalformedManifest('it is not canonical JSON');
  if (entries.some((each, index) => index > 0 && !isBefore(entries[index - 1] ?? each, each)))
    throw new MalformedManifest('its entries are not sorted by path, each once');
  if (entryCount !== entries.length) throw new MalformedManifest('its entries are not as many as it says');
  if (rootHash !== rootOfEntries(entries)) throw new MalformedManifest('its entries do not lead to its root');
  return json;
};
