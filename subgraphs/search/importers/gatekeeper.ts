import type { Chunk } from '../corpus/chunk.ts';
import type { Origin, Reader } from './reader.ts';
import { readRegoSource } from './rego-source.ts';
import { severityOfLabel } from './severity.ts';
import {
  attributesOf,
  type Fields,
  fields,
  list,
  listed,
  objects,
  paragraphs,
  required,
  text,
  texts,
  unique,
} from './values.ts';

const annotationsOf = (record: Fields): Fields => fields(fields(record.metadata).annotations);

const policy = (name: string, { path, source = 'gatekeeper' }: Origin): Omit<Chunk, 'title' | 'body'> => ({
  domain: 'policy',
  source,
  documentKey: `${path}#${name}`,
  part: 0,
  entityType: 'policy',
  entityKey: `policy:${source}/${name}`,
  identifiers: [name],
  packages: [],
  ecosystem: 'Gatekeeper',
});

/** A target's rules, in Rego or, as of Gatekeeper 3.18, beside it in CEL. */
const codeOf = (target: Fields): string[] => [
  ...texts(target.rego),
  ...objects(target.code).flatMap((code) => texts(fields(code.source).rego)),
];

const validationsOf = (target: Fields): string[] =>
  objects(target.code).flatMap((code) =>
    objects(fields(code.source).validations).flatMap((one) => texts(one.message ?? one.expression)),
  );

const template = (record: Fields, origin: Origin): Chunk => {
  const name = required(fields(record.metadata).name, 'metadata.name');
  const annotations = annotationsOf(record);
  const spec = fields(record.spec);
  const kind = text(fields(fields(fields(spec.crd).spec).names).kind);
  const targets = objects(spec.targets);
  const sources = targets.flatMap(codeOf).map(readRegoSource);
  return {
    ...policy(name, origin),
    title: text(annotations['metadata.gatekeeper.sh/title']) ?? kind ?? name,
    body: paragraphs(
      text(annotations.description)?.replace(/\s+/g, ' '),
      ...unique(targets.flatMap(validationsOf)),
      ...unique(sources.flatMap(({ messages }) => messages)).slice(0, 20),
    ),
    identifiers: unique([name, kind, ...sources.map((source) => source.package)]),
    severity: severityOfLabel(annotations['metadata.gatekeeper.sh/severity']),
    attributes: attributesOf({
      kind: 'ConstraintTemplate',
      constraint: kind,
      version: text(annotations['metadata.gatekeeper.sh/version']),
      rules: unique(sources.flatMap(({ rules }) => rules)).slice(0, 50),
    }),
  };
};

const constraint = (record: Fields, origin: Origin): Chunk => {
  const name = required(fields(record.metadata).name, 'metadata.name');
  const kind = required(record.kind, 'kind');
  const spec = fields(record.spec);
  const kinds = unique(objects(fields(spec.match).kinds).flatMap((match) => texts(match.kinds)));
  const namespaces = unique(list(fields(spec.match).namespaces).map(text));
  const action = text(spec.enforcementAction) ?? 'deny';
  return {
    ...policy(`${kind}/${name}`, origin),
    title: `${name} (${kind})`,
    body: paragraphs(
      text(annotationsOf(record).description)?.replace(/\s+/g, ' '),
      kinds.length > 0 ? `Applies to ${listed(kinds)}.` : undefined,
      namespaces.length > 0 ? `In ${listed(namespaces)}.` : undefined,
      spec.parameters === undefined ? undefined : `Parameters: ${JSON.stringify(spec.parameters).slice(0, 1_000)}`,
    ),
    identifiers: unique([name, kind]),
    severity: severityOfLabel(annotationsOf(record)['metadata.gatekeeper.sh/severity']),
    attributes: attributesOf({ kind, action }),
  };
};

export const readGatekeeper: Reader = (record, origin) => [
  (record.kind === 'ConstraintTemplate' ? template : constraint)(record, origin),
];
