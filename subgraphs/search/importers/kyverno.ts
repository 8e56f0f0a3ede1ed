import { chunkOf, listed } from './chunk-builder.ts';
import type { Reader } from './reader.ts';
import { severityOfLabel } from './severity.ts';
import { type Fields, fields, objects, required, textOf, textsOf, unique } from './values.ts';

/** Resource kinds of a rule, from `match` and below `any` and `all`. */
const kindsOf = (rule: Fields): string[] => {
  const match = fields(rule.match);
  const filters = [match, ...objects(match.any), ...objects(match.all)];
  const constraints = objects(fields(rule.matchConstraints).resourceRules);
  return unique([
    ...filters.flatMap((filter) => textsOf(fields(filter.resources).kinds)),
    ...constraints.flatMap((constraint) => textsOf(constraint.resources)),
  ]);
};

const ruleText = (rule: Fields): string | undefined => {
  const name = textOf(rule.name);
  const message = textOf(fields(rule.validate).message);
  const action = ['validate', 'mutate', 'generate', 'verifyImages'].find((one) => rule[one] !== undefined);
  const kinds = kindsOf(rule);
  const about = `${action ?? 'rule'}${kinds.length > 0 ? ` ${listed(kinds, 8)}` : ''}`;
  return name === undefined && message === undefined ? undefined : `${name ?? action}: ${message ?? about}`;
};

/** The validations of the policies that are written in CEL have no names. */
const validationText = (validation: Fields): string | undefined =>
  textOf(validation.message) ?? textOf(validation.expression);

/** Reads a Kyverno policy, of the cluster or of a namespace, also of the kinds that are written in CEL. */
export const readKyverno: Reader = (record, { path, source = 'kyverno' }) => {
  const metadata = fields(record.metadata);
  const name = required(metadata.name, 'metadata.name');
  const namespace = textOf(metadata.namespace);
  const full = namespace === undefined ? name : `${namespace}/${name}`;
  const annotations = fields(metadata.annotations);
  const of = (word: string): string | undefined => textOf(annotations[`policies.kyverno.io/${word}`]);
  const spec = fields(record.spec);
  const rules = objects(spec.rules);
  return [
    chunkOf('policy', `${source}/${full}`, {
      domain: 'policy',
      source,
      documentKey: `${path}#${full}`,
      title: of('title') ?? name,
      body: [
        of('description')?.replace(/\s+/g, ' '),
        ...unique(rules.map(ruleText)),
        ...unique(objects(spec.validations).map(validationText)),
      ],
      identifiers: [name, full],
      severity: severityOfLabel(of('severity')),
      ecosystem: 'Kyverno',
      attributes: {
        kind: textOf(record.kind),
        category: of('category'),
        subject: of('subject'),
        minversion: of('minversion'),
        action: textOf(spec.validationFailureAction) ?? textsOf(spec.validationActions)[0],
        rules: unique(rules.map((rule) => textOf(rule.name))),
      },
    }),
  ];
};
