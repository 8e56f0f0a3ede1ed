/** Attributes of a PKCS #11 URI (RFC 7512) that this product supports. */
export interface Pkcs11Uri {
  readonly token: string;
  /** The key's label or its id in hexadecimal, or both. */
  readonly object: string | undefined;
  readonly id: string | undefined;
  readonly modulePath: string;
  /** A file that holds the PIN. */
  readonly pinFile: string | undefined;
}

const refuse: (reason: string) => never = (reason) => {
  throw new Error(`Attestation:Pkcs11: ${reason}.`);
};

/** Attributes by name; the bytes of `id` need not be text. */
const attributes = (text: string, separator: string): ReadonlyMap<string, Buffer> => {
  const found = new Map<string, Buffer>();
  for (const part of text.split(separator).filter((each) => each !== '')) {
    const [, name = '', value = ''] = /^([a-z0-9-]+)=((?:[^%;&?]|%[0-9a-fA-F]{2})*)$/.exec(part) ?? [];
    // Never quoted: a part may contain a PIN.
    if (name === '') refuse('a part of the URI is not name=value');
    if (found.has(name)) refuse(`${name} is there twice`);
    const bytes = value.replaceAll(/%([0-9a-fA-F]{2})/g, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
    found.set(name, Buffer.from(bytes, 'latin1'));
  }
  return found;
};

const only = (found: ReadonlyMap<string, Buffer>, known: readonly string[]): void => {
  // An ignored attribute could select another key.
  for (const name of found.keys()) if (!known.includes(name)) refuse(`${name} is no attribute that is understood`);
};

const fileOf = (source: string | undefined): string | undefined => {
  if (source === undefined) return undefined;
  const path = source.replace(/^file:(?:\/\/)?/, '');
  return path.startsWith('/') ? path : refuse('pin-source names no file by its whole path');
};

/** Parses `pkcs11:token=…;object=…?module-path=…&pin-source=file:…`. Its Errors never repeat the URI. */
export const parsePkcs11Uri = (uri: string): Pkcs11Uri => {
  const [, path = '', query = ''] = /^pkcs11:([^?]*)(?:\?(.*))?$/.exec(uri) ?? refuse('it does not begin with pkcs11:');
  const [key, queryAttributes] = [attributes(path, ';'), attributes(query, '&')];
  if (queryAttributes.has('pin-value'))
    refuse('a PIN does not belong in the URI; use LANDFALL_ATTESTATION_PIN or pin-source');
  only(key, ['token', 'object', 'id', 'type']);
  only(queryAttributes, ['module-path', 'pin-source']);
  const [type, token, object] = ['type', 'token', 'object'].map((name) => key.get(name)?.toString());
  if (type !== undefined && type !== 'private') refuse('type is not private');
  const id = key.get('id')?.toString('hex');
  const modulePath = queryAttributes.get('module-path')?.toString();
  if (!token) return refuse('token is missing');
  if (!object && !id) return refuse('object or id is missing');
  if (!modulePath?.startsWith('/')) return refuse('module-path is not the whole path of a module');
  return { token, object, id, modulePath, pinFile: fileOf(queryAttributes.get('pin-source')?.toString()) };
};
