import { type KeyObject, sign, X509Certificate } from 'node:crypto';
import { type Id, toId } from '@landfall/kernel/core/ids';
import type { JsonObject } from '@landfall/kernel/core/json';
import type { Query } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import * as store from './certificates.store.ts';
import { exportKey, importKey, issueAuthority, issueLeaf, newKey, thumbprintOf } from './certificates.ts';
import type { SigningKey } from './key-file.ts';

export interface SigningState {
  readonly keyId: string;
  /** Certificates that registries put into `rootcertbundle`, PEM. */
  readonly rootCertificates: string;
  /** Earliest expiry of the leaf and of certificates that are not renewed here. */
  readonly leafExpiresAt: Date;
  readonly authorityExpiresAt: Date;
  /** Whether the leaf is renewed automatically. */
  readonly rotates: boolean;
}

interface Loaded {
  readonly key: KeyObject;
  /** Header of every token, encoded, with the dot behind it. */
  readonly head: string;
  readonly state: SigningState;
  readonly row: store.CertificateRow | undefined;
  readonly loadedAt: number;
}

interface SignerOptions {
  readonly key: SigningKey | undefined;
  readonly keyId: string | undefined;
}

type SignerDeps = Pick<Deps, 'database' | 'secrets' | 'clock' | 'ids'>;

/** Cache lifetime of the signing state: a retired leaf is valid for weeks. */
const CACHE_MS = 60_000;

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** ES256 with the certificates from the leaf up to what registries trust: the one form that all of them take. */
const headOf = (kid: string, chain: readonly X509Certificate[]): string =>
  `${encode({ alg: 'ES256', typ: 'JWT', kid, x5c: chain.map(({ raw }) => raw.toString('base64')) })}.`;

const sealName = (id: string): string => `registry/certificate/${id}`;

const ends = ({ validToDate }: X509Certificate): Date => validToDate;

const isSelfSigned = (certificate: X509Certificate): boolean =>
  certificate.checkIssued(certificate) && certificate.verify(certificate.publicKey);

/** Signing state of an operator's key with certificates, which the operator renews. */
const fromFile = ({ privateKey, chain }: SigningKey, keyId: string | undefined, loadedAt: number): Loaded => {
  const [leaf, ...above] = chain;
  const root = chain.at(-1);
  if (!leaf || !root) throw new TypeError('a key without certificates has no chain');
  const kid = keyId ?? thumbprintOf(privateKey);
  const sent = above.length > 0 && isSelfSigned(root) ? chain.slice(0, -1) : chain;
  const soonest = new Date(Math.min(...chain.map((certificate) => ends(certificate).getTime())));
  return {
    key: privateKey,
    head: headOf(kid, sent),
    row: undefined,
    loadedAt,
    state: {
      keyId: kid,
      rootCertificates: root.toString(),
      leafExpiresAt: soonest,
      authorityExpiresAt: ends(root),
      rotates: false,
    },
  };
};

/** Manages authority and leaf in the database; the first process creates them. */
const createStoredKeys = ({ database, secrets, clock, ids }: SignerDeps, { key: own, keyId }: SignerOptions) => {
  const newId = (): Id<'RegistryCertificate'> => toId(ids.uuid(), 'RegistryCertificate');
  const rowOf = (
    id: Id<'RegistryCertificate'>,
    certificate: X509Certificate,
    row: Pick<store.CertificateRow, 'kind' | 'keyId' | 'sealedPrivate' | 'authorityId'>,
  ): store.CertificateRow => ({
    id,
    certificate: certificate.raw,
    notBefore: certificate.validFromDate,
    notAfter: ends(certificate),
    ...row,
  });
  const open = ({ id, sealedPrivate }: store.CertificateRow): KeyObject => {
    if (!sealedPrivate) throw new TypeError('the key of a certificate is not here');
    return importKey(secrets.open('', sealName(id), sealedPrivate));
  };

  const makeAuthority = async (): Promise<store.CertificateRow> => {
    const [id, key] = [newId(), newKey()];
    const sealedPrivate = secrets.seal('', sealName(id), exportKey(key));
    const certificate = await issueAuthority(key, clock.now());
    return rowOf(id, certificate, { kind: 'authority', keyId: thumbprintOf(key), sealedPrivate, authorityId: null });
  };

  /** Over the operator's own key when there is one, else over a new one. */
  const makeLeaf = async (above: store.CertificateRow): Promise<store.CertificateRow> => {
    const [id, key] = [newId(), own?.privateKey ?? newKey()];
    const authority = { certificate: new X509Certificate(above.certificate), key: open(above) };
    return rowOf(id, await issueLeaf(key, authority, clock.now()), {
      kind: 'leaf',
      keyId: thumbprintOf(key),
      sealedPrivate: own ? null : secrets.seal('', sealName(id), exportKey(key)),
      authorityId: above.id,
    });
  };

  const read = async (): Promise<{ authority?: store.CertificateRow; leaf?: store.CertificateRow }> => {
    const rows = await database.system.read(store.current);
    const [authority, leaf] = [rows.find(({ kind }) => kind === 'authority'), rows.find(({ kind }) => kind === 'leaf')];
    return { ...(authority && { authority }), ...(leaf && { leaf }) };
  };

  /** Whether the leaf belongs to the configured key; another one is replaced at start. */
  const isOwn = ({ sealedPrivate, keyId: id }: store.CertificateRow): boolean =>
    own ? sealedPrivate === null && id === thumbprintOf(own.privateKey) : sealedPrivate !== null;

  const replaceLeaf = async (above: store.CertificateRow, old: store.CertificateRow | undefined): Promise<void> => {
    const leaf = await makeLeaf(above);
    await database.system.write(async (tx) => {
      if (old && (await store.retire(tx, old.id)) === 0) return;
      await store.insert(tx, leaf);
    });
  };

  const load = async (): Promise<Loaded> => {
    const { authority, leaf } = await read();
    if (!authority) {
      const created = await makeAuthority();
      await database.system.write((tx) => store.insert(tx, created));
      return load();
    }
    if (!leaf || !isOwn(leaf) || leaf.authorityId !== authority.id) {
      await replaceLeaf(authority, leaf);
      return load();
    }
    const kid = keyId ?? leaf.keyId;
    return {
      key: own?.privateKey ?? open(leaf),
      head: headOf(kid, [new X509Certificate(leaf.certificate)]),
      row: leaf,
      loadedAt: clock.now().getTime(),
      state: {
        keyId: kid,
        rootCertificates: new X509Certificate(authority.certificate).toString(),
        leafExpiresAt: leaf.notAfter,
        authorityExpiresAt: authority.notAfter,
        rotates: true,
      },
    };
  };

  /** Replaces exactly this leaf: of several processes at once one succeeds. */
  const rotate = async (leaf: store.CertificateRow): Promise<void> => {
    const { authority } = await read();
    if (authority) await replaceLeaf(authority, leaf);
  };

  return { load, rotate, prune: () => database.system.write(store.prune) };
};

/** Root certificates for registries, PEM; undefined before the first start. */
export const rootCertificates = async (query: Query): Promise<string | undefined> => {
  const authority = (await store.current(query)).find(({ kind }) => kind === 'authority');
  return authority && new X509Certificate(authority.certificate).toString();
};

/** Signs registry tokens with the leaf of an authority that registries trust (authority page 3). */
export const createSigner = (deps: SignerDeps, options: SignerOptions) => {
  const { clock } = deps;
  const { key, keyId } = options;
  const keyPair = key && key.chain.length > 0 ? undefined : createStoredKeys(deps, options);
  const load = async (): Promise<Loaded> => {
    const now = clock.now().getTime();
    if (!keyPair && key) return fromFile(key, keyId, now);
    if (!keyPair) throw new TypeError('a signer has a key of its own or of a file');
    return keyPair.load();
  };
  let cached: Promise<Loaded> | undefined;
  let latest: SigningState | undefined;

  const reload = (): Promise<Loaded> => {
    const reading = load();
    cached = reading;
    reading.then(
      ({ state }) => {
        latest = state;
      },
      () => {
        if (cached === reading) cached = undefined;
      },
    );
    return reading;
  };

  const ready = async (): Promise<Loaded> => {
    const known = await cached;
    return known && (!keyPair || clock.now().getTime() - known.loadedAt < CACHE_MS) ? known : reload();
  };

  const rotate = async (): Promise<void> => {
    const { row } = await ready();
    if (row) await keyPair?.rotate(row);
    await reload();
  };

  return {
    async sign(claims: JsonObject): Promise<string> {
      const { key: by, head } = await ready();
      const signed = head + encode(claims);
      // The thread pool would cost more than the signature itself.
      return `${signed}.${sign('sha256', Buffer.from(signed), { key: by, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
    },
    state: async (): Promise<SigningState> => (await ready()).state,
    /** Last state read, for the gauge. */
    get latest(): SigningState | undefined {
      return latest;
    },
    /** Creates a new key and a new leaf for it. Of several processes one does. */
    rotate,
    /** Rotates when the leaf has no more than `leastMs` left; deletes retired leaves. */
    async keepFresh(leastMs: number): Promise<void> {
      if (!keyPair) return;
      const { row } = await reload();
      if (row && row.notAfter.getTime() - clock.now().getTime() <= leastMs) await rotate();
      await keyPair.prune();
    },
  };
};

export type Signer = ReturnType<typeof createSigner>;
