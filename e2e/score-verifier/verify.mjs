// Independent verifier of proof bundles: it reads a bundle's ZIP and a public key, and nothing of the product.
//   node verify.mjs <bundle.zip> <public-key.pem> [expected root]
// It prints one line and exits with 0 for a valid bundle, 1 for an invalid one, 2 for wrong arguments.
import { createHash, createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';

const NAMES = ['manifest.json', 'manifest.dsse.json', 'score_proof.json', 'meta.json'];
const MILLION = 1_000_000n;
const LEAF = Buffer.from('\0score-ledger-node/v1\n');
const TYPES = { first: 'header', input: 'input', finding: 'finding', aggregate: 'aggregate', result: 'result' };

const fail = (reason) => {
  throw new Error(reason);
};
const demand = (isTrue, reason) => isTrue || fail(reason);

const digest = (...parts) => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};
const named = (bytes) => `sha256:${bytes.toString('hex')}`;

/** Entries of a ZIP with stored data only, read from its central directory (APPNOTE 4.3). */
const unzip = (zip) => {
  const end = zip.lastIndexOf(Buffer.from('PK\x05\x06'));
  demand(end >= 0 && end + 22 <= zip.length, 'no ZIP file');
  const entries = new Map();
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    demand(zip.readUInt32LE(at) === 0x02014b50, 'no entry in the central directory');
    demand(zip.readUInt16LE(at + 8) % 2 === 0 && zip.readUInt16LE(at + 10) === 0, 'an entry is not stored as it is');
    const [size, nameLength] = [zip.readUInt32LE(at + 24), zip.readUInt16LE(at + 28)];
    const name = zip.toString('utf8', at + 46, at + 46 + nameLength);
    const local = zip.readUInt32LE(at + 42);
    demand(zip.readUInt32LE(local) === 0x04034b50, 'an entry has no header of its own');
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    demand(NAMES.includes(name) && !entries.has(name), `unexpected entry ${name}`);
    demand(start + size <= end, `the entry ${name} is cut`);
    entries.set(name, zip.subarray(start, start + size));
    at += 46 + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  demand(entries.size === NAMES.length, 'an entry is missing');
  return entries;
};

/** Canonical JSON (RFC 8785) of parsed JSON. Bundles have integers only, so numbers need no rule of their own. */
const canonical = (value) => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value !== null && typeof value === 'object') {
    const names = Object.keys(value).sort();
    return `{${names.map((name) => `${canonical(name)}:${canonical(value[name])}`).join(',')}}`;
  }
  if (typeof value === 'number') demand(Number.isSafeInteger(value), 'a number is no integer');
  if (typeof value === 'string') demand(value.isWellFormed(), 'a text has half a surrogate pair');
  return JSON.stringify(value);
};

const read = (entries, name) => {
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(entries.get(name));
  const value = JSON.parse(text);
  demand(canonical(value) === text, `${name} is not canonical JSON`);
  return value;
};

const hasOnly = (value, names, what) =>
  demand(canonical(Object.keys(value).sort()) === canonical([...names].sort()), `${what} has other members`);

/** Root of leaf hashes by the definition of RFC 9162 2.1.1. */
const root = (leaves) => {
  if (leaves.length === 1) return leaves[0];
  const split = 2 ** (Math.ceil(Math.log2(leaves.length)) - 1);
  return digest('\x01', root(leaves.slice(0, split)), root(leaves.slice(split)));
};

const checkSignature = (entries, pem) => {
  const envelope = read(entries, 'manifest.dsse.json');
  hasOnly(envelope, ['payload', 'payloadType', 'signatures'], 'the envelope');
  const payload = Buffer.from(envelope.payload, 'base64');
  const type = 'application/vnd.svc.scan-manifest+json';
  demand(envelope.payloadType === type, 'the envelope is of another type');
  demand(envelope.signatures.length === 1, 'the envelope has not one signature');
  demand(payload.equals(entries.get('manifest.json')), 'the envelope is of another manifest');
  demand(payload.toString('base64') === envelope.payload, 'the payload has another spelling');
  const [signature] = envelope.signatures;
  hasOnly(signature, ['keyid', 'sig'], 'the signature');
  const key = createPublicKey(pem);
  const bytes = Buffer.from(signature.sig, 'base64');
  demand(bytes.toString('base64') === signature.sig, 'the signature has another spelling');
  const hint = digest(key.export({ type: 'spki', format: 'der' })).toString('hex');
  demand(signature.keyid === hint, 'the signature names another key');
  const signed = Buffer.concat([Buffer.from(`DSSEv1 ${type.length} ${type} ${payload.length} `), payload]);
  demand(verify(key.asymmetricKeyType === 'ed25519' ? null : 'sha256', signed, key, bytes), 'the signature is wrong');
};

const checkManifest = (entries) => {
  const manifest = read(entries, 'manifest.json');
  const { manifestHash, scanId: _id, createdAtUtc: _time, ...hashed } = manifest;
  demand(manifestHash === named(digest('scan-manifest/v1\n', canonical(hashed))), 'the manifest has another hash');
  return manifest;
};

const typeOf = (at, inputs, count) => {
  if (at === 0) return TYPES.first;
  if (at <= inputs) return TYPES.input;
  if (at < count - 2) return TYPES.finding;
  return at === count - 2 ? TYPES.aggregate : TYPES.result;
};

const checkSequence = (nodes, manifest, { createdAtUtc, digestOfManifest }) => {
  const { inputs } = manifest;
  demand(nodes.length >= inputs.length + 3, 'nodes are missing');
  for (const [at, node] of nodes.entries())
    demand(
      node.index === at && node['@type'] === typeOf(at, inputs.length, nodes.length),
      `node ${at} is out of order`,
    );
  const [header] = nodes;
  demand(header.nodeCount === nodes.length, 'the header counts other nodes');
  demand(header.model === 'score-model/v1', 'the model is unknown');
  demand(
    header.manifestDigest === digestOfManifest && header.manifestHash === manifest.manifestHash,
    'another manifest',
  );
  demand(header.freezeTimestamp === createdAtUtc, 'the time is another one');
  const seed = digest('score-seed/v1\n', Buffer.from(header.canonicalInputHash.slice(7), 'hex')).toString('hex');
  demand(header.seedHex === seed, 'the seed is another one');
  for (const [at, input] of inputs.entries())
    demand(
      canonical(nodes[at + 1]) === canonical({ ...input, '@type': 'input', index: at + 1 }),
      `input ${at} differs`,
    );
};

const product = (left, right) => (BigInt(left) * BigInt(right) + MILLION / 2n) / MILLION;

const checkFinding = ({ class: kind, factors, findingId, score }) => {
  let sum = 0n;
  const names = ['cvss', 'epss', 'kev', 'reachability', 'exposure', 'freshness', 'floor', 'vex'];
  demand(factors.length === (kind === 'informational' ? 0 : names.length), `finding ${findingId}: factors are missing`);
  for (const [at, { name, raw, weight, weighted }] of factors.entries()) {
    const raised = BigInt(raw) > sum ? BigInt(raw) - sum : 0n;
    const adds = [raised, product(raw, sum) - sum][at - 6] ?? product(weight, raw);
    demand(name === names[at] && BigInt(weighted) === adds, `finding ${findingId}: the factor ${name} is wrong`);
    demand(at < 6 || BigInt(weight) === MILLION, `finding ${findingId}: the factor ${name} is weighted`);
    sum += adds;
  }
  demand(BigInt(score) === sum, `finding ${findingId}: the factors do not sum to the score`);
};

const checkResult = (nodes, findings) => {
  const [aggregate, result] = nodes.slice(-2);
  const { components, evaluated, noPurl, unknownEcosystem, badVersion } = nodes[0].coverage;
  demand(evaluated + noPurl + unknownEcosystem + badVersion === components, 'the coverage does not sum');
  const isScored = evaluated > 0 || components === 0;
  demand(isScored || findings.length === 0, 'there are findings without an evaluated component');
  const ids = findings.map(({ findingId }) => Buffer.from(findingId));
  demand(
    ids.every((id, at) => at === 0 || Buffer.compare(ids[at - 1], id) < 0),
    'the findings are out of order',
  );
  // The findings are in the order of their ids, which a stable sort keeps where scores are equal.
  const ranked = findings.filter((node) => node.class === 'vulnerability').sort((a, b) => b.score - a.score);
  const order = ranked.slice(0, Math.max(1, aggregate.order.length)).map(({ findingId }) => findingId);
  demand(canonical(order) === canonical(aggregate.order), 'the aggregate has other findings');
  demand(aggregate.top === (order[0] ?? null), 'the aggregate has another first finding');
  demand(aggregate.method === 'noisy-or-tail/v1', 'the method is unknown');
  const { score, tail } = aggregate;
  const top = ranked[0]?.score ?? 0;
  const isPossible = isScored ? score >= top && score <= 1e6 && tail === score - top : score === null && tail === null;
  demand(isPossible, 'the aggregate has an impossible score');
  demand(
    result.score === score && result.status === (isScored ? 'scored' : 'notEvaluated'),
    'the result is another one',
  );
  return score;
};

/** Verifies a bundle. Returns its root and score (ppm or null). Throws an Error that says what is wrong. */
const verifyBundle = (zip, pem, expectedRoot) => {
  const entries = unzip(zip);
  const manifest = checkManifest(entries);
  checkSignature(entries, pem);
  const [proof, meta] = [read(entries, 'score_proof.json'), read(entries, 'meta.json')];
  hasOnly(proof, ['createdAtUtc', 'nodes', 'rootHash'], 'score_proof.json');
  hasOnly(meta, ['createdAtUtc', 'rootHash', 'version'], 'meta.json');
  const { createdAtUtc, nodes } = proof;
  demand(meta.version === '1' && meta.createdAtUtc === createdAtUtc, 'meta.json is of another bundle');
  checkSequence(nodes, manifest, { createdAtUtc, digestOfManifest: named(digest(entries.get('manifest.json'))) });
  const findings = nodes.slice(manifest.inputs.length + 1, -2);
  for (const finding of findings) checkFinding(finding);
  const score = checkResult(nodes, findings);
  const computed = named(root(nodes.map((node) => digest(LEAF, canonical(node)))));
  demand(computed === proof.rootHash && computed === meta.rootHash, `the root is ${computed}`);
  demand(expectedRoot === undefined || computed === expectedRoot, `the root is ${computed}, and not the expected one`);
  return { root: computed, score };
};

const [zipPath, keyPath, expectedRoot] = process.argv.slice(2);
if (zipPath === undefined || keyPath === undefined) {
  process.stderr.write('node verify.mjs <bundle.zip> <public-key.pem> [expected root]\n');
  process.exit(2);
}
try {
  const found = verifyBundle(readFileSync(zipPath), readFileSync(keyPath), expectedRoot);
  process.stdout.write(`valid: root ${found.root}, score ${found.score === null ? 'none' : found.score / 1e6}\n`);
} catch (error) {
  process.stdout.write(`invalid: ${error.message}\n`);
  process.exit(1);
}
