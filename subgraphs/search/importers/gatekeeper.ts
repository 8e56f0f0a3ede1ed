import type { Chunk } from '../corpus/chunk.ts';
import { chunkOf, listed } from './chunk-builder.ts';
import type { Origin, Reader } from './reader.ts';
import { readRegoSource } from './rego-source.ts';
import { severityOfLabel } from './severity.ts';
import { type Fields, fields, list, objects, required, textOf, textsOf, unique } from './values.ts';

const annotationsOf = (record: Fields): Fields => fields(fields(record.metadata).annotations);

/** A target's rules, in Rego or, as of Gatekeeper 3.18, beside it in CEL. */
const codeOf = (target: Fields): string[] => [
  ...textsOf(target.rego),
  ...objects(target.code).flatMap((code) => textsOf(fields(code.source).rego)),
];

const validationsOf = (target: Fields): string[] =>
  objects(target.code).flatMap((code) =>
    objects(fields(code.source).validations).flatMap((one) => textsOf(one.message ?? one.expression)),
  );

const template = (record: Fields, { path, source = 'gatekeeper' }: Origin): Chunk => {
  const name = required(fields(record.metadata).name, 'metadata.name');
  const annotations = annotationsOf(record);
  const spec = fields(record.spec);
  const kind = textOf(fields(fields(fields(spec.crd).spec).names).kind);
  const targets = objects(spec.targets);
  const sources = targets.flatMap(codeOf).map(readRegoSource);
  return chunkOf('policy', `${source}/${name}`, {
    domain: 'policy',
    source,
    documentKey: `${path}#${name}`,
    title: textOf(annotations['metadata.gatekeeper.sh/title']) ?? kind ?? name,
    body: [
      textOf(annotations.description)?.replace(/\s+/g, ' '),
      ...unique(targets.flatMap(validationsOf)),
      ...unique(sources.flatMap(({ messages }) => messages)).slice(0, 20),
    ],
    identifiers: [name, kind, ...sources.map((module) => module.package)],
    ecosystem: 'Gatekeeper',
    severity: severityOfLabel(annotations['metadata.gatekeeper.sh/severity']),
    attributes: {
      kind: 'ConstraintTemplate',
      constraint: kind,
      version: textOf(annotations['metadata.gatekeeper.sh/version']),
      rules: unique(sources.flatMap(({ rules }) => rules)).slice(0, 50),
    },
  });
};

const constraint = (record: Fields, { path, source = 'gatekeeper' }: Origin): Chunk => {
  const name = required(fields(record.metadata).name, 'metadata.name');
  const kind = required(record.kind, 'kind');
  const spec = fields(record.spec);
  const kinds = unique(objects(fields(spec.match).kinds).flatMap((match) => textsOf(match.kinds)));
  const namespaces = unique(list(fields(spec.match).namespaces).map(textOf));
  const action = textOf(spec.enforcementAction) ?? 'deny';
  return chunkOf('policy', `${source}/${kind}/${name}`, {
    domain: 'policy',
    source,
    documentKey: `${path}#${kind}/${name}`,
    title: `${name} (${kind})`,
    body: [
      textOf(annotationsOf(record).description)?.replace(/\s+/g, ' '),
      kinds.length > 0 ? `Applies to ${listed(kinds)}.` : undefined,
      namespaces.length > 0 ? `In ${listed(namespaces)}.` : undefined,
      spec.parameters === undefined ? undefined : `Parameters: ${JSON.stringify(spec.parameters).slice(0, 1_000)}`,
    ],
    identifiers: [name, kind],
    ecosystem: 'Gatekeeper',
    severity: severityOfLabel(annotationsOf(record)['metadata.gatekeeper.sh/severity']),
    attributes: { kind, action },
  });
};

export const readGatekeeper: Reader = (record, origin) => [
  (record.kind === 'ConstraintTemplate' ? template : constraint)(record, origin),
];
