import { chunkOf, listed } from './chunk-builder.ts';
import { type Origin, type ReadResult, Unreadable } from './reader.ts';
import { readRegoSource } from './rego-source.ts';
import { severityOfLabel } from './severity.ts';
import { fields, textOf, unique } from './values.ts';

export const readRego = (text: string, { path, source = 'rego' }: Origin): readonly ReadResult[] => {
  const read = readRegoSource(text);
  const { rules, messages, metadata, preamble } = read;
  if (read.package === undefined) throw new Unreadable('there is no package');
  const [first = {}] = metadata;
  const custom = fields(first.custom);
  const titles = unique(metadata.map((one) => textOf(one.title)));
  return [
    chunkOf('policy', `${source}/${read.package}`, {
      domain: 'policy',
      source,
      documentKey: `${path}#${read.package}`,
      title: titles[0] ?? read.package,
      body: [
        ...unique(metadata.map((one) => textOf(one.description))),
        preamble,
        titles.length > 1 ? `${listed(titles.slice(1))}.` : undefined,
        ...messages.slice(0, 20),
      ],
      identifiers: [read.package, textOf(custom.id), textOf(custom.avd_id), textOf(custom.short_code)],
      severity: severityOfLabel(custom.severity),
      ecosystem: 'Rego',
      attributes: {
        rules: rules.slice(0, 50),
        entrypoint: first.entrypoint === true ? true : undefined,
        schemas: first.schemas,
      },
    }),
  ];
};
